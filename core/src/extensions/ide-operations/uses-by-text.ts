import { fileUri, normalFileUri } from "../../base/file-uri.js";
import type { Location, Position } from "../../base/ide-operations/place.js";
import { counted, type Place, placeLines } from "./answer-text.js";
import { meets } from "./documents.js";
import type { IdeCall } from "./ide-call.js";
import type { WordHit, WordSearch } from "./services.js";
import type { ResolvedSymbol } from "./symbols/resolve-symbol.js";

/** What a search for the bare word found that the language server did not name. */
interface WordCheck {
  /** Places that lead to the symbol all the same: the server's list is incomplete. */
  readonly missed: readonly Place[];
  /** Places that lead nowhere: texts, and code that the server does not understand. */
  readonly unresolved: readonly Place[];
  /** Places in comments, which nobody is asked about. */
  readonly comments: number;
  /** Places that belong to other symbols of the name. */
  readonly elsewhere: number;
  /** Places that were not looked at. */
  readonly unchecked: number;
  readonly isWhole: boolean;
}

interface WordCheckSubject {
  readonly name: string;
  /** From {@link startWordSearch}. */
  readonly search: Promise<WordSearch>;
  /** What the server named: uses and declarations. */
  readonly known: readonly Location[];
  /** Where a use of the symbol leads. */
  readonly declarations: readonly Location[];
}

const maxHits = 5_000;
const maxQuestions = 24;
const maxShown = 8;

/** Looks for the name of a symbol, while the language server is asked about it. */
export function startWordSearch(call: IdeCall, { name, uri }: ResolvedSymbol): Promise<WordSearch> {
  const query = { folder: call.paths.folder, word: name, extensions: sourceFamily(uri), limit: maxHits };
  const search = call.services.searchWord(query, call.signal);
  // Whoever asked may fail before it is looked at.
  search.catch(() => undefined);
  return search;
}

/** Asks of each place of the word that is not `known` where it leads. */
export async function checkByWord(call: IdeCall, subject: WordCheckSubject): Promise<WordCheck> {
  const { name, search, known, declarations } = subject;
  const { hits, isWhole } = await search;
  const knownByFile = byFile(known);
  const further = hits.filter((hit) => !isAmong(knownByFile.get(fileUri(hit.path)) ?? [], hit, name));
  const inCode = further.filter(({ path, source, character }) => !isInComment(path, source, character));
  const places = inCode.map(toPlace);
  const asked = places.slice(0, maxQuestions);
  const declaredByFile = byFile(declarations);
  const missed: Place[] = [];
  const unresolved: Place[] = [];
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

function toPlace({ path, line, character }: WordHit): Place {
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

/** What the check found, as lines. */
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
    ...(await titled(call, `word search: ${counted(missed.length, "use")} that the server left out:`, missed)),
    ...(await titled(call, `word search: ${unresolved.length} not resolved:`, unresolved)),
    ...(rest.length > 0 ? [`word search: ${rest.join(", ")}`] : []),
    ...(isAll ? ["word search: no more"] : []),
  ];
}

async function titled(call: IdeCall, title: string, places: readonly Place[]): Promise<string[]> {
  if (places.length === 0) return [];
  const more = places.length > maxShown ? [`… and ${places.length - maxShown} more`] : [];
  return [title, ...(await placeLines(call, places.slice(0, maxShown))), ...more];
}

/** Endings of file names that one symbol may be used across. */
const families: readonly (readonly string[])[] = [
  ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte"],
  ["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl", "m", "mm"],
  ["py", "pyi"],
  ["java", "kt", "kts", "scala", "groovy"],
];

/** Endings of languages whose comments begin with `#`. */
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

/** Whether what stands at `character` looks like part of a comment, by the line alone. */
export function isInComment(path: string, source: string, character: number): boolean {
  const before = source.slice(0, character);
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  if (hashComments.has(extension)) return /(?:^|\s)#/.test(before);
  // The slashes of an address follow a colon.
  return /^\s*\*(?!\/)|(?<!:)\/\/|\/\*(?!.*\*\/)/.test(before);
}

/** The endings of the files in which something declared in `path` may be used; undefined where the file has none. */
function sourceFamily(path: string): readonly string[] | undefined {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase();
  if (extension === undefined) return undefined;
  return families.find((family) => family.includes(extension)) ?? [extension];
}
