import type { OperationState } from "../../../base/ide-operations/operation-state.js";
import type { Position } from "../../../base/ide-operations/place.js";
import type { SymbolItem } from "../../../base/ide-operations/symbol-item.js";
import { indexesOfWord, indexOfWord, wordAt } from "../documents.js";
import type { IdeCall } from "../ide-call.js";
import { stateMark } from "../answer-text.js";
import { findNamed } from "./find-named.js";
import { matchingSymbols, outlineOf, plainName } from "./outline.js";
import { parseSymbolAddress, pathHint, symbolError } from "./symbol-address.js";

/** The symbol that a call refers to, as a place for queries. */
export interface ResolvedSymbol {
  readonly name: string;
  readonly uri: string;
  readonly position: Position;
  /** Declaration of the symbol, if it was found by name. */
  readonly item?: SymbolItem;
}

const hints: Readonly<Record<OperationState["kind"], string>> = {
  ready: 'Search for it with `symbols`; find a library\'s declaration from one of its uses, as in "file:12#name".',
  loading: "Ask again in a moment.",
  degraded: "Fix what is missing, or search the text.",
};
const maxShownChoices = 10;
const maxPlacesInLine = 6;

/** Returns the symbol with this address. Throws `invalid-arguments` if there is none or several, and lists the choices. */
export async function resolveSymbol(call: IdeCall, address: string): Promise<ResolvedSymbol> {
  const [symbol, ...others] = await resolveSymbols(call, address);
  if (symbol === undefined) throw notFound(call, address);
  if (others.length === 0) return symbol;
  const all = [symbol, ...others];
  const shown = all.slice(0, maxShownChoices).map((choice) => choiceLine(call, choice));
  const more = all.length > shown.length ? `\n… and ${all.length - shown.length} more` : "";
  const hint = `Give the place or the full name of one of these:\n${shown.join("\n")}${more}`;
  throw symbolError(address, `means ${all.length} symbols`, hint);
}

/** Returns all symbols with this address, at least one. Throws `invalid-arguments` if there is none. */
export async function resolveSymbols(call: IdeCall, text: string): Promise<readonly ResolvedSymbol[]> {
  const address = parseSymbolAddress(text);
  if (address.kind === "position" || address.kind === "word") return [await atPlace(call, text, address)];
  const items = address.kind === "name" ? await findNamed(call, address.names) : await members(call, text, address);
  if (items.length === 0) throw notFound(call, text);
  return Promise.all(items.map((item) => ofItem(call, item)));
}

interface PlaceAddress {
  readonly path: string;
  readonly line: number;
  readonly column?: number;
  readonly word?: string;
}

async function atPlace(
  call: IdeCall,
  text: string,
  { path, line, column, word }: PlaceAddress,
): Promise<ResolvedSymbol> {
  const uri = await existing(call, text, path);
  const lines = await call.documents.lines(uri);
  const source = lines[line - 1];
  if (source === undefined)
    throw symbolError(text, `is past the end: the file has ${lines.length} lines`, "Read the file again.");
  if (word !== undefined) {
    const places = indexesOfWord(source, word).map((character) => ({ line: line - 1, character }));
    const position = await firstWithMeaning(call, uri, places);
    if (position) return { name: word, uri, position };
    throw symbolError(text, `does not occur in that line: ${source.trim()}`, "Read the file again.");
  }
  const at = wordAt(source, (column ?? 1) - 1);
  if (!at)
    throw symbolError(
      text,
      `does not point to a name: ${source.trim()}`,
      `Name it instead, as in "${path}:${line}#name".`,
    );
  return { name: at.word, uri, position: { line: line - 1, character: at.start } };
}

/** Prefers an occurrence with a definition, since another one in the line may be in a string. */
async function firstWithMeaning(
  call: IdeCall,
  uri: string,
  places: readonly Position[],
): Promise<Position | undefined> {
  const [first] = places;
  if (places.length < 2 || !call.can("definition")) return first;
  for (const position of places.slice(0, maxPlacesInLine)) {
    if ((await call.ask("definition", { uri, position, limit: 1 })).items.length > 0) return position;
  }
  return first;
}

async function members(
  call: IdeCall,
  text: string,
  { path, names }: { readonly path: string; readonly names: readonly string[] },
): Promise<readonly SymbolItem[]> {
  const uri = await existing(call, text, path);
  const entries = await outlineOf(call, uri);
  const declared = matchingSymbols(entries, names, ({ item }) => call.paths.shown(item.uri)).map(({ item }) => item);
  if (declared.length > 0) return declared;
  if (entries.length === 0 && call.state.kind !== "ready") throw notFound(call, text);
  const word = names.at(-1) ?? "";
  const line = (await call.documents.lines(uri)).findIndex((source) => indexOfWord(source, word) !== -1);
  if (line === -1) throw symbolError(text, "does not occur in that file", "Search for it with `symbols`.");
  throw symbolError(
    text,
    `is not declared in that file ${stateMark(call.state)}`,
    `It occurs there; to ask about a use, write "${path}:${line + 1}#${word}".`,
  );
}

async function existing(call: IdeCall, text: string, path: string): Promise<string> {
  const uri = call.paths.uriOf(path);
  if ((await call.documents.text(uri)) !== undefined) return uri;
  throw symbolError(text, `names an unreadable file: ${call.paths.shown(uri)}`, pathHint);
}

async function ofItem(call: IdeCall, item: SymbolItem): Promise<ResolvedSymbol> {
  const name = plainName(item.name);
  return { name, uri: item.uri, position: await nameWithin(call, item, name), item };
}

/** Finds the name in the range, since some servers return the range of the whole declaration. */
async function nameWithin(call: IdeCall, item: SymbolItem, name: string): Promise<Position> {
  const { start, end } = item.selectionRange;
  const lines = await call.documents.lines(item.uri);
  for (let line = start.line; line <= Math.min(end.line, start.line + 20); line++) {
    const character = indexOfWord(lines[line] ?? "", name, line === start.line ? start.character : 0);
    if (character !== -1) return { line, character };
  }
  return start;
}

function choiceLine(call: IdeCall, { name, uri, position, item }: ResolvedSymbol): string {
  const place = `${call.paths.shown(uri)}:${position.line + 1}:${position.character + 1}`;
  const inside = item?.container === undefined ? "" : ` in ${item.container}`;
  return `${place} ${item?.kind ?? ""} ${name}${inside}`;
}

function notFound(call: IdeCall, address: string): Error {
  return symbolError(address, `isn't a known symbol ${stateMark(call.state)}`, hints[call.state.kind]);
}
