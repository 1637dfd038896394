import { LineMatches, type LinePattern } from "./text/line-search.js";
import { joined, type PackageFiles } from "./package-files.js";
import type { PackageFolders } from "./package-folder.js";
import { type InstalledPackage, type PackageReader, type SourceKind, sourceKinds } from "./package-reader.js";

interface SearchQuestion {
  readonly pattern: LinePattern;
  /** Kind of files to search; undefined for all kinds. */
  readonly kind?: SourceKind | undefined;
  /** Number of matches to skip. */
  readonly offset: number;
  readonly limit: number;
}

export interface SearchAnswer {
  /** Matches as `FILE:LINE: TEXT`; long lines are cut around the match. */
  readonly matches: readonly string[];
  /** Number of all matching lines, including lines that aren't shown. */
  readonly total: number;
  readonly searched: number;
  /** Number of files that were skipped because their long lines suggest minified code. */
  readonly minified: number;
  /** Reason why the search is incomplete; undefined if it is complete. */
  readonly broken?: string;
}

const maxSearchedBytes = 64 * 1024 * 1024;
/**
 * Number of searched bytes between pauses. Source map and archive contents are available synchronously, so without pauses the search would
 * delay cancellation and other tasks.
 */
const pauseBytes = 1024 * 1024;

/**
 * Finds matching lines in a package, first in types and sources, then in built code. Searches the sources in source maps instead of the
 * code built from them, and skips minified files.
 */
export async function searchPackage(
  files: PackageFiles,
  folders: PackageFolders,
  found: InstalledPackage,
  reader: PackageReader,
  { pattern, kind, ...page }: SearchQuestion,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const { files: paths, isWhole } = await folders.paths(found);
  const mapped = kind === undefined || kind === "source" ? await folders.sources(found) : undefined;
  const virtual = mapped?.texts ?? new Map<string, string>();
  const there = new Set(paths);
  const isMade = (path: string): boolean => virtual.size > 0 && there.has(`${path}.map`);
  const rank = (path: string): number => (virtual.has(path) ? 1 : sourceKinds.indexOf(reader.kindOf(path)));
  const isWanted = (path: string): boolean =>
    !path.endsWith(".map") && (kind === undefined ? !isMade(path) : reader.kindOf(path) === kind);
  const wanted = [...paths.filter(isWanted), ...virtual.keys()].toSorted((left, right) => rank(left) - rank(right));
  const lines = new LineMatches(pattern, page);
  let [searched, minified, bytes, pauseAt] = [0, 0, 0, pauseBytes];
  for (const path of wanted) {
    if (bytes > pauseAt) {
      pauseAt = bytes + pauseBytes;
      await new Promise<void>((resolve) => setTimeout(resolve, 0));
    }
    if (signal.aborted || bytes > maxSearchedBytes) break;
    const text = virtual.get(path) ?? (await files.read(joined(found.folder, path)));
    if (text === undefined) continue;
    bytes += text.length;
    if (isMinified(path, text)) {
      minified++;
      continue;
    }
    searched++;
    lines.add(path, text);
  }
  const broken = signal.aborted
    ? "the search was cancelled"
    : bytes > maxSearchedBytes || !isWhole || mapped?.isWhole === false
      ? "the package is too large to search completely: search one kind of file"
      : undefined;
  return { matches: lines.matches, total: lines.total, searched, minified, ...(broken !== undefined && { broken }) };
}

function isMinified(path: string, text: string): boolean {
  if (!/\.(?:[cm]?js|css)$/.test(path)) return false;
  return /[.-]min\.[cm]?\w+$/.test(path) || text.length / text.split("\n").length > 300;
}
