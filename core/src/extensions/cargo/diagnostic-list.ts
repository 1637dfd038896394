import type { Diagnostic } from "./diagnostic.js";

/** A diagnostic with its number of occurrences, since a library and its tests report the same ones. */
interface CountedDiagnostic {
  readonly diagnostic: Diagnostic;
  readonly count: number;
}

/** Diagnostics of one file with the same message for different places or names. Reported on one line. */
export interface DiagnosticGroup {
  readonly members: readonly [CountedDiagnostic, ...CountedDiagnostic[]];
  /** Index of the backquoted part that differs between the members; undefined if all messages are equal. */
  readonly varying: number | undefined;
}

export class DiagnosticList {
  readonly #counts = new Map<string, { diagnostic: Diagnostic; count: number }>();

  add(diagnostic: Diagnostic): void {
    const { level, code, message, place, label } = diagnostic;
    const key = JSON.stringify([level, code, message, place, label, place ? "" : diagnostic.rendered]);
    const known = this.#counts.get(key);
    if (known) known.count++;
    else this.#counts.set(key, { diagnostic, count: 1 });
  }

  get size(): number {
    return this.#counts.size;
  }

  count(level: Diagnostic["level"]): number {
    return [...this.#counts.values()].filter(({ diagnostic }) => diagnostic.level === level).length;
  }

  distinct(): readonly CountedDiagnostic[] {
    return [...this.#counts.values()];
  }

  /** Groups diagnostics: errors first, causes before consequences, then by file in order of appearance. */
  groups(): readonly DiagnosticGroup[] {
    const files = new Map<string, number>();
    for (const { diagnostic } of this.#counts.values()) {
      const file = diagnostic.place?.file ?? "";
      if (!files.has(file)) files.set(file, files.size);
    }
    const rankOf = ({ diagnostic }: CountedDiagnostic): number =>
      rank(diagnostic) * (files.size + 1) + (files.get(diagnostic.place?.file ?? "") ?? 0);
    const sorted = [...this.#counts.values()].sort((a, b) => rankOf(a) - rankOf(b));
    return group(sorted);
  }
}

/** Codes of unresolved names, crates and modules, which cause other errors. */
const causes = /^E0(?:405|407|412|423|424|425|426|432|433|437|438|463|531|532|574|576|583)$/;

/** Errors without a code come from the parser and macros, which run first. */
function rank({ level, code }: Diagnostic): number {
  if (level === "error") return code === undefined || causes.test(code) ? 0 : 1;
  return level === "warning" ? 2 : 3;
}

const quoted = /`[^`]*`/g;

function templateOf(message: string, index: number): string {
  let seen = -1;
  return message.replaceAll(quoted, (part) => (++seen === index ? "`…`" : part));
}

/** Returns the backquoted part with this index, including the backquotes. */
export function quotedPart(message: string, index: number): string {
  return message.match(quoted)?.[index] ?? "";
}

function group(sorted: readonly CountedDiagnostic[]): DiagnosticGroup[] {
  interface Open {
    members: [CountedDiagnostic, ...CountedDiagnostic[]];
    varying: number | undefined;
  }
  const groups: Open[] = [];
  const byKey = new Map<string, Open>();
  for (const counted of sorted) {
    const { level, code, place, label, message } = counted.diagnostic;
    const keyOf = (text: string): string =>
      JSON.stringify([rank(counted.diagnostic), level, code, place?.file, label, text]);
    const parts = place ? (message.match(quoted)?.length ?? 0) : 0;
    const same = place && byKey.get(keyOf(message));
    const alike = parts === 1 ? byKey.get(keyOf(templateOf(message, 0))) : undefined;
    const open = same ?? alike;
    if (open) {
      if (open.members[0].diagnostic.message !== message) open.varying = 0;
      open.members.push(counted);
      continue;
    }
    const created: Open = { members: [counted], varying: undefined };
    groups.push(created);
    byKey.set(keyOf(message), created);
    if (parts === 1) byKey.set(keyOf(templateOf(message, 0)), created);
  }
  return groups;
}
