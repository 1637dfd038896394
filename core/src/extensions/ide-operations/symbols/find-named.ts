import { fileUri, pathOfFileUri, normalFileUri } from "../../../base/file-uri.js";
import type { SymbolItem } from "../../../base/ide-operations/symbol-item.js";
import { meets } from "../documents.js";
import type { IdeCall } from "../ide-call.js";
import { matchingSymbols, perhapsOutlineOf, type PlacedSymbol, plainName } from "./outline.js";

/** Maximum number of files whose outlines are read to distinguish symbols with the same name. */
const maxOutlines = 20;
const maxSearchHits = 400;
const maxFound = 200;
/** Keywords before a declared name in various languages. */
const declaringWords =
  "fn|func|fun|function|def|class|struct|interface|trait|enum|union|type|typedef|mod|module|namespace|const|static|let|var|val|macro_rules!|define";

/**
 * Finds the workspace's declarations that match a qualified name. If the server finds nothing by name or can't search, reads the outlines
 * of files that contain the word.
 */
export async function findNamed(call: IdeCall, names: readonly string[]): Promise<readonly SymbolItem[]> {
  const name = names.at(-1) ?? "";
  let failure: Error | undefined;
  const found = await ownSymbols(call, name).catch((fault: unknown) => {
    if (call.signal.aborted || !(fault instanceof Error)) throw fault;
    failure = fault;
    return [];
  });
  if (found.length > 0 && names.length === 1) return withoutAliases(call, withoutRepeats(found));
  const files = found.length > 0 ? found.map(({ uri }) => normalFileUri(uri)) : await filesWith(call, name);
  const outlined = await declarationsIn(call, [...new Set(files)], names).catch((fault: unknown) => {
    throw failure ?? fault;
  });
  if (outlined.length > 0) return withoutRepeats(outlined);
  if (failure) throw failure;
  const placed = found.map((item): PlacedSymbol => ({
    item,
    containers: item.container === undefined ? [] : [item.container],
  }));
  return withoutRepeats(
    matchingSymbols(placed, names, ({ item }) => call.paths.shown(item.uri)).map(({ item }) => item),
  );
}

/** Returns declarations in handwritten files, since servers also know generated ones. */
async function ownSymbols(call: IdeCall, name: string): Promise<readonly SymbolItem[]> {
  const found = await workspaceSymbols(call, name);
  const paths = found.map(({ uri }) => pathOfFileUri(uri)).filter((path) => path !== undefined);
  const own = await call.services.ownFiles(call.paths.folder, paths, call.signal);
  return found.filter(({ uri }) => own.has(pathOfFileUri(uri) ?? ""));
}

async function workspaceSymbols(call: IdeCall, name: string): Promise<readonly SymbolItem[]> {
  if (!call.can("workspaceSymbols")) return [];
  const { items } = await call.ask("workspaceSymbols", { query: name, limit: maxFound });
  return items.filter((item) => plainName(item.name) === name);
}

/** Returns the files that contain the word: probable declarations first, then by number of uses. */
async function filesWith(call: IdeCall, word: string): Promise<readonly string[]> {
  const query = { folder: call.paths.folder, word, extensions: undefined, limit: maxSearchHits };
  const { hits } = await call.services.searchWord(query, call.signal);
  const counts = new Map<string, number>();
  const declaring = new RegExp(`\\b(?:${declaringWords})\\s+(?:\\w+\\s+){0,4}${escaped(word)}(?![\\w$])`);
  for (const { path, source } of hits) {
    counts.set(path, (counts.get(path) ?? 0) + (declaring.test(source) ? maxSearchHits : 1));
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([path]) => fileUri(path));
}

async function declarationsIn(
  call: IdeCall,
  uris: readonly string[],
  names: readonly string[],
): Promise<readonly SymbolItem[]> {
  const outlines = await Promise.all(uris.slice(0, maxOutlines).map((uri) => perhapsOutlineOf(call, uri)));
  const placed = outlines.flat().filter(({ item, isLocal }) => !isLocal && plainName(item.name) === names.at(-1));
  return matchingSymbols(placed, names, ({ item }) => call.paths.shown(item.uri)).map(({ item }) => item);
}

function withoutRepeats(items: readonly SymbolItem[]): readonly SymbolItem[] {
  const byPlace = new Map(
    items.map((item) => {
      const { line, character } = item.selectionRange.start;
      return [`${normalFileUri(item.uri)}:${line}:${character}`, item];
    }),
  );
  return [...byPlace.values()];
}

function escaped(word: string): string {
  return word.replace(/[$]/g, "\\$&");
}

const maxAsked = 12;

/**
 * Removes imports and exports that servers list in addition to their declaration. An implementation also leads elsewhere in some languages,
 * but isn't removed.
 */
async function withoutAliases(call: IdeCall, items: readonly SymbolItem[]): Promise<readonly SymbolItem[]> {
  if (items.length < 2 || items.length > maxAsked || !call.can("definition")) return items;
  const isAlias = await Promise.all(items.map((item) => leadsElsewhere(call, item, items)));
  const declared = items.filter((_, index) => isAlias[index] === false);
  return declared.length > 0 ? declared : items;
}

async function leadsElsewhere(call: IdeCall, item: SymbolItem, items: readonly SymbolItem[]): Promise<boolean> {
  const { start } = item.selectionRange;
  if (!isPassedOn(await call.documents.sourceLine(item.uri, start.line))) return false;
  const { items: targets } = await call.ask("definition", { uri: item.uri, position: start });
  return targets.some(({ uri, range }) => {
    const target = items.find((one) => {
      return normalFileUri(one.uri) === normalFileUri(uri) && meets(one.selectionRange, range.start, 1);
    });
    return target !== undefined && target !== item;
  });
}

/** Whether a line imports or exports names, or contains only a name as part of such a statement. */
function isPassedOn(source: string): boolean {
  return /^(?:pub(?:\([^)]*\))?\s+use|use|import|export|from)\b|^(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+)?,?$/.test(source);
}
