import { type LinePattern, matchIn, shownLine } from "../../packages/text/line-search.js";
import type { LocatedCrate, SearchArea } from "./crate-locator.js";

interface SearchPage {
  /** Number of matches to skip. */
  readonly offset: number;
  readonly limit: number;
}

interface SearchResult {
  /** `FILE:LINE: TEXT`; long lines are cut around the match. */
  readonly matches: readonly string[];
  /** Number of all matching lines, including those not shown. */
  readonly total: number;
}

/** Finds matching lines in a crate's text files, ordered by path; source files come first. */
export async function searchCrate(
  crate: LocatedCrate,
  pattern: LinePattern,
  area: SearchArea,
  { offset, limit }: SearchPage,
  signal: AbortSignal,
): Promise<SearchResult> {
  const matches: string[] = [];
  let total = 0;
  for (const path of await pathsOf(crate, area)) {
    if (signal.aborted) break;
    const text = await crate.folder.read(path);
    if (text === undefined) continue;
    for (const [index, line] of text.split("\n").entries()) {
      const at = matchIn(line, pattern);
      if (at === undefined) continue;
      total++;
      if (total > offset && matches.length < limit) matches.push(`${path}:${index + 1}: ${shownLine(line, at)}`);
    }
  }
  return { matches, total };
}

async function pathsOf({ folder, rootFile }: LocatedCrate, area: SearchArea): Promise<string[]> {
  const paths = await folder.paths();
  const top = rootFile?.includes("/") === true ? rootFile.slice(0, rootFile.indexOf("/") + 1) : "src/";
  const areas: Record<Exclude<SearchArea, "all">, (path: string) => boolean> = {
    src: (path) => path.startsWith(top) || path === rootFile,
    examples: (path) => path.startsWith("examples/"),
    tests: (path) => /^(?:tests|benches)\//.test(path),
  };
  const isWanted = area === "all" ? () => true : areas[area];
  const rank = (path: string): number => (areas.src(path) ? 0 : path.endsWith(".rs") ? 1 : 2);
  return paths.filter(isWanted).toSorted((a, b) => rank(a) - rank(b));
}
