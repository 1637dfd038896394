import type { Work } from "./settings-state.js";

/** What a line of the command's progress says, e.g. `[####----]  42%  1.2 MB of 3 MB  Downloading x`. */
export function workOf(line: string): Work {
  const match = /^\[[#-]*\]\s+(\d+)%\s+(.*)$/.exec(line);
  if (!match) return { label: line };
  return { label: match[2] ?? line, percent: Number(match[1]) };
}
