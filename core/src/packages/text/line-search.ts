import { escapedPattern } from "../../base/star-pattern.js";

const shownLength = 240;
/** Of longer lines nothing is searched: no one wrote them by hand. */
const maxLineLength = 20_000;
/** How many characters of a line are searched, by the number of repetitions without an end: each one may multiply the steps. */
const reaches = [2_000, 2_000, 800];
const leastReach = 240;
/** Two to the power of this many ways to match at one place, and this many characters when counted repetitions are written out. */
const maxChoices = 12;
const maxWritten = 2_000;

/** What lines are searched for. */
export interface LinePattern {
  readonly form: RegExp;
  /** Characters of a line, from its beginning, that are searched. */
  readonly reach: number;
  /** Why the query was taken as text instead of as a regular expression; absent when it was not. */
  readonly textBecause?: string;
}

/** A regular expression where `query` is one that is safe to run, else its text; case counts when it has upper case. */
export function toPattern(query: string): LinePattern {
  const flags = /\p{Lu}/u.test(query.replace(/\\./g, "")) ? "" : "i";
  const asText = (textBecause: string): LinePattern => ({
    form: new RegExp(escapedPattern(query), flags),
    reach: maxLineLength,
    textBecause,
  });
  let form: RegExp;
  try {
    form = new RegExp(query, flags);
  } catch {
    return asText("it is no regular expression");
  }
  const endless = endlessRepetitions(query);
  if (endless === undefined) {
    return asText("as a regular expression it could take forever (repeat no group that repeats or chooses inside)");
  }
  return { form, reach: reaches[endless] ?? leastReach };
}

/** The sentence for an answer about a query that was taken as text; empty for others. */
export function textNote({ textBecause }: LinePattern): string {
  return textBecause === undefined ? "" : `, searched for as text: ${textBecause}`;
}

interface Group {
  /** Whether it can match in more than one way: it repeats or chooses inside. */
  varies: boolean;
  alternatives: number;
  /** Its length with counted repetitions written out. */
  written: number;
}

/**
 * The repetitions without an end in a regular expression that is valid without flags `u` and `v`; undefined when matching can
 * take more than a power of the line's length: a repeated group that varies, or too many choices.
 */
function endlessRepetitions(source: string): number | undefined {
  const groups: Group[] = [newGroup()];
  let last = newGroup();
  let [endless, choices] = [0, 0];
  for (let at = 0; at < source.length; at++) {
    const group = groups.at(-1) ?? last;
    const quantifier = quantifierAt(source, at);
    if (quantifier) {
      const { least, most, length } = quantifier;
      if (most > 1 && last.varies) return undefined;
      if (most > least) group.varies = true;
      if (most - least > 8) endless++;
      else choices += Math.log2(most - least + 1);
      group.written += last.written * (Math.max(Number.isFinite(most) ? most : least, 1) - 1);
      at += length - 1;
    } else if (source[at] === "|") {
      group.varies = true;
      group.alternatives++;
    } else if (source[at] === "(") {
      groups.push(newGroup());
      at += /^\((?:\?(?:<?[=!]|<[^>=!]*>|[a-z-]*:))?/.exec(source.slice(at, at + 200))?.[0].slice(1).length ?? 0;
    } else if (source[at] === ")" && groups.length > 1) {
      last = groups.pop() ?? group;
      const outer = groups.at(-1) ?? last;
      choices += Math.log2(last.alternatives);
      outer.varies ||= last.varies;
      last.written ||= 1;
      outer.written += last.written;
    } else {
      if (source[at] === "\\") at++;
      else if (source[at] === "[") at = endOfClass(source, at);
      last = { ...newGroup(), written: 1 };
      group.written++;
    }
  }
  return choices > maxChoices || (groups[0]?.written ?? 0) > maxWritten ? undefined : endless;
}

function newGroup(): Group {
  return { varies: false, alternatives: 1, written: 0 };
}

function quantifierAt(source: string, at: number) {
  const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at, at + 50));
  if (!found) return undefined;
  const [whole, sign, from = "1", comma, to] = found;
  const least = sign === undefined ? Number(from) : sign === "+" ? 1 : 0;
  const most = sign === "?" ? 1 : sign !== undefined || (comma === "," && to === "") ? Infinity : Number(to || from);
  return { least, most, length: whole.length };
}

function endOfClass(source: string, open: number): number {
  for (let at = open + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "]") return at;
  }
  return source.length;
}

/** The first match in a line; none in those that no one wrote by hand, nor behind the pattern's reach. */
export function matchIn(line: string, { form, reach }: LinePattern): number | undefined {
  return line.length > maxLineLength ? undefined : form.exec(line.slice(0, reach))?.index;
}

/** A line without what stands around its words; a long one is cut around the place `at`. */
export function shownLine(line: string, at: number): string {
  const text = line.trimEnd();
  if (text.length <= shownLength) return text.trim();
  const from = Math.max(0, Math.min(at - shownLength / 4, text.length - shownLength));
  const cut = text.slice(from, from + shownLength);
  return `${from > 0 ? "…" : ""}${cut.trim()}${from + shownLength < text.length ? "…" : ""}`;
}
