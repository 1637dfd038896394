import { escapedPattern } from "../../../base/star-pattern.js";
import { type Marks, maskedText } from "./masked-text.js";

/** How a language declares names in formatted source files, in which the lines of a block are indented. */
export interface Declaring {
  /** Delimiters of comments and strings. */
  readonly marks: readonly Marks[];
  /** Returns a pattern for lines that declare a name. `name` is the source of a pattern; the first group that matches is the name. */
  top(name: string): RegExp;
  /** Like `top`, for lines that declare a member of a type. */
  member(name: string): RegExp;
  /** Matches declarations that have members. */
  readonly type: RegExp;
  /** Matches the first line of a comment or annotation that belongs to the declaration below it. */
  readonly above: RegExp;
  /** Matches members that only their package may use. */
  readonly hidden: RegExp;
}

/** Maximum lines of a shown declaration; types with more lines are shown with one line per member. */
const maxShownLines = 40;
const maxMembers = 60;
const maxText = 6_000;
/** Lines with more characters aren't handwritten, and patterns could take long. */
const maxLine = 2_000;
const anyName = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;

/** A line that declares a member, as an index that starts at 0. */
interface Member {
  readonly name: string;
  readonly at: number;
}

/**
 * Finds declarations in a source file by the patterns of their first lines, their brackets and their indentation. Lines are indexes that
 * start at 0. Each call takes at most linear time for any text, so don't call it for every line; except `around` and `enclosing`, which take
 * that time once for all lines.
 */
export class DeclaringLines {
  /** The text without comments and strings. */
  readonly masked: string;
  /** The least indentation of all lines. */
  readonly level: number;
  readonly #lines: readonly string[];
  readonly #masked: readonly string[];
  #innermost: readonly (number | undefined)[] | undefined;

  /** `path` is relative to the package's folder. */
  constructor(
    readonly path: string,
    text: string,
    private readonly declaring: Declaring,
  ) {
    const plain = text.replaceAll("\r\n", "\n");
    this.#lines = plain.split("\n");
    this.masked = maskedText(plain, declaring.marks);
    this.#masked = this.masked.split("\n");
    this.level = this.#masked.reduce((least, _, at) => Math.min(least, this.#indent(at)), Infinity);
  }

