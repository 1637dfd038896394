import { compareLocations, type Location } from "../../../ide-operations/place.js";
import { maxIdeItems } from "../../../ide-operations/wire.js";
import type { IdeCall } from "../ide-call.js";
import { resolveSymbol, type ResolvedSymbol } from "../symbols/resolve-symbol.js";
import { counted } from "../text/bounded.js";
import { placeLines, shownPlace } from "../text/place-lines.js";
import { stateMark } from "../text/state-mark.js";
import { checkByWord, startWordSearch, wordCheckLines } from "../word-check.js";
import { normalUri } from "../workspace-paths.js";
import { type IdeToolEntry, offsetProperty, symbolProperty } from "./ide-tool.js";

const pageSize = 100;

/** The uses of a symbol. */
export const referencesTool: IdeToolEntry = {
  name: "find_references",
  description: "Every use of a symbol, checked against a word search.",
  needs: ["references", "definition", "documentSymbols"],
  properties: { symbol: symbolProperty, offset: offsetProperty },
  required: ["symbol"],
  async run(call, args) {
    const symbol = await resolveSymbol(call, args.required("symbol"));
    const offset = args.offset();
    const search = offset === 0 ? startWordSearch(call, symbol) : undefined;
    const { uses, declarations, total } = await usesOf(call, symbol);
    const page = uses.slice(offset, offset + pageSize);
    const known = [...uses, ...declarations, ownPlace(symbol)];
    const isListed = total === uses.length;
    const check =
      search && isListed
        ? await wordCheckLines(call, await checkByWord(call, { name: symbol.name, search, known, declarations }))
        : [];
    const files = new Set(uses.map(({ uri }) => normalUri(uri))).size;
    const [declared] = declarations;
    const place = declared ? ` (${shownPlace(call, declared.uri, declared.range.start)})` : "";
    const next = offset + page.length;
    return [
      `${symbol.name}${place}: ${counted(total, "use")} in ${counted(files, "file")} ${stateMark(call.state)}`,
      ...(await placeLines(
        call,
        page.map(({ uri, range }) => ({ uri, position: range.start })),
      )),
      ...(next < uses.length ? [`… ${uses.length - next} more from offset ${next}`] : []),
      ...check,
    ].join("\n");
  },
};

export interface Uses {
  /** In order, without the declarations. */
  readonly uses: readonly Location[];
  /** Where the uses lead. */
  readonly declarations: readonly Location[];
  /** Of all uses, also of those beyond what one answer holds. */
  readonly total: number;
}

/** The uses of a symbol, and where they lead. */
export async function usesOf(call: IdeCall, { uri, position }: ResolvedSymbol): Promise<Uses> {
  const found = await call.ask("references", { uri, position, includeDeclaration: false, limit: maxIdeItems });
  const { items: declarations } = await call.ask("definition", { uri, position });
  const places = new Set(declarations.map(keyOf));
  const uses = found.items.filter((use) => !places.has(keyOf(use))).toSorted(compareLocations);
  return { uses, declarations, total: found.total - (found.items.length - uses.length) };
}

function ownPlace({ uri, position, name }: ResolvedSymbol): Location {
  return { uri, range: { start: position, end: { ...position, character: position.character + name.length } } };
}

function keyOf({ uri, range }: Location): string {
  return `${normalUri(uri)}:${range.start.line}:${range.start.character}`;
}
