import {
  comparePositions,
  type FileParams,
  type OutlineItem,
  type PageAnswer,
  type PageParams,
  pathOfFileUri,
  type Range,
  stringOf,
  type SymbolItem,
  symbolKinds,
  type SymbolQueryParams,
  textOf,
  normalFileUri,
  pageOf,
} from "@symposium-dev/core";
import { isInside } from "@symposium-dev/core/node";
import { DocumentSymbolRequest, WorkspaceSymbolRequest } from "vscode-languageserver-protocol/node";
import type { ServerRequest } from "../connection/language-server.js";
import type { DocumentView } from "../documents/client-documents.js";
import { isIgnoredFolder } from "../documents/find-file.js";
import { askEveryServer, stateOfAll } from "./ask-every-server.js";
import { answered, askAbout, type OperationContext } from "./operation-context.js";
import { toRange, type Wire, wireList, wireObject } from "./wire-places.js";

/** Returns a document's outline in text order, parents before children. */
export async function documentSymbols(
  context: OperationContext,
  params: FileParams & PageParams,
  signal: AbortSignal,
): Promise<PageAnswer<OutlineItem>> {
  const request = DocumentSymbolRequest.type;
  const reply = await askAbout(context, { uri: params.uri, request, params: {}, needsWhole: false }, signal);
  const { value, state } = answered(reply, request);
  return pageOf(outline(wireList(value), normalFileUri(params.uri), context.view), params, state);
}

/** Finds workspace symbols whose name contains `query`, in all languages. */
export async function workspaceSymbols(
  context: OperationContext,
  params: SymbolQueryParams & PageParams,
  signal: AbortSignal,
): Promise<PageAnswer<SymbolItem>> {
  const { workspace, view } = context;
  // Ask for all symbols, since rust-analyzer finds only types by default; other servers ignore unknown members.
  const asked = { query: params.query, searchScope: "workspace", searchKind: "allSymbols" };
  const { documents } = params;
  const request: ServerRequest<object> = WorkspaceSymbolRequest.type;
  const question = { request, params: asked, needsWhole: true, ...(documents && { documents }) };
  const replies = await askEveryServer(context, question, signal);
  const items = replies.flatMap(({ value }) => wireList(value));
  const found = items
    .map((item) => symbolOf(item, view))
    .filter((symbol) => symbol !== undefined)
    .filter(({ uri, name }) => isInWorkspace(uri, workspace.folder) && hasPart(name, params.query));
  const sorted = found.sort((a, b) => compareNames(a, b, params.query));
  return pageOf(sorted, params, stateOfAll(replies, found.length === 0));
}

function outline(items: readonly Wire[], uri: string, view: DocumentView, parent?: OutlineItem): OutlineItem[] {
  const isFlat = parent === undefined && items.some((item) => "location" in item);
  if (isFlat) return nest(items.map((item) => symbolOf(item, view)).filter((symbol) => symbol !== undefined));
  const inOrder = [...items].sort((a, b) => comparePositions(toRange(a["range"]).start, toRange(b["range"]).start));
  return inOrder.flatMap((item) => {
    const detail = stringOf(item["detail"]);
    const own: OutlineItem = {
      name: textOf(item["name"]),
      kind: kindOf(item["kind"]),
      uri,
      range: toRange(item["range"]),
      selectionRange: toRange(item["selectionRange"]),
      depth: parent === undefined ? 0 : parent.depth + 1,
      ...(detail !== undefined && detail !== "" && { detail }),
      ...(parent && { container: parent.name }),
    };
    return [own, ...outline(wireList(item["children"]), uri, view, own)];
  });
}

/** Returns a flat outline with depths derived from nested ranges. */
function nest(symbols: readonly SymbolItem[]): OutlineItem[] {
  const sorted = [...symbols].sort(
    (a, b) => comparePositions(a.range.start, b.range.start) || comparePositions(b.range.end, a.range.end),
  );
  const around: SymbolItem[] = [];
  return sorted.map((symbol) => {
    while (around.length > 0 && comparePositions(around.at(-1)?.range.end ?? symbol.range.end, symbol.range.end) < 0)
      around.pop();
    const depth = around.length;
    around.push(symbol);
    return { ...symbol, depth };
  });
}

/** Converts a `SymbolInformation` or a `WorkspaceSymbol` to a symbol; undefined for other values. */
function symbolOf(item: Wire, view: DocumentView): SymbolItem | undefined {
  const location = wireObject(item["location"]);
  const uri = stringOf(location["uri"]);
  const fullName = stringOf(item["name"]);
  if (uri === undefined || fullName === undefined) return undefined;
  const range = toRange(location["range"]);
  const { name, container } = splitName(fullName, stringOf(item["containerName"]));
  const canonical = normalFileUri(uri);
  return {
    name,
    kind: kindOf(item["kind"]),
    uri: canonical,
    range,
    selectionRange: nameRange(view, canonical, range, name),
    ...(container !== undefined && { container }),
  };
}

/**
 * Splits the name that a server sends into the symbol's name and container: gopls sends `Type.Method`, and other servers append a call's
 * parentheses.
 */
function splitName(
  fullName: string,
  container: string | undefined,
): { readonly name: string; readonly container?: string } {
  const plain = fullName.replace(/\(.*\)$/, "");
  const at = Math.max(plain.lastIndexOf("."), plain.lastIndexOf("::") + 1);
  const name = at > 0 && at < plain.length - 1 ? plain.slice(at + 1) : plain;
  const before = at > 0 ? plain.slice(0, at).replace(/:$/, "") : undefined;
  const own = container === undefined || container === "" ? before : container;
  return own === undefined || own === "" ? { name } : { name, container: own };
}

/** Returns the range of the name within a declaration; if the name isn't found, the start of the declaration. */
function nameRange(view: DocumentView, uri: string, range: Range, name: string): Range {
  const { start, end } = range;
  if (start.line === end.line && end.character - start.character === name.length) return range;
  for (let line = start.line; line <= Math.min(end.line, start.line + 20); line++) {
    const text = view.lineOf(uri, line);
    const column = text?.indexOf(name, line === start.line ? start.character : 0) ?? -1;
    if (column >= 0) return { start: { line, character: column }, end: { line, character: column + name.length } };
  }
  return { start, end: start };
}

export function kindOf(value: unknown): string {
  return (typeof value === "number" ? symbolKinds[value - 1] : undefined) ?? "variable";
}

function isInWorkspace(uri: string, folder: string): boolean {
  const path = pathOfFileUri(uri);
  if (path === undefined || !isInside(path, folder)) return false;
  return !path.slice(folder.length).split(/[\\/]/).some(isIgnoredFolder);
}

function hasPart(name: string, query: string): boolean {
  return name.toLowerCase().includes(query.toLowerCase());
}

/** Compares symbols for sorting: exact matches first, then prefixes of the name, then by name and location. */
function compareNames(a: SymbolItem, b: SymbolItem, query: string): number {
  const rank = ({ name }: SymbolItem): number => (name === query ? 0 : name.startsWith(query) ? 1 : 2);
  return (
    rank(a) - rank(b) ||
    a.name.localeCompare(b.name) ||
    a.uri.localeCompare(b.uri) ||
    comparePositions(a.range.start, b.range.start)
  );
}
