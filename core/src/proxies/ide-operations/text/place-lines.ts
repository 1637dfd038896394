import { comparePositions, type Position } from "../../../ide-operations/place.js";
import { bounded } from "./bounded.js";
import type { IdeCall } from "../ide-call.js";
import { normalUri } from "../workspace-paths.js";

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
    const key = normalUri(place.uri);
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
