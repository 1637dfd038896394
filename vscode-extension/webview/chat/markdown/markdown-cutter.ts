/** A code fence at the start of a line that has not ended yet; its code begins at `codeStart` of the text. */
interface OpenFence {
  readonly language: string;
  readonly codeStart: number;
}

interface Fence {
  readonly marker: string;
  readonly isTopLevel: boolean;
  readonly open: OpenFence;
}

const fenceLine =
  /^(?<container>(?:[ \t]*(?:[-*+]|\d{1,9}[.)]|>)(?=[ \t]|$))*[ \t]*)(?<marker>`{3,}|~{3,})(?<info>.*)$/u;
const headingLine = /^#{1,6}(?:[ \t]|$)/u;
/** What certainly begins a block of its own after an empty line: neither a list's item nor something inside one. */
const freshLine = /^(?:[^\s\d\-*+]|\*\*|\d+[^\d.)])/u;

/**
 * Cuts Markdown that grows into pieces that later text cannot change, so that each is parsed once. A cut stands where a
 * new top-level block certainly begins; what is uncertain stays in the tail. It decides by whole lines only.
 */
export class MarkdownCutter {
  #text = "";
  #cut = 0;
  #scanned = 0;
  #isAfterBlank = true;
  #fence: Fence | undefined;

  /** The text after the last cut. */
  get tail(): string {
    return this.#text.slice(this.#cut);
  }

  /** Set while the tail is one code block that is still being written. */
  get openFence(): OpenFence | undefined {
    return this.#fence?.isTopLevel === true ? this.#fence.open : undefined;
  }

  /** Takes the text as it is now and returns the pieces that were finished by it; undefined where it is not a longer form of the last one. */
  extend(text: string): string[] | undefined {
    if (!text.startsWith(this.#text)) return undefined;
    this.#text = text;
    const pieces: string[] = [];
    for (let end = text.indexOf("\n", this.#scanned); end !== -1; end = text.indexOf("\n", this.#scanned)) {
      const start = this.#scanned;
      this.#scanned = end + 1;
      const at = this.#cutAt(text.slice(start, end), start);
      if (at === undefined || at <= this.#cut) continue;
      pieces.push(text.slice(this.#cut, at));
      this.#cut = at;
    }
    return pieces;
  }

  /** Where the line allows a cut: before it, or after it where it ends a code block. */
  #cutAt(line: string, start: number): number | undefined {
    const wasAfterBlank = this.#isAfterBlank;
    const groups = fenceLine.exec(line)?.groups;
    const { container = "", marker = "", info = "" } = groups ?? {};
    this.#isAfterBlank = false;
    if (this.#fence !== undefined) {
      const isEnd = marker.startsWith(this.#fence.marker) && info.trim() === "" && container.trim() === "";
      if (!isEnd) return undefined;
      const { isTopLevel } = this.#fence;
      this.#fence = undefined;
      return isTopLevel ? this.#scanned : undefined;
    }
    // The info of a fence of backticks has none: such a line is code within a paragraph.
    if (groups !== undefined && !(marker.startsWith("`") && info.includes("`"))) {
      const isTopLevel = container === "";
      const language = info.trim().split(/[\s,{]/u)[0] ?? "";
      this.#fence = { marker, isTopLevel, open: { language, codeStart: this.#scanned } };
      return isTopLevel ? start : undefined;
    }
    if (line.trim() === "") {
      this.#isAfterBlank = true;
      return undefined;
    }
    return headingLine.test(line) || (wasAfterBlank && freshLine.test(line)) ? start : undefined;
  }
}
