/** Unfinished code block that starts at the beginning of a line. `codeStart` is the position of its code in the text. */
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
/** Matches lines that certainly start a new block after an empty line: lines that are neither a list item nor the content of one. */
const freshLine = /^(?:[^\s\d\-*+]|\*\*|\d+[^\d.)])/u;

/**
 * Splits growing Markdown into final pieces, so that each is parsed once. Cuts only between whole lines where a new top-level block
 * certainly starts; the rest stays in the tail.
 */
export class MarkdownCutter {
  #text = "";
  #cut = 0;
  #scanned = 0;
  #isAfterBlank = true;
  #fence: Fence | undefined;

  get tail(): string {
    return this.#text.slice(this.#cut);
  }

  get openFence(): OpenFence | undefined {
    return this.#fence?.isTopLevel === true ? this.#fence.open : undefined;
  }

  /** Updates the text and returns the pieces that have become final. Returns undefined if the new text doesn't extend the old one. */
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

  /** Returns the position of a possible cut: before the line, or after a line that ends a code block. */
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
    // An info string after backticks can't contain backticks; such a line is inline code.
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
