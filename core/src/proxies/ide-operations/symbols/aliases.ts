import type { SymbolItem } from "../../../ide-operations/symbol-item.js";
import { meets } from "../documents.js";
import type { IdeCall } from "../ide-call.js";
import { normalUri } from "../workspace-paths.js";

const maxAsked = 12;

/**
 * Without the imports and exports that servers list beside the declaration they lead to. An implementation leads to
 * what it implements in some languages, and is none.
 */
export async function withoutAliases(call: IdeCall, items: readonly SymbolItem[]): Promise<readonly SymbolItem[]> {
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
      return normalUri(one.uri) === normalUri(uri) && meets(one.selectionRange, range.start, 1);
    });
    return target !== undefined && target !== item;
  });
}

/** Whether a line imports or exports names, or is a name alone, as in the list of such a statement. */
function isPassedOn(source: string): boolean {
  return /^(?:pub(?:\([^)]*\))?\s+use|use|import|export|from)\b|^(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+)?,?$/.test(source);
}
