import {
  compareLocations,
  fileUri,
  type Location,
  maxIdeItems,
  type OperationState,
  type PageAnswer,
  type PageParams,
  pathOfFileUri,
  type Range,
  type Target,
} from "@symposium-dev/core";
import type * as vscode from "vscode";

type VsUri = Pick<vscode.Uri, "scheme" | "fsPath" | "toString">;
interface VsRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/** A URI as the wire has it. */
export function toUri(uri: VsUri): string {
  return uri.scheme === "file" ? normalUri(fileUri(uri.fsPath)) : uri.toString();
}

/** The one of a file's URIs that is compared: VS Code and others write drives and special characters differently. */
export function normalUri(uri: string): string {
  const path = pathOfFileUri(uri);
  return path === undefined ? uri : fileUri(path);
}

export function toRange({ start, end }: VsRange): Range {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}

export function toLocation({ uri, range }: { readonly uri: VsUri; readonly range: VsRange }): Location {
  return { uri: toUri(uri), range: toRange(range) };
}

/** The name that a definition leads to, and the whole of it where the extension says that. */
export function toTarget(found: vscode.Location | vscode.LocationLink): Target {
  if (!("targetUri" in found)) return toLocation(found);
  const { targetUri, targetRange, targetSelectionRange } = found;
  return {
    uri: toUri(targetUri),
    range: toRange(targetSelectionRange ?? targetRange),
    extent: toRange(targetRange),
  };
}

/** In the order of lists, each once: several extensions may find the same. */
export function inOrder<T extends Location>(items: readonly T[]): T[] {
  const byPlace = new Map(items.map((item) => [keyOf(item), item]));
  return [...byPlace.values()].sort(compareLocations);
}

/** Tells places apart. */
export function keyOf({ uri, range: { start, end } }: Location): string {
  return `${uri} ${start.line}:${start.character}-${end.line}:${end.character}`;
}

/** The part of a list that was asked for. */
export function pageOf<T>(
  items: readonly T[],
  { offset = 0, limit = maxIdeItems }: PageParams,
  state: OperationState,
): PageAnswer<T> {
  return { state, items: items.slice(offset, offset + Math.min(limit, maxIdeItems)), total: items.length };
}
