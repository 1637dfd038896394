import { contains, type Range } from "../../../base/ide-operations/place.js";
import type { OutlineItem, SymbolItem } from "../../../base/ide-operations/symbol-item.js";
import { maxIdeItems } from "../../../base/ide-operations/wire.js";
import type { IdeCall } from "../ide-call.js";

/** A declaration with its containers, outermost first. */
export interface PlacedSymbol {
  readonly item: SymbolItem;
  readonly containers: readonly string[];
}

interface OutlineEntry extends PlacedSymbol {
  readonly item: OutlineItem;
  /** Whether the declaration is inside a function. Only some servers list such locals. */
  readonly isLocal: boolean;
}

/** Returns the declarations of a file, parents first. */
export async function outlineOf(call: IdeCall, uri: string): Promise<readonly OutlineEntry[]> {
  return entriesOf((await call.ask("documentSymbols", { uri, limit: maxIdeItems })).items);
}

/** Returns the outline of a file that may not be code. */
export async function perhapsOutlineOf(call: IdeCall, uri: string): Promise<readonly OutlineEntry[]> {
  return entriesOf((await call.askPerhaps("documentSymbols", { uri, limit: maxIdeItems })).items);
}

function entriesOf(items: readonly OutlineItem[]): readonly OutlineEntry[] {
  const open: OutlineItem[] = [];
  return items.map((item) => {
    open.length = Math.min(open.length, item.depth);
    const containers =
      open.length > 0 ? open.map(({ name }) => name) : item.container === undefined ? [] : [item.container];
    const isLocal = open.some(({ kind }) => kind === "function" || kind === "method" || kind === "constructor");
    open.push(item);
    return { item, containers, isLocal };
  });
}

/** Returns the full range of the declaration whose name is at `range`; undefined if the outline doesn't list it. */
export function extentOf(entries: readonly OutlineEntry[], range: Range): Range | undefined {
  return entries.findLast(({ item }) => contains(item.selectionRange, range.start))?.item.range;
}

/**
 * Returns the best matches of a qualified name among symbols with its last part. An exact container name is better than `impl … for Type`,
 * which is better than any other occurrence. Module names may match in `path`.
 */
export function matchingSymbols<E extends PlacedSymbol>(
  symbols: readonly E[],
  names: readonly string[],
  pathOf: (symbol: E) => string,
): readonly E[] {
  const qualifiers = names.slice(0, -1);
  const ranked = symbols
    .filter(({ item }) => plainName(item.name) === names.at(-1))
    .map((symbol) => ({ symbol, rank: rankOf(symbol.containers, pathOf(symbol), qualifiers) }))
    .filter(({ rank }) => rank > 0);
  const best = Math.max(...ranked.map(({ rank }) => rank), 0);
  return ranked.filter(({ rank }) => rank === best).map(({ symbol }) => symbol);
}

/** Removes the additions of servers, as in `area()`, `println!` and `(*Circle).Area`. Names with more text stay unmodified. */
export function plainName(name: string): string {
  if (name.length > 500 || /^[\p{ID_Continue}$]+ /u.test(name)) return name;
  return /([\p{ID_Continue}$~@-]+)(?:<.*>)?(?:\(.*\))?!?$/u.exec(name)?.[1] ?? name;
}

/** Returns 0 if a qualifier doesn't match at all; otherwise higher values for a better match of the last one. */
function rankOf(containers: readonly string[], path: string, qualifiers: readonly string[]): number {
  const ranks = qualifiers.map((qualifier) => rankOfOne(containers, path, qualifier));
  return ranks.includes(0) ? 0 : (ranks.at(-1) ?? 1);
}

function rankOfOne(containers: readonly string[], path: string, qualifier: string): number {
  const nearest = (containers.at(-1) ?? "").replace(/<[^<>]*>/g, "");
  if (nearest === qualifier || nearest === `impl ${qualifier}`) return 4;
  if (wordsOf(nearest).at(-1) === qualifier) return 3;
  if (containers.some((container) => wordsOf(container).includes(qualifier))) return 2;
  return wordsOf(path).includes(qualifier) ? 1 : 0;
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{ID_Continue}$]+/gu) ?? [];
}
