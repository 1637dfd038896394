import { normalFileUri } from "../../base/file-uri.js";
import type { OperationState } from "../../base/ide-operations/operation-state.js";
import { comparePositions, type Position, type Range } from "../../base/ide-operations/place.js";
import type { IdeCall } from "./ide-call.js";

/** The beginning of a text of any length, with a mark where something is missing. */
export function bounded(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Not between the halves of a character.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maxLength - 1)) ? maxLength - 1 : maxLength;
  return `${text.slice(0, end)}…`;
}

/** `3 uses`, `1 use` */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** How far an answer can be trusted, in brackets: the end of its first line. */
export function stateMark(state: OperationState): string {
  const by = state.by === undefined ? "" : `, by Symposium's ${state.by.join(" and ")}`;
  switch (state.kind) {
    case "ready":
      return `[ready${by}]`;
    case "loading":
      return `[loading${state.percent === undefined ? "" : ` ${state.percent} %`}${by}: more may be found later]`;
    case "degraded":
      return `[degraded${by}: ${state.reason}]`;
  }
}

const maxLineLength = 200;

/** The source of a range from the begin of its first line on, without common indentation; at most `maxLines` lines. */
export async function excerpt(call: IdeCall, uri: string, { start, end }: Range, maxLines: number): Promise<string[]> {
  const lines = (await call.documents.lines(uri)).slice(start.line, end.line + 1);
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  const shown = lines.slice(0, maxLines).map((line) => bounded(line.slice(indent).trimEnd(), maxLineLength));
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `… ${left} more lines, to line ${end.line + 1}`] : shown;
}

/** Something to show at its place. */
export interface Place {
  readonly uri: string;
  readonly position: Position;
  /** In place of the source line. */
  readonly note?: string;
}

const maxNoteLength = 160;
const maxSourceLength = 60;

/**
 * Places by file: its path, then for each line `line:column[,column] source`, from 1; files in the order in which they
 * come first.
 */
export async function placeLines(call: IdeCall, places: readonly Place[]): Promise<string[]> {
  const byFile = new Map<string, Place[]>();
  for (const place of places) {
    const key = normalFileUri(place.uri);
    const known = byFile.get(key);
    if (known) known.push(place);
    else byFile.set(key, [place]);
  }
  const lines: string[] = [];
  for (const [uri, inFile] of byFile) lines.push(call.paths.shown(uri), ...(await linesOfFile(call, uri, inFile)));
  return lines;
}

async function linesOfFile(call: IdeCall, uri: string, places: readonly Place[]): Promise<string[]> {
  const lines: { readonly key: string; readonly columns: number[]; readonly line: number; readonly text: string }[] =
    [];
  for (const { position, note } of places.toSorted((a, b) => comparePositions(a.position, b.position))) {
    const source = note === undefined ? ((await call.documents.lines(uri))[position.line] ?? "") : "";
    const text = note === undefined ? around(source, position.character) : bounded(note, maxNoteLength);
    const key = `${position.line} ${note ?? ""}`;
    const last = lines.at(-1);
    if (last?.key === key) {
      if (last.columns.at(-1) !== position.character + 1) last.columns.push(position.character + 1);
    } else lines.push({ key, line: position.line + 1, columns: [position.character + 1], text });
  }
  return lines.map(({ line, columns, text }) => `${line}:${columns.join(",")} ${text}`);
}

/** The part of a line that `character` is in. */
function around(source: string, character: number): string {
  const text = source.trim();
  if (text.length <= maxSourceLength) return text;
  const at = character - (source.length - source.trimStart().length);
  // More of what follows a name than of what stands before it.
  const start = Math.max(0, Math.min(at - maxSourceLength / 4, text.length - maxSourceLength));
  return `${start > 0 ? "…" : ""}${bounded(text.slice(start), maxSourceLength)}`;
}

/** `src/shape.rs:12:8` */
export function shownPlace(call: IdeCall, uri: string, { line, character }: Position): string {
  return `${call.paths.shown(uri)}:${line + 1}:${character + 1}`;
}
