import type { CallEdit } from "./session-observers.js";

interface EditFacts {
  /** Whether the tool call has ended, so that the file should contain the new text. */
  readonly isOver: boolean;
  /** Line that the agent reports, starting at 1. */
  readonly line?: number | undefined;
}

/**
 * Returns the 1-based line at which an edit's texts, the whole file or a part, begin. `fileText` is from before or after the edit; null if
 * the file is missing, undefined if unreadable. Undefined if the texts occur several times or not at all and the agent names no line.
 */
export function lineOfEdit(
  fileText: string | null | undefined,
  { oldText, newText }: CallEdit,
  { isOver, line }: EditFacts,
): number | undefined {
  if (oldText === undefined || (fileText === null && oldText === "")) return 1;
  if (fileText === null || fileText === undefined) return line;
  const file = withLineFeeds(fileText);
  const [before, after] = [withLineFeeds(oldText), withLineFeeds(newText)];
  if (file === before || file === after) return 1;
  let isThere = false;
  for (const text of likeliestFirst(before, after, isOver)) {
    const found = placesOf(text, file);
    const [only] = found;
    if (found.length === 1) return only;
    isThere ||= found.length > 0;
    const height = text.replace(/\n$/u, "").split("\n").length;
    const named = line === undefined ? [] : found.filter((start) => line >= start && line < start + height);
    if (named.length === 1) return named[0];
  }
  // The file has changed since the edit, so only the agent knows the position.
  return isThere ? undefined : line;
}

/**
 * Returns the texts in the order in which to search for them. If one text contains the other, only the longer text shows which of both the
 * file contains.
 */
function likeliestFirst(before: string, after: string, isOver: boolean): string[] {
  const isAfterFirst = after.includes(before) || (isOver && !before.includes(after));
  return (isAfterFirst ? [after, before] : [before, after]).filter((text) => text.trim() !== "");
}

/** Maximum number of matches to examine. */
const maxPlaces = 100;

function placesOf(text: string, file: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (let at = file.indexOf(text); at !== -1 && lines.length < maxPlaces; at = file.indexOf(text, at + 1)) {
    for (let end = file.indexOf("\n", counted); end !== -1 && end < at; end = file.indexOf("\n", end + 1)) {
      line++;
      counted = end + 1;
    }
    lines.push(line);
  }
  return lines;
}

function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
}
