import { fencedCode } from "../context/content-blocks.js";

/** Range of whole lines, 0-based and inclusive. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

interface EditRequest {
  readonly label: string;
  readonly languageId: string;
  readonly text: readonly string[];
  readonly lines: Lines;
  readonly wish: string;
}

/** Maximum characters of context before and after the lines, each. */
const maxContextChars = 20_000;

export function editPrompt({ label, languageId, text, lines: { start, end }, wish }: EditRequest): string {
  const before = lastWithin(text.slice(0, start));
  const after = lastWithin(text.slice(end + 1).toReversed()).toReversed();
  const which = start === end ? `line ${start + 1}` : `lines ${start + 1} to ${end + 1}`;
  const code = (lines: readonly string[]): string => fencedCode(lines.join("\n"), languageId);
  return [
    `Change ${which} of the file ${label} as the user wishes:`,
    wish,
    "Answer with the new text of exactly these lines in one code block, and nothing else: it takes their place as it is, with its indentation. An empty code block deletes them. Use no tools. Where it cannot be done, say why without a code block.",
    ...(before.length > 0 ? ["The file before these lines:", code(before)] : []),
    "The lines to change:",
    code(text.slice(start, end + 1)),
    ...(after.length > 0 ? ["The file after these lines:", code(after)] : []),
  ].join("\n\n");
}

/** Returns the lines of the answer's code block; undefined unless the answer has exactly one code block. */
export function linesIn(answer: string): readonly string[] | undefined {
  const all = answer.replaceAll("\r\n", "\n").split("\n");
  const first = all.findIndex((line) => /^\s{0,3}`{3,}[^`]*$/u.test(line));
  const fence = /`{3,}/u.exec(all[first] ?? "")?.[0];
  if (fence === undefined) return undefined;
  const isFence = (line: string): boolean => line.trim() === fence;
  const ends = all.flatMap((line, at) => (at > first && isFence(line) ? [at] : []));
  // In Markdown text, a nested code block opens with a language name, so the last fence ends the outer block.
  const nested = all.slice(first + 1).filter((line) => line.trim().startsWith(fence) && !isFence(line)).length;
  const end = nested === 0 ? ends[0] : ends.at(-1);
  return end === undefined ? undefined : all.slice(first + 1, end);
}

/** Returns where the lines that were at `lines` are now: at the same position, or at the only other match in the text. */
export function linesNow(text: readonly string[], were: readonly string[], { start }: Lines): Lines | undefined {
  const isAt = (at: number): boolean => were.every((line, index) => text[at + index] === line);
  const at = isAt(start) ? start : onlyOne(text.flatMap((_line, at) => (isAt(at) ? [at] : [])));
  return at === undefined ? undefined : { start: at, end: at + were.length - 1 };
}

function onlyOne(places: readonly number[]): number | undefined {
  return places.length === 1 ? places[0] : undefined;
}

function lastWithin(lines: readonly string[]): readonly string[] {
  let left = maxContextChars;
  const at = lines.findLastIndex((line) => (left -= line.length + 1) < 0);
  return lines.slice(at + 1);
}
