import { highlight } from "../markdown/highlight.js";

/** Line of a unified diff. `before` and `after` are 1-based line numbers, if the line exists on that side and the number is known. */
export interface DiffLine {
  readonly kind: "context" | "added" | "removed" | "gap";
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

const hunkHead = /^@@ -(?<before>\d+)(?:,\d+)? \+(?<after>\d+)(?:,\d+)? @@ ?(?<section>.*)$/u;

/**
 * Parses a unified diff without file headers. `startsAt` is the file line at which the compared texts start. A gap marks omitted lines,
 * with the section's name if known.
 */
export function diffLines(patch: string, startsAt: number | undefined): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 1;
  let after = 1;
  const numbered = (line: Omit<DiffLine, "before" | "after">, isBefore: boolean, isAfter: boolean): DiffLine => {
    const numbers = { before: before + (startsAt ?? 1) - 1, after: after + (startsAt ?? 1) - 1 };
    if (isBefore) before++;
    if (isAfter) after++;
    if (startsAt === undefined) return line;
    return { ...line, ...(isBefore && { before: numbers.before }), ...(isAfter && { after: numbers.after }) };
  };
  for (const line of patch.replace(/\n$/u, "").split("\n")) {
    const text = line.slice(1);
    const groups = hunkHead.exec(line)?.groups;
    if (groups) {
      before = Number(groups["before"]);
      after = Number(groups["after"]);
      if (lines.length > 0 || before > 1) lines.push({ kind: "gap", text: groups["section"] ?? "" });
    } else if (line.startsWith("+")) lines.push(numbered({ kind: "added", text }, false, true));
    else if (line.startsWith("-")) lines.push(numbered({ kind: "removed", text }, true, false));
    else if (line.startsWith("\\")) lines.push({ kind: "gap", text: line.slice(2) });
    else lines.push(numbered({ kind: "context", text }, true, true));
  }
  return lines;
}

/** Returns highlighted HTML per line for a language known to {@link highlight}; empty for an unknown one. */
export function colouredLines(lines: readonly DiffLine[], language: string): ReadonlyMap<DiffLine, string> {
  const coloured = new Map<DiffLine, string>();
  for (const part of partsOf(lines)) {
    // Highlight each side separately, so that a comment opened on one side doesn't affect the other.
    for (const other of ["removed", "added"] as const) {
      const side = part.filter(({ kind }) => kind !== other);
      const code = highlight(side.map(({ text }) => text).join("\n"), language);
      if (code === undefined) return new Map();
      for (const [at, html] of htmlLines(code).entries()) {
        const line = side[at];
        if (line) coloured.set(line, html);
      }
    }
  }
  return coloured;
}

function partsOf(lines: readonly DiffLine[]): DiffLine[][] {
  const parts: DiffLine[][] = [[]];
  for (const line of lines) {
    if (line.kind === "gap") parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.filter(({ length }) => length > 0);
}

/** Splits highlighted HTML into lines. Elements that span lines are closed and reopened. */
function htmlLines(html: string): string[] {
  const open: string[] = [];
  return html.split("\n").map((line) => {
    const opening = open.join("");
    for (const [tag] of line.matchAll(/<span [^>]*>|<\/span>/gu)) {
      if (tag === "</span>") open.pop();
      else open.push(tag);
    }
    return `${opening}${line}${"</span>".repeat(open.length)}`;
  });
}