  /** Returns the lines that declare the name. Prefers those with the least indentation. */
  named(name: string): readonly number[] {
    const found = this.declaringLines(name);
    const least = found.reduce((known, at) => Math.min(known, this.#indent(at)), Infinity);
    return found.filter((at) => this.#indent(at) === least);
  }

  /** Returns the lines that declare the name, with any indentation. */
  declaringLines(name: string): readonly number[] {
    return this.matching(this.declaring.top(escapedPattern(name))).map(({ at }) => at);
  }

  /** Returns the names that lines with the least indentation declare, except hidden ones. */
  get names(): readonly string[] {
    return this.declared().map(({ name }) => name);
  }

  /** Like `names`, for lines that match another pattern too. */
  protected declared(also = /(?:)/): readonly Member[] {
    const all = this.matching(this.declaring.top(anyName));
    return all.filter(
      ({ at }) => this.#indent(at) === this.level && !this.#isHidden(at) && also.test(this.#masked[at] ?? ""),
    );
  }

  /** Returns the lines that declare the member in the block that starts at a line. */
  members(of: number, name: string): readonly number[] {
    const found = this.#inside(of, this.declaring.member(escapedPattern(name))).map(({ at }) => at);
    const line = this.#masked[of] ?? "";
    const isInLine = found.length === 0 && this.#end(of) === of && this.declaring.type.test(line);
    return isInLine && new RegExp(String.raw`\{.*(?<![\w$])${escapedPattern(name)}(?![\w$])`).test(line) ? [of] : found;
  }

  /** Returns the lines that have the form of the member's declaration, with any indentation. */
  membersAnywhere(name: string): readonly number[] {
    return this.matching(this.declaring.member(escapedPattern(name))).map(({ at }) => at);
  }

  /** Returns the names that a block declares, except hidden ones. */
  memberNames(of: number): readonly string[] {
    return this.#shownMembers(of).map(({ name }) => name);
  }

  /** Returns the lines that declare members in a block, including hidden ones. */
  memberLines(of: number): readonly number[] {
    return this.#inside(of, this.declaring.member(anyName)).map(({ at }) => at);
  }

  /** Returns the lines that start the blocks around a line, innermost first. */
  enclosing(of: number): readonly number[] {
    const found: number[] = [];
    for (let at = this.around(of); at !== undefined; at = this.around(at)) found.push(at);
    return found;
  }

  /** Returns the line that starts the innermost block around a line. */
  around(of: number): number | undefined {
    this.#innermost ??= this.#findInnermost();
    return this.#innermost[of];
  }

  /** Returns the matching lines, except those inside the block that starts at another of them. */
  outermost(pattern: RegExp): readonly number[] {
    const found: number[] = [];
    let end = -1;
    for (const { at } of this.matching(pattern)) {
      if (at <= end) continue;
      found.push(at);
      end = this.#end(at);
    }
    return found;
  }

  /** Returns the text with only the lines of a block, and blank lines instead of all others. */
  blockText(of: number): string {
    const [from, to] = [this.#headEnd(of), this.#end(of)];
    return this.#lines.map((line, at) => (at > from && at < to ? line : "")).join("\n");
  }

  /** Returns lines without comments and strings. */
  maskedFrom(at: number, count = 1): string {
    return this.#masked.slice(at, at + count).join("\n");
  }

  /** Returns the types that a declaration may extend or embed: the names in its head, and the lines that consist of a name. */
  bases(of: number): readonly string[] {
    const head = this.#masked.slice(of, this.#headEnd(of) + 1).join(" ");
    const named = head.slice(0, maxLine).match(/[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*/gu) ?? [];
    const alone = this.#inside(of, /^\s*\*?(?=\S)([\w.]+)(?:\[.*\])?\s*$/).map(({ name }) => name);
    return [...new Set([...named, ...alone])].slice(0, 40);
  }

  /** Returns the lines that match, with the first group that matches. */
  matching(pattern: RegExp, from = 0, to = this.#masked.length): readonly Member[] {
    const found: Member[] = [];
    for (let at = from; at < to; at++) {
      const line = this.#masked[at] ?? "";
      const groups = line.length > maxLine ? null : pattern.exec(line);
      if (groups) found.push({ at, name: groups.slice(1).find((one: string | undefined) => one !== undefined) ?? "" });
    }
    return found;
  }

  /** Returns a declaration with what is above it. Leaves out the bodies of long declarations. */
  item(at: number): { readonly file: string; readonly line: number; readonly text: string } {
    return { file: this.path, line: at + 1, text: bounded(this.#shown(at)) };
  }

  /** Returns the first lines of a declaration, without its body. */
  head(at: number): string {
    const lines = this.#lines.slice(at, this.#headEnd(at) + 1);
    return lines.join("\n").replace(/\s*\{\s*$/, "");
  }

  #shown(at: number): string {
    const above = this.#lines.slice(this.#start(at), at);
    const left = above.length - maxShownLines;
    const docs = left <= 0 ? above : [...above.slice(0, maxShownLines), `… ${left} more lines of documentation`];
    return [...docs, ...this.#shownBody(at)].join("\n");
  }

  #shownBody(at: number): readonly string[] {
    const end = this.#end(at);
    if (end - at < maxShownLines) return this.#lines.slice(at, end + 1);
    const members = this.declaring.type.test(this.#masked[at] ?? "") ? this.#shownMembers(at) : [];
    const [first] = members;
    const last = Math.min(first ? this.#start(first.at) : Infinity, at + maxShownLines);
    const heads = members.slice(0, maxMembers).map((member) => this.head(member.at));
    const left = first ? members.length - heads.length : end + 1 - last;
    const more = left === 0 ? [] : [`… ${left} more ${first ? "members" : "lines"}`];
    return [this.#lines.slice(at, last).join("\n").trimEnd(), ...heads, ...more];
  }

  #shownMembers(of: number): readonly Member[] {
    return this.#inside(of, this.declaring.member(anyName)).filter(({ at }) => !this.#isHidden(at));
  }

  /** Returns for each line what starts the innermost block around it. */
  #findInnermost(): readonly (number | undefined)[] {
    // Starts of the blocks that are open: each is indented more than the one before.
    const open: { readonly at: number; readonly indent: number }[] = [];
    return this.#masked.map((_, at) => {
      const indent = this.#indent(at);
      const isStart = indent !== Infinity && !this.#continues(at);
      if (isStart) while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
      let [from, to] = [0, open.length];
      // Lines that close a block leave it open, since what follows may continue it: search by halves.
      while (from < to) {
        const middle = (from + to) >> 1;
        if ((open[middle]?.indent ?? 0) < indent) from = middle + 1;
        else to = middle;
      }
      const around = open[from - 1]?.at;
      if (isStart) open.push({ at, indent });
      return around;
    });
  }

  #isHidden(at: number): boolean {
    return this.declaring.hidden.test(this.#masked[at] ?? "");
  }

  /** Returns the matching lines of a block that have its least indentation. */
  #inside(of: number, pattern: RegExp): readonly Member[] {
    const [from, to, own] = [this.#headEnd(of) + 1, this.#end(of) + 1, this.#indent(of)];
    let level = Infinity;
    for (let at = from; at < to; at++) {
      const indent = this.#indent(at);
      if (indent > own && indent < level) level = indent;
    }
    return this.matching(pattern, from, to).filter(({ at }) => this.#indent(at) === level);
  }

  /** Returns a line's indentation; infinity if the line is blank. */
  #indent(at: number, lines = this.#masked): number {
    const line = lines[at] ?? "";
    const space = line.length - line.trimStart().length;
    return space === line.length ? Infinity : space;
  }

  /** Returns the first line of the comments and annotations directly above. */
  #start(of: number): number {
    let start = of;
    for (;;) {
      let at = start - 1;
      if ((this.#lines[at] ?? "").trimEnd().endsWith("*/")) while (at > 0 && !this.#lines[at]?.includes("/*")) at--;
      else for (let depth = this.#depth(at); depth < 0 && at > 0;) depth += this.#depth(--at);
      if (at < 0 || !this.declaring.above.test(this.#lines[at] ?? "")) return start;
      start = at;
    }
  }

  /** Returns the line in which the declaration's body starts, or its only line. */
  #headEnd(of: number): number {
    // In Go, parentheses can contain declarations.
    if (/^\s*\w+\s*\(\s*$/.test(this.#masked[of] ?? "")) return of;
    let depth = 0;
    for (let at = of; at < this.#masked.length; at++) {
      depth += this.#depth(at, "([", ")]");
      if (depth <= 0) return at;
    }
    return of;
  }

  /** Returns the last line of a declaration: brackets are closed, and the next line isn't indented more. */
  #end(of: number): number {
    const own = this.#indent(of);
    let [depth, end] = [0, of];
    for (let at = of; at < this.#masked.length; at++) {
      const indent = this.#indent(at);
      const continues = indent === own && this.#continues(at);
      if (depth <= 0 && at > of && indent !== Infinity && indent <= own && !continues) return end;
      depth += this.#depth(at);
      // Lines of a string or comment belong to the declaration only if they are indented.
      const shown = indent === Infinity ? this.#indent(at, this.#lines) : indent;
      if (shown !== Infinity && (shown > own || continues || depth > 0)) end = at;
    }
    return end;
  }

  /** Whether a line continues the declaration above that has the same indentation. */
  #continues(at: number): boolean {
    return /^\s*(?:[{})\]]|where\b)/.test(this.#masked[at] ?? "");
  }

  /** Returns how many more brackets a line opens than it closes. */
  #depth(at: number, open = "([{", close = ")]}"): number {
    let depth = 0;
    for (const character of this.#masked[at] ?? "") {
      if (open.includes(character)) depth++;
      else if (close.includes(character)) depth--;
    }
    return depth;
  }
}

function bounded(text: string): string {
  return text.length <= maxText
    ? text
    : `${text.slice(0, maxText)}\n… ${text.length - maxText} more characters: read the file`;
}
