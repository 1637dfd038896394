import { contains, type Range } from "../../../base/ide-operations/place.js";
import type { OutlineItem, SymbolItem } from "../../../base/ide-operations/symbol-item.js";
import { maxIdeItems } from "../../../base/ide-operations/wire.js";
import type { IdeCall } from "../ide-call.js";

/** A declaration with what it stands in, from the outermost. */
export interface PlacedSymbol {
  readonly item: SymbolItem;
  readonly containers: readonly string[];
}

interface OutlineEntry extends PlacedSymbol {
  readonly item: OutlineItem;
  /** It stands inside a function: locals that only some servers list. */
  readonly isLocal: boolean;
}

/** The declarations of one file, parents first. */
export async function outlineOf(call: IdeCall, uri: string): Promise<readonly OutlineEntry[]> {
  return entriesOf((await call.ask("documentSymbols", { uri, limit: maxIdeItems })).items);
}

/** Those of a file that may not be code. */
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

/** The extent of the declaration whose name is `range`, where the outline knows it. */
export function extentOf(entries: readonly OutlineEntry[], range: Range): Range | undefined {
  return entries.findLast(({ item }) => contains(item.selectionRange, range.start))?.item.range;
}

/**
 * The symbols that a qualified name means, of those whose own name fits: where qualifiers are the very names of
 * containers, the others are left out; else where an `impl … for Type` is the type's; else where they occur at all.
 * Names of modules may stand in `path`.
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

/** Without what servers append: `area()`, `println!`, `(*Circle).Area`. What is more than a name stays as it is. */
export function plainName(name: string): string {
  if (name.length > 500 || /^[\p{ID_Continue}$]+ /u.test(name)) return name;
  return /([\p{ID_Continue}$~@-]+)(?:<.*>)?(?:\(.*\))?!?$/u.exec(name)?.[1] ?? name;
}

/** 0 when a qualifier is found nowhere; higher the better the last one fits. */
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
