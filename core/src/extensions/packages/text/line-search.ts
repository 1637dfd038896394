import { RE2JS } from "re2js";
import { escapedPattern } from "../../../base/star-pattern.js";

const shownLength = 240;
/** Longer lines are not searched: no one wrote them by hand. */
const maxLineLength = 20_000;
/** A longer query is text: compiling it takes too long. */
const maxQueryLength = 1_000;

/** A pattern that lines are searched for. */
export interface LinePattern {
  /** Finds the first match in a line, in time proportional to the line's length. */
  readonly search: (line: string) => number | undefined;
  /** Why the query was taken as text instead of as a regular expression; absent when it was not. */
  readonly textBecause?: string;
}

/**
 * Reads `query` as a regular expression, or as text if it is none. Agents write it, so an engine without backtracking runs it. Case
 * counts if the query has upper case.
 */
export function toPattern(query: string): LinePattern {
  const flags = /\p{Lu}/u.test(query.replace(/\\./g, "")) ? 0 : RE2JS.CASE_INSENSITIVE;
  try {
    if (query.length > maxQueryLength) throw new Error("too long");
    const form = RE2JS.compile(RE2JS.translateRegExp(query), flags);
    const search = (line: string): number | undefined => {
      // The test alone is many times faster than a matcher, and most lines do not match.
      if (!form.test(line)) return undefined;
      const matcher = form.matcher(line);
      return matcher.find() ? matcher.start() : undefined;
    };
    return { search };
  } catch {
    const text = new RegExp(escapedPattern(query), flags === 0 ? "" : "i");
    const textBecause = isRegExp(query)
      ? "look-arounds, back-references, long counts and long patterns are not supported"
      : "it is no regular expression";
    return { search: (line) => text.exec(line)?.index, textBecause };
  }
}

function isRegExp(query: string): boolean {
  try {
    return new RegExp(query) instanceof RegExp;
  } catch {
    return false;
  }
}

/** The sentence for an answer about a query that was taken as text; empty for others. */
export function textNote({ textBecause }: LinePattern): string {
  return textBecause === undefined ? "" : `, searched for as text: ${textBecause}`;
}

/** The first match in a line; none in those that no one wrote by hand. */
export function matchIn(line: string, { search }: LinePattern): number | undefined {
  return line.length > maxLineLength ? undefined : search(line);
}

/** A line without what stands around its words; a long one is cut around the place `at`. */
export function shownLine(line: string, at: number): string {
  const text = line.trimEnd();
  if (text.length <= shownLength) return text.trim();
  const from = Math.max(0, Math.min(at - shownLength / 4, text.length - shownLength));
  const cut = text.slice(from, from + shownLength);
  return `${from > 0 ? "…" : ""}${cut.trim()}${from + shownLength < text.length ? "…" : ""}`;
}
