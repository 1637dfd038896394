import { type OutlineItem, type Range, type SymbolItem, symbolKinds } from "@symposium-dev/core";
import type * as vscode from "vscode";
import { toRange, toUri } from "./places.js";

/** VS Code gives symbols of all providers this form. */
interface OutlineSymbol extends Pick<vscode.DocumentSymbol, "name" | "kind" | "detail" | "range" | "selectionRange"> {
  readonly containerName?: string;
  readonly children: readonly OutlineSymbol[];
}

type HierarchyItem = Pick<vscode.CallHierarchyItem, "name" | "kind" | "uri" | "range" | "selectionRange" | "detail">;

/** The outline of a document, parents before their children. */
export function toOutline(uri: string, symbols: readonly OutlineSymbol[], depth = 0, parent = ""): OutlineItem[] {
  return symbols.flatMap((symbol) => {
    const { name, kind, detail, containerName = "", range, selectionRange, children } = symbol;
    const container = containerName === "" ? parent : containerName;
    const item = {
      uri,
      name,
      kind: kindOf(kind),
      range: toRange(range),
      selectionRange: toRange(selectionRange),
      depth,
    };
    return [
      { ...item, ...(detail === "" ? {} : { detail }), ...(container === "" ? {} : { container }) },
      ...toOutline(uri, children, depth + 1, name),
    ];
  });
}

export function toHierarchySymbol({ name, kind, uri, range, selectionRange, detail = "" }: HierarchyItem): SymbolItem {
  const item = {
    name,
    kind: kindOf(kind),
    uri: toUri(uri),
    range: toRange(range),
    selectionRange: toRange(selectionRange),
  };
  return detail === "" ? item : { ...item, detail };
}

/** `text` is the document's, where it is known: a found symbol does not say where in its range its name stands. */
export function toFoundSymbol(
  { name, kind, containerName, location }: vscode.SymbolInformation,
  text: string | null,
): SymbolItem {
  const plainName = name.replace(/\(.*\)$/, "");
  const range = toRange(location.range);
  const item = { name: plainName, kind: kindOf(kind), uri: toUri(location.uri), range };
  const selectionRange = nameRange(text ?? "", range, plainName);
  return { ...item, selectionRange, ...(containerName === "" ? {} : { container: containerName }) };
}

/** Where `name` first stands by itself in `range`; the start of the range where it does not. */
export function nameRange(text: string, range: Range, name: string): Range {
  const lines = text.split(/\r\n|\r|\n/);
  const last = Math.min(range.end.line, lines.length - 1);
  for (let line = range.start.line; line <= last; line++) {
    const from = line === range.start.line ? range.start.character : 0;
    const character = indexOfWord(lines[line] ?? "", name, from);
    if (character !== -1) return { start: { line, character }, end: { line, character: character + name.length } };
  }
  return { start: range.start, end: range.start };
}

function indexOfWord(line: string, name: string, from: number): number {
  const isPart = (at: number): boolean => /[\p{ID_Continue}$]/u.test(line.charAt(at));
  for (let at = line.indexOf(name, from); at !== -1; at = line.indexOf(name, at + 1)) {
    if (!isPart(at - 1) && !isPart(at + name.length)) return at;
  }
  return -1;
}

function kindOf(kind: number): string {
  return symbolKinds[kind] ?? "variable";
}
