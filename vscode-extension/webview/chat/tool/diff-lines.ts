/** A line of a unified diff. `before` and `after` are 1-based line numbers where the line is there. */
export interface DiffLine {
  readonly kind: "context" | "added" | "removed" | "gap";
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

const hunkHead = /^@@ -(?<before>\d+)(?:,\d+)? \+(?<after>\d+)(?:,\d+)? @@ ?(?<section>.*)$/u;

/** The lines of a unified diff without file headers. A gap stands where lines are left out, with the name of the section if there is one. */
export function diffLines(patch: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 1;
  let after = 1;
  for (const line of patch.replace(/\n$/u, "").split("\n")) {
    const groups = hunkHead.exec(line)?.groups;
    if (groups) {
      before = Number(groups["before"]);
      after = Number(groups["after"]);
      if (lines.length > 0 || before > 1) lines.push({ kind: "gap", text: groups["section"] ?? "" });
    } else if (line.startsWith("+")) lines.push({ kind: "added", text: line.slice(1), after: after++ });
    else if (line.startsWith("-")) lines.push({ kind: "removed", text: line.slice(1), before: before++ });
    else if (line.startsWith("\\")) lines.push({ kind: "gap", text: line.slice(2) });
    else lines.push({ kind: "context", text: line.slice(1), before: before++, after: after++ });
  }
  return lines;
}
