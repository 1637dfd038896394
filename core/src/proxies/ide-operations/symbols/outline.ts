import { contains, type Position, type Range } from "../../../ide-operations/place.js";
import { maxIdeItems } from "../../../ide-operations/wire.js";
import type { OutlineItem, SymbolItem } from "../../../ide-operations/symbol-item.js";
import type { IdeCall } from "../ide-call.js";

/** A declaration with what it stands in, from the outermost. */
export interface PlacedSymbol {
  readonly item: SymbolItem;
  readonly containers: readonly string[];
}

export interface OutlineEntry extends PlacedSymbol {
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

/** The innermost declaration whose name, or else whose extent, is at a position. */
export function symbolAt<E extends PlacedSymbol>(entries: readonly E[], at: Position): E | undefined {
  const named = entries.findLast(({ item }) => contains(item.selectionRange, at));
  return named ?? entries.findLast(({ item }) => contains(item.range, at));
}

/** The extent of the declaration whose name is `range`, where the outline knows it. */
export function extentOf(entries: readonly OutlineEntry[], range: Range): Range | undefined {
  return entries.findLast(({ item }) => contains(item.selectionRange, range.start))?.item.range;
}
