import { normalFileUri } from "../../../base/file-uri.js";
import { compareLocations, type Location } from "../../../base/ide-operations/place.js";
import { maxIdeItems } from "../../../base/ide-operations/wire.js";
import type { IdeCall } from "../ide-call.js";
import { resolveSymbol, type ResolvedSymbol } from "../symbols/resolve-symbol.js";
import { counted, type ShownPlace, placeLines, shownPlace, stateMark } from "../answer-text.js";
import { checkByWord, startWordSearch, wordCheckLines } from "../missed-uses.js";
import { type IdeToolEntry, offsetProperty, symbolProperty } from "./ide-tool.js";

const pageSize = 100;
const maxOthers = 30;

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
    const { uses, declarations, others, total } = await usesOf(call, symbol);
    const page = uses.slice(offset, offset + pageSize);
    const known = [...uses, ...declarations, ...others, ownPlace(symbol)];
    const isListed = total === uses.length;
    const check =
      search && isListed
        ? await wordCheckLines(call, await checkByWord(call, { name: symbol.name, search, known, declarations }))
        : [];
    const files = new Set(uses.map(({ uri }) => normalFileUri(uri))).size;
    const [declared] = declarations;
    const place = declared ? ` (${shownPlace(call, declared.uri, declared.range.start)})` : "";
    const next = offset + page.length;
    return [
      `${symbol.name}${place}: ${counted(total, "use")} in ${counted(files, "file")} ${stateMark(call.state)}`,
      ...(await placeLines(call, page.map(toPlace))),
      ...(next < uses.length ? [`… ${uses.length - next} more from offset ${next}`] : []),
      ...(offset === 0 ? await otherLines(call, others) : []),
      ...check,
    ].join("\n");
  },
};

interface Uses {
  /** Sorted uses, without declarations. */
  readonly uses: readonly Location[];
  /** Definitions that the server returns for the symbol. */
  readonly declarations: readonly Location[];
  /** Further declarations according to the server: in some languages imports, and implementations of the symbol. */
  readonly others: readonly Location[];
  /** Number of all uses, even if one answer can't list them all. */
  readonly total: number;
}

async function usesOf(call: IdeCall, symbol: ResolvedSymbol): Promise<Uses> {
  const { uri, position } = symbol;
  const asked = { uri, position, limit: maxIdeItems };
  const [found, all, { items: declarations }] = await Promise.all([
    call.ask("references", { ...asked, includeDeclaration: false }),
    call.ask("references", { ...asked, includeDeclaration: true }),
    call.ask("definition", { uri, position }),
  ]);
  const declared = new Set(declarations.map(keyOf));
  const uses = found.items.filter((use) => !declared.has(keyOf(use))).toSorted(compareLocations);
  const named = new Set([...uses, ...declarations, ownPlace(symbol)].map(keyOf));
  const others = all.items.filter((one) => !named.has(keyOf(one))).toSorted(compareLocations);
  return { uses, declarations, others, total: found.total - (found.items.length - uses.length) };
}

async function otherLines(call: IdeCall, others: readonly Location[]): Promise<readonly string[]> {
  if (others.length === 0) return [];
  const more = others.length > maxOthers ? [`… and ${others.length - maxOthers} more`] : [];
  const lines = await placeLines(call, others.slice(0, maxOthers).map(toPlace));
  return [`imported or declared in ${counted(others.length, "further place")}:`, ...lines, ...more];
}

function toPlace({ uri, range }: Location): ShownPlace {
  return { uri, position: range.start };
}

function ownPlace({ uri, position, name }: ResolvedSymbol): Location {
  return { uri, range: { start: position, end: { ...position, character: position.character + name.length } } };
}

function keyOf({ uri, range }: Location): string {
  return `${normalFileUri(uri)}:${range.start.line}:${range.start.character}`;
}
