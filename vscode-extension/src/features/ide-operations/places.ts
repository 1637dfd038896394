import { compareLocations, fileUri, type Location, type Range, type Target, normalFileUri } from "@symposium-dev/core";
import type * as vscode from "vscode";

type VsUri = Pick<vscode.Uri, "scheme" | "fsPath" | "toString">;
interface VsRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

export function toUri(uri: VsUri): string {
  return uri.scheme === "file" ? normalFileUri(fileUri(uri.fsPath)) : uri.toString();
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

export function toTarget(found: vscode.Location | vscode.LocationLink): Target {
  if (!("targetUri" in found)) return toLocation(found);
  const { targetUri, targetRange, targetSelectionRange } = found;
  return {
    uri: toUri(targetUri),
    range: toRange(targetSelectionRange ?? targetRange),
    extent: toRange(targetRange),
  };
}

/** Sorts locations and removes duplicates, because several extensions may report the same location. */
export function inOrder<T extends Location>(items: readonly T[]): T[] {
  const byPlace = new Map(items.map((item) => [keyOf(item), item]));
  return [...byPlace.values()].sort(compareLocations);
}

export function keyOf({ uri, range: { start, end } }: Location): string {
  return `${uri} ${start.line}:${start.character}-${end.line}:${end.character}`;
}
