import { attempt } from "../../../base/attempt.js";
import { RE2JS } from "re2js";
import { escapedPattern } from "../../../base/star-pattern.js";

const shownLength = 240;
/** Maximum length of searched lines; longer lines aren't handwritten. */
const maxLineLength = 20_000;
/**
 * Maximum length of a query that is compiled as a regular expression, since compiling a longer one takes too long. Longer queries are
 * searched as plain text.
 */
const maxQueryLength = 1_000;

/** A compiled line search. */
export interface LinePattern {
  /** Returns the position of the first match in a line, in linear time. */
  readonly search: (line: string) => number | undefined;
  /** Reason why the query is searched as plain text; undefined if it is searched as a regular expression. */
  readonly textBecause?: string;
}

/**
 * Compiles `query` as a regular expression, or as plain text if it's invalid; the search is case-sensitive if the query has uppercase
 * letters. Uses an engine without backtracking, since agents write the queries.
 */
export function toPattern(query: string): LinePattern {
  const flags = /\p{Lu}/u.test(query.replace(/\\./g, "")) ? 0 : RE2JS.CASE_INSENSITIVE;
  try {
    if (query.length > maxQueryLength) throw new Error("too long");
    const form = RE2JS.compile(RE2JS.translateRegExp(query), flags);
    const search = (line: string): number | undefined => {
      // `test` is many times faster than a matcher, and most lines don't match.
      if (!form.test(line)) return undefined;
      const matcher = form.matcher(line);
      return matcher.find() ? matcher.start() : undefined;
    };
    return { search };
  } catch {
    const text = new RegExp(escapedPattern(query), flags === 0 ? "" : "i");
    const textBecause = isRegExp(query)
      ? "look-arounds, back-references, long counts and long patterns are not supported"
      : "it isn't a regular expression";
    return { search: (line) => text.exec(line)?.index, textBecause };
  }
}

function isRegExp(query: string): boolean {
  return attempt(() => new RegExp(query)) !== undefined;
}

/** Returns a note if the query was searched as plain text; otherwise an empty string. */
export function textNote({ textBecause }: LinePattern): string {
  return textBecause === undefined ? "" : `, searched for as text: ${textBecause}`;
}

/** Returns the first match in a line; skips lines too long to be handwritten. */
export function matchIn(line: string, { search }: LinePattern): number | undefined {
  return line.length > maxLineLength ? undefined : search(line);
}

/** Trims the end of a line for display. Cuts a long line around the position `at`. */
export function shownLine(line: string, at: number): string {
  const text = line.trimEnd();
  if (text.length <= shownLength) return text.trim();
  const from = Math.max(0, Math.min(at - shownLength / 4, text.length - shownLength));
  const cut = text.slice(from, from + shownLength);
  return `${from > 0 ? "…" : ""}${cut.trim()}${from + shownLength < text.length ? "…" : ""}`;
}

/** Collects the matching lines of files. */
export class LineMatches {
  /** Matches as `FILE:LINE: TEXT`; long lines are cut around the match. */
  readonly matches: string[] = [];
  /** Number of all matching lines, including lines that aren't shown. */
  total = 0;

  /** `offset` is the number of matches to skip. */
  constructor(
    private readonly pattern: LinePattern,
    private readonly page: { readonly offset: number; readonly limit: number },
  ) {}

  add(path: string, text: string): void {
    const { offset, limit } = this.page;
    for (const [index, line] of text.split("\n").entries()) {
      const at = matchIn(line, this.pattern);
      if (at === undefined) continue;
      this.total++;
      if (this.total > offset && this.matches.length < limit)
        this.matches.push(`${path}:${index + 1}: ${shownLine(line, at)}`);
    }
  }
}
