import type * as vscode from "vscode";
import {
  type IdeOperationHandlers,
  type OutlineItem,
  type Range,
  type SymbolItem,
  symbolKinds,
  pageOf,
} from "@symposium-dev/core";
import { isInside } from "@symposium-dev/core/node";
import type { Workspace } from "./languages.js";
import { inOrder, toRange, toUri } from "./places.js";

export function symbolOperations({
  folder,
  editor,
  languages,
}: Workspace): Required<Pick<IdeOperationHandlers, "documentSymbols" | "workspaceSymbols">> {
  const isOfWorkspace = ({ location: { uri } }: vscode.SymbolInformation): boolean =>
    uri.scheme === "file" && isInside(uri.fsPath, folder) && !/[\\/]node_modules[\\/]/.test(uri.fsPath);

  const located = async (found: readonly vscode.SymbolInformation[]): Promise<SymbolItem[]> => {
    const texts = new Map<string, Promise<string | null>>();
    return Promise.all(
      found.map(async (symbol) => {
        const uri = toUri(symbol.location.uri);
        const text = texts.get(uri) ?? editor.text(uri);
        texts.set(uri, text);
        return toFoundSymbol(symbol, await text);
      }),
    );
  };

  return {
    async documentSymbols({ uri, ...part }, signal) {
      const document = await editor.open(uri, signal);
      const { items, state } = await languages.answer({ document, signal }, async () =>
        toOutline(toUri(document.uri), (await editor.ask("vscode.executeDocumentSymbolProvider", document.uri)) ?? []),
      );
      return pageOf(items, part, state);
    },
    async workspaceSymbols({ query, ...part }, signal) {
      // Extensions load a workspace only after one of its documents is open.
      const samples = await editor.samples(folder);
      const documents = await Promise.all(samples.map((uri) => editor.open(uri, signal)));
      const state = await languages.folderState(documents, signal);
      const found = (await editor.ask("vscode.executeWorkspaceSymbolProvider", query)) ?? [];
      const { items, total } = pageOf(inOrder(found.filter(isOfWorkspace).map(withPlace)), part, state);
      return { state, items: await located(items.map(({ symbol }) => symbol)), total };
    },
  };
}

function withPlace(symbol: vscode.SymbolInformation): {
  uri: string;
  range: vscode.Range;
  symbol: vscode.SymbolInformation;
} {
  return { uri: toUri(symbol.location.uri), range: symbol.location.range, symbol };
}

interface OutlineSymbol extends Pick<vscode.DocumentSymbol, "name" | "kind" | "detail" | "range" | "selectionRange"> {
  readonly containerName?: string;
  readonly children: readonly OutlineSymbol[];
}

type HierarchyItem = Pick<vscode.CallHierarchyItem, "name" | "kind" | "uri" | "range" | "selectionRange" | "detail">;

/** Returns a document's outline, parents before children. */
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

/** Converts a VS Code symbol. `text` is the document's text, if known, and is used to find the name inside the symbol's range. */
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

/** Returns the first whole-word occurrence of `name` in `range`, or the start of `range`. */
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
