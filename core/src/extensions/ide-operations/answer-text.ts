import { normalFileUri } from "../../base/file-uri.js";
import type { OperationState } from "../../base/ide-operations/operation-state.js";
import { comparePositions, type Position, type Range } from "../../base/ide-operations/place.js";
import type { IdeCall } from "./ide-call.js";

/** Cuts a text at `maxLength` and marks the cut. */
export function bounded(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Don't split a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maxLength - 1)) ? maxLength - 1 : maxLength;
  return `${text.slice(0, end)}…`;
}

/** Returns for example `3 uses` or `1 use`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** Returns the reliability of an answer in brackets, for the end of its first line. */
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

/** Returns the source of a range from the start of its first line, at most `maxLines` lines, without common indentation. */
export async function excerpt(call: IdeCall, uri: string, { start, end }: Range, maxLines: number): Promise<string[]> {
  const lines = (await call.documents.lines(uri)).slice(start.line, end.line + 1);
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  const shown = lines.slice(0, maxLines).map((line) => bounded(line.slice(indent).trimEnd(), maxLineLength));
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `… ${left} more lines, to line ${end.line + 1}`] : shown;
}

export interface ShownPlace {
  readonly uri: string;
  readonly position: Position;
  /** Text shown instead of the source line. */
  readonly note?: string;
}

const maxNoteLength = 160;
const maxSourceLength = 60;

/** Groups places by file, in order of first appearance: the path, then `line:column[,column] source` per line, counted from 1. */
export async function placeLines(call: IdeCall, places: readonly ShownPlace[]): Promise<string[]> {
  const byFile = new Map<string, ShownPlace[]>();
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

async function linesOfFile(call: IdeCall, uri: string, places: readonly ShownPlace[]): Promise<string[]> {
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

/** Returns the part of a line around `character`. */
function around(source: string, character: number): string {
  const text = source.trim();
  if (text.length <= maxSourceLength) return text;
  const at = character - (source.length - source.trimStart().length);
  // Show more after a name than before it.
  const start = Math.max(0, Math.min(at - maxSourceLength / 4, text.length - maxSourceLength));
  return `${start > 0 ? "…" : ""}${bounded(text.slice(start), maxSourceLength)}`;
}

/** Returns for example `src/shape.rs:12:8`. */
export function shownPlace(call: IdeCall, uri: string, { line, character }: Position): string {
  return `${call.paths.shown(uri)}:${line + 1}:${character + 1}`;
}
