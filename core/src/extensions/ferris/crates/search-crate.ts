import { LineMatches, type LinePattern } from "../../packages/text/line-search.js";
import type { LocatedCrate, SearchArea } from "./crate-locator.js";

/** Finds matching lines in a crate's text files, ordered by path; source files come first. */
export async function searchCrate(
  crate: LocatedCrate,
  pattern: LinePattern,
  area: SearchArea,
  page: { readonly offset: number; readonly limit: number },
  signal: AbortSignal,
): Promise<LineMatches> {
  const lines = new LineMatches(pattern, page);
  for (const path of await pathsOf(crate, area)) {
    if (signal.aborted) break;
    const text = await crate.folder.read(path);
    if (text !== undefined) lines.add(path, text);
  }
  return lines;
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
