import { fileUri } from "../../../ide-operations/file-uri.js";
import type { SymbolItem } from "../../../ide-operations/symbol-item.js";
import type { IdeCall } from "../ide-call.js";
import { normalUri } from "../workspace-paths.js";
import { matchingSymbols, plainName } from "./name-match.js";
import { outlineOf, type PlacedSymbol } from "./outline.js";

/** Files whose outlines are read to tell symbols of one name apart. */
const maxOutlines = 20;
const maxSearchHits = 400;
const maxFound = 200;

/**
 * The declarations in the workspace that a qualified name means. Servers that find nothing by name are asked for the
 * outlines of the files in which the word stands.
 */
export async function findNamed(call: IdeCall, names: readonly string[]): Promise<readonly SymbolItem[]> {
  const name = names.at(-1) ?? "";
  const found = await workspaceSymbols(call, name);
  if (found.length > 0 && names.length === 1) return withoutRepeats(found);
  const files = found.length > 0 ? found.map(({ uri }) => normalUri(uri)) : await filesWith(call, name);
  const outlined = await declarationsIn(call, [...new Set(files)], names);
  if (outlined.length > 0) return withoutRepeats(outlined);
  const placed = found.map((item): PlacedSymbol => ({
    item,
    containers: item.container === undefined ? [] : [item.container],
  }));
  return withoutRepeats(
    matchingSymbols(placed, names, ({ item }) => call.paths.shown(item.uri)).map(({ item }) => item),
  );
}

async function workspaceSymbols(call: IdeCall, name: string): Promise<readonly SymbolItem[]> {
  if (!call.can("workspaceSymbols")) return [];
  const { items } = await call.ask("workspaceSymbols", { query: name, limit: maxFound });
  return items.filter((item) => plainName(item.name) === name);
}

/** The files in which the word stands, those that use it most first: a declaration is seldom its only use. */
async function filesWith(call: IdeCall, word: string): Promise<readonly string[]> {
  const query = { folder: call.paths.folder, word, extensions: undefined, limit: maxSearchHits };
  const { hits } = await call.services.searchWord(query, call.signal);
  const counts = new Map<string, number>();
  for (const { path } of hits) counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([path]) => fileUri(path));
}

async function declarationsIn(
  call: IdeCall,
  uris: readonly string[],
  names: readonly string[],
): Promise<readonly SymbolItem[]> {
  const placed: PlacedSymbol[] = [];
  for (const uri of uris.slice(0, maxOutlines)) {
    const entries = await outlineOf(call, uri);
    placed.push(...entries.filter(({ item, isLocal }) => !isLocal && plainName(item.name) === names.at(-1)));
  }
  return matchingSymbols(placed, names, ({ item }) => call.paths.shown(item.uri)).map(({ item }) => item);
}

function withoutRepeats(items: readonly SymbolItem[]): readonly SymbolItem[] {
  const byPlace = new Map(
    items.map((item) => {
      const { line, character } = item.selectionRange.start;
      return [`${normalUri(item.uri)}:${line}:${character}`, item];
    }),
  );
  return [...byPlace.values()];
}
