import { fileUri, normalFileUri } from "../../base/file-uri.js";
import type { Location, Position } from "../../base/ide-operations/place.js";
import { counted, type ShownPlace, placeLines } from "./answer-text.js";
import { meets } from "./documents.js";
import type { IdeCall } from "./ide-call.js";
import type { WordHit, WordSearch } from "./services.js";
import type { ResolvedSymbol } from "./symbols/resolve-symbol.js";

/** Matches of the word that the language server didn't return. */
interface WordCheck {
  /** Uses of the symbol that the server's list lacks. */
  readonly missed: readonly ShownPlace[];
  /** Places without a definition: strings, and code that the server doesn't understand. */
  readonly unresolved: readonly ShownPlace[];
  /** Number of matches in comments, which aren't checked. */
  readonly comments: number;
  /** Number of matches that belong to other symbols. */
  readonly elsewhere: number;
  /** Number of unchecked matches. */
  readonly unchecked: number;
  readonly isWhole: boolean;
}

interface WordCheckSubject {
  readonly name: string;
  /** Result of {@link startWordSearch}. */
  readonly search: Promise<WordSearch>;
  /** Uses and declarations from the server. */
  readonly known: readonly Location[];
  /** Definitions of the symbol. */
  readonly declarations: readonly Location[];
}

const maxHits = 5_000;
const maxQuestions = 24;
const maxShown = 8;

/** Starts a word search for the symbol's name, in parallel to the language server's query. */
export function startWordSearch(call: IdeCall, { name, uri }: ResolvedSymbol): Promise<WordSearch> {
  const query = { folder: call.paths.folder, word: name, extensions: sourceFamily(uri), limit: maxHits };
  const search = call.services.searchWord(query, call.signal);
  // Avoids an unhandled rejection if the query fails first.
  search.catch(() => undefined);
  return search;
}

/** Asks the language server for the definition of each match that isn't `known`. */
export async function checkByWord(call: IdeCall, subject: WordCheckSubject): Promise<WordCheck> {
  const { name, search, known, declarations } = subject;
  const { hits, isWhole } = await search;
  const knownByFile = byFile(known);
  const further = hits.filter((hit) => !isAmong(knownByFile.get(fileUri(hit.path)) ?? [], hit, name));
  const inCode = further.filter(({ path, source, character }) => !isInComment(path, source, character));
  const places = inCode.map(toPlace);
  const asked = places.slice(0, maxQuestions);
  const declaredByFile = byFile(declarations);
  const missed: ShownPlace[] = [];
  const unresolved: ShownPlace[] = [];
  let elsewhere = 0;
  const answers = await Promise.all(asked.map(({ uri, position }) => call.ask("definition", { uri, position })));
  for (const [index, place] of asked.entries()) {
    const items = answers[index]?.items ?? [];
    const leads = items.some((item) =>
      isAmong(declaredByFile.get(normalFileUri(item.uri)) ?? [], item.range.start, name),
    );
    if (leads) missed.push(place);
    else if (items.length === 0) unresolved.push(place);
    else elsewhere++;
  }
  const comments = further.length - inCode.length;
  return { missed, unresolved, comments, elsewhere, unchecked: places.length - asked.length, isWhole };
}

function toPlace({ path, line, character }: WordHit): ShownPlace {
  return { uri: fileUri(path), position: { line, character } };
}

function byFile(locations: readonly Location[]): ReadonlyMap<string, readonly Location[]> {
  const files = new Map<string, Location[]>();
  for (const location of locations) {
    const uri = normalFileUri(location.uri);
    const inFile = files.get(uri);
    if (inFile) inFile.push(location);
    else files.set(uri, [location]);
  }
  return files;
}

function isAmong(locations: readonly Location[], at: Position, name: string): boolean {
  return locations.some(({ range }) => meets(range, at, name.length));
}

export async function wordCheckLines(call: IdeCall, check: WordCheck): Promise<string[]> {
  const { missed, unresolved, comments, elsewhere, unchecked, isWhole } = check;
  const rest = [
    ...(comments > 0 ? [`${comments} in comments`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} of other symbols`] : []),
    ...(unchecked > 0 ? [`${unchecked} not checked`] : []),
    ...(isWhole ? [] : ["stopped before the end"]),
  ];
  const isAll = missed.length + unresolved.length + rest.length === 0;
  return [
    ...(await titled(call, `word search: ${counted(missed.length, "use")} that the server missed:`, missed)),
    ...(await titled(call, `word search: ${unresolved.length} not resolved:`, unresolved)),
    ...(rest.length > 0 ? [`word search: ${rest.join(", ")}`] : []),
    ...(isAll ? ["word search: no more"] : []),
  ];
}

async function titled(call: IdeCall, title: string, places: readonly ShownPlace[]): Promise<string[]> {
  if (places.length === 0) return [];
  const more = places.length > maxShown ? [`… and ${places.length - maxShown} more`] : [];
  return [title, ...(await placeLines(call, places.slice(0, maxShown))), ...more];
}

/** File name extensions of languages that share symbols. */
const families: readonly (readonly string[])[] = [
  ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte"],
  ["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl", "m", "mm"],
  ["py", "pyi"],
  ["java", "kt", "kts", "scala", "groovy"],
];

/** Extensions of languages whose comments start with `#`. */
const hashComments: ReadonlySet<string> = new Set([
  "py",
  "pyi",
  "rb",
  "sh",
  "bash",
  "pl",
  "r",
  "jl",
  "ex",
  "exs",
  "nim",
]);

/** Whether the position seems to be in a comment, judged only by its line. */
export function isInComment(path: string, source: string, character: number): boolean {
  const before = source.slice(0, character);
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  if (hashComments.has(extension)) return /(?:^|\s)#/.test(before);
  // In a URL, `//` follows a colon.
  return /^\s*\*(?!\/)|(?<!:)\/\/|\/\*(?!.*\*\/)/.test(before);
}

/** Returns the extensions of files that may use a symbol from `path`; undefined if `path` has no extension. */
function sourceFamily(path: string): readonly string[] | undefined {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase();
  if (extension === undefined) return undefined;
  return families.find((family) => family.includes(extension)) ?? [extension];
}
