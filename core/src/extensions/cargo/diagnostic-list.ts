import type { Diagnostic } from "./diagnostic.js";

/** A diagnostic and how often it came: a library and its tests report the same. */
interface CountedDiagnostic {
  readonly diagnostic: Diagnostic;
  readonly count: number;
}

/** Diagnostics of one file that say the same thing of different places or names; one line of a report. */
export interface DiagnosticGroup {
  readonly members: readonly [CountedDiagnostic, ...CountedDiagnostic[]];
  /** Which part between backticks differs between the members; undefined when the messages are equal. */
  readonly varying: number | undefined;
}

/** The distinct diagnostics of a run. */
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

  /** How many distinct ones there are of `level`. */
  count(level: Diagnostic["level"]): number {
    return [...this.#counts.values()].filter(({ diagnostic }) => diagnostic.level === level).length;
  }

  distinct(): readonly CountedDiagnostic[] {
    return [...this.#counts.values()];
  }

  /** Errors first, causes before what follows from them, then by file in the order of their appearance. */
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

/** Names that cannot be resolved, and crates and modules that cannot be found: other errors follow from these. */
const causes = /^E0(?:405|407|412|423|424|425|426|432|433|437|438|463|531|532|574|576|583)$/;

/** Errors without a code come from the parser and from macros, which run first. */
function rank({ level, code }: Diagnostic): number {
  if (level === "error") return code === undefined || causes.test(code) ? 0 : 1;
  return level === "warning" ? 2 : 3;
}

const quoted = /`[^`]*`/g;

/** The message with the part between backticks number `index` taken out. */
function templateOf(message: string, index: number): string {
  let seen = -1;
  return message.replaceAll(quoted, (part) => (++seen === index ? "`…`" : part));
}

/** The part number `index` between backticks, with them. */
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
