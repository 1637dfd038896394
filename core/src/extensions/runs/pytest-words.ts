import type { RunnerWords } from "./runner-words.js";

const counts = /\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?|rerun)/;
const end = new RegExp(
  `^(?:=+ )?(${counts.source}(?:, ${counts.source})*) in [\\d.]+s(?: \\([\\d:, days]+\\))?(?: =+)?$`,
);
const title = /^_{2,} (.+?) _{2,}$/;
/** Headings of sections that contain no source excerpt. */
const partEnd = /^(?:=+ .+ =+|-{3,} .+ -{3,})$/;

/** Patterns of pytest's default output, whose last line contains the result. */
export const pytestWords: RunnerWords = {
  name: "pytest",
  verdict(lines) {
    const ends = lines.flatMap((line) => end.exec(line)?.[1] ?? []);
    const [text] = ends;
    const begins = lines.filter((line) => /^=+ test session starts =+$/.test(line)).length;
    if (ends.length !== 1 || text === undefined || begins > 1) return undefined;
    return { text, isFailed: /\b[1-9]\d* (?:failed|errors?)\b/.test(text) };
  },
  told(lines) {
    const titles = new Set(lines.flatMap((line) => title.exec(line)?.[1] ?? []));
    const isListed = listed(lines, titles);
    const told: string[] = [];
    let isCalls = false;
    lines.forEach((line, index) => {
      const name = title.exec(line)?.[1];
      if (name !== undefined) {
        isCalls = hasCalls(lines, index + 1);
        told.push(name);
      } else if (partEnd.test(line)) {
        isCalls = false;
        const part = /^[=-]+ (.+?) [=-]+$/.exec(line)?.[1] ?? "";
        if (!of(part) && !end.test(line)) told.push(`${part}:`);
      } else if (!isChrome(line) && !(isCalls && isSource(line)) && !isListed(line)) told.push(line);
    });
    return told;
  },
};

/** Whether a failure is shown with stack frames and a marked error line. A doctest's failure isn't, and its text looks like source code. */
function hasCalls(lines: readonly string[], from: number): boolean {
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? "";
    if (title.test(line) || partEnd.test(line)) return false;
    if (/^E {3}/.test(line)) return true;
  }
  return false;
}

/** Whether the heading of a section can be omitted. */
function of(part: string): boolean {
  return /^(?:test session starts|FAILURES|ERRORS|short test summary info)$/.test(part);
}

/** Whether a line shows only settings or progress. */
function isChrome(line: string): boolean {
  return (
    end.test(line) ||
    /^platform \S+ -- Python |^(?:cachedir|rootdir|configfile|plugins|created|Using --randomly-seed): |^collect(?:ing|ed) \S+/.test(
      line,
    ) ||
    /^\d+ workers \[\d+ items?\]$|^\[gw\d+\] \S+ -- Python |^(?:_ )+_?$|^-- Docs: https:\/\/docs\.pytest\.org/.test(
      line,
    ) ||
    /^(?:\S+\.py )?[.sxXFE]+ +\[ *\d+%\]$/.test(line) ||
    /^\S+::.+ PASSED +\[ *\d+%\]$|^\[gw\d+\] +\[ *\d+%\] PASSED \S+::/.test(line)
  );
}

/** Whether a line belongs to the source excerpt around the failed line, which starts with `>`. */
function isSource(line: string): boolean {
  return /^ {4}/.test(line) || /^ +\^+$/.test(line);
}

/** Returns a filter for summary lines of tests whose failure is already shown with its file. A run can have thousands of such lines. */
function listed(lines: readonly string[], titles: ReadonlySet<string>): (line: string) => boolean {
  const around = new Set([...titles].flatMap((one) => /^ERROR at (?:setup|teardown) of (.+)$/.exec(one)?.[1] ?? []));
  const places = lines.filter((line) => /^\S+:\d+: /.test(line));
  const known = new Map<string, boolean>();
  const isPlaced = (file: string): boolean => {
    const found = known.get(file) ?? places.some((place) => place.includes(`${file}:`));
    known.set(file, found);
    return found;
  };
  return (line) => {
    const [, kind, file = "", test] = /^(FAILED|ERROR) (.+?\.py)(?:::(.+?))?(?: - .*)?$/.exec(line) ?? [];
    if (kind === undefined) return false;
    const name = test?.replaceAll("::", ".");
    const isFound =
      name === undefined
        ? titles.has(`ERROR collecting ${file}`)
        : kind === "FAILED"
          ? titles.has(name)
          : around.has(name);
    return isFound && isPlaced(file);
  };
}
