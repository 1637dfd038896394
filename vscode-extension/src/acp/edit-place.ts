import type { CallEdit } from "./session-observers.js";

/** What is known of an edit besides its texts. */
interface EditFacts {
  /** The tool call has ended: the file should have the new text. */
  readonly isOver: boolean;
  /** The line that the agent names for it, 1-based. */
  readonly line?: number | undefined;
}

/**
 * The line of a file, 1-based, that the texts of an edit begin at: they may be the whole file or a part of it.
 * `fileText` is what the file has before or after the edit; null where there is no file, undefined where it cannot be
 * read. Undefined where the texts stand in the file several times, or not at all, and the agent does not say.
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
  // Somebody has changed these lines since: only the agent knows.
  return isThere ? undefined : line;
}

/** Of two texts one of which is a part of the other, only the longer one can tell which of them is there. */
function likeliestFirst(before: string, after: string, isOver: boolean): string[] {
  const isAfterFirst = after.includes(before) || (isOver && !before.includes(after));
  return (isAfterFirst ? [after, before] : [before, after]).filter((text) => text.trim() !== "");
}

/** More places than this do not help. */
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
