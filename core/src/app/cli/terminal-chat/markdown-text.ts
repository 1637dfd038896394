import stringWidth from "fast-string-width";
import type { Style } from "../style.js";
import { wrapped, WrappedText } from "../wrapped-text.js";
import { safeText } from "./safe-text.js";

type Paint = (text: string) => string;

interface InlineParser {
  parseInline(text: string, env: object): readonly { readonly children: readonly InlineToken[] | null }[];
}

interface InlineToken {
  readonly type: string;
  readonly content: string;
  attrGet(name: string): string | number | null;
}

const marker = /^(\s*)((?:> ?)+|[-*+] +|\d{1,9}[.)] +)?/;

/** Draws streamed Markdown: plain lines word by word, other lines when complete, tables when they end. */
export class MarkdownText {
  #held = "";
  #fence: string | undefined;
  #rows: string[] = [];
  #words: WrappedText | undefined;

  constructor(
    private readonly parser: InlineParser,
    private readonly style: Style,
    private readonly columns: () => number,
  ) {}

  push(piece: string): string {
    const lines = (this.#held + piece).split("\n");
    this.#held = lines.pop() ?? "";
    return lines.map((line) => this.#finish(line)).join("") + this.#begin();
  }

  /** Returns the remaining text without a final line break. The next piece starts a new text. */
  end(): string {
    const isOpen = this.#words !== undefined || this.#held !== "";
    const drawn = (isOpen ? this.#finish(this.#held) : "") + this.#endTable();
    this.#held = "";
    this.#words = undefined;
    this.#fence = undefined;
    return drawn.replace(/\n$/, "");
  }

  #finish(line: string): string {
    if (this.#words) {
      const rest = this.#words.push(this.#inline(line)) + this.#words.end();
      this.#words = undefined;
      return `${rest}\n`;
    }
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (this.#fence !== undefined) {
      const isEnd = fence?.startsWith(this.#fence) === true && line.trim() === fence;
      if (isEnd) this.#fence = undefined;
      return `${isEnd ? this.style.dim(line) : this.style.cyan(line)}\n`;
    }
    if (fence === undefined && /^\s*\|.*\|\s*$/.test(line)) {
      this.#rows.push(line.trim());
      return "";
    }
    this.#fence = fence;
    return `${this.#endTable()}${fence === undefined ? this.#text(line) : this.style.dim(line)}\n`;
  }

  /** Draws the safe part of an incomplete line: everything before open markup. */
  #begin(): string {
    if (this.#fence !== undefined) return "";
    let drawn = "";
    if (!this.#words) {
      const [{ length } = "", before = "", sign = ""] = marker.exec(this.#held) ?? [];
      const first = this.#held.slice(length, length + 1);
      if (!(sign === "" ? /[^-#`~|*_>+=\d\s]/ : /[\p{L}\p{N}]/u).test(first)) return "";
      const { text, width } = this.#lead(before, sign);
      drawn = this.#endTable() + text;
      this.#words = new WrappedText(this.columns);
      this.#words.indent(width, width);
      this.#held = this.#held.slice(length);
    }
    const sure = [this.#held, this.#held.replace(/\S*$/, "")].find((text) => !hasMarkup(this.parser, text)) ?? "";
    this.#held = this.#held.slice(sure.length);
    return drawn + this.#words.push(this.#inline(sure));
  }

  #text(line: string): string {
    const [, heading] = /^ {0,3}#{1,6} +(.*?)(?: +#+)? *$/.exec(line) ?? [];
    if (heading !== undefined) return wrapped(this.#inline(heading, this.#bold), this.columns());
    if (/^ {0,3}([-*_])(?: *\1){2,} *$/.test(line)) return this.style.dim("─".repeat(Math.min(40, this.columns())));
    const [all = "", before = "", sign = ""] = marker.exec(line) ?? [];
    const { text, width } = this.#lead(before, sign);
    const words = new WrappedText(this.columns);
    words.indent(width, width);
    return text + words.push(this.#inline(line.slice(all.length))) + words.end();
  }

  #lead(before: string, sign: string): { readonly text: string; readonly width: number } {
    const indent = before.replaceAll("\t", "    ");
    const shown = sign.startsWith(">") ? "│ ".repeat(sign.split(">").length - 1) : sign.replace(/^[-*+]/, "•");
    return { text: indent + this.style.dim(shown), width: indent.length + shown.length };
  }

  readonly #bold: Paint = (text) => this.style.bold(text);

  #inline(text: string, paint: Paint = (plain) => plain): string {
    const paints: Paint[] = [paint];
    const links: string[] = [];
    const opened: Readonly<Record<string, Paint>> = {
      strong_open: this.#bold,
      em_open: (part) => this.style.italic(part),
      s_open: (part) => this.style.dim(part),
      link_open: (part) => this.style.underline(part),
    };
    let drawn = "";
    for (const token of inlineTokens(this.parser, text)) {
      const added = opened[token.type];
      if (token.type === "link_open") links.push(String(token.attrGet("href") ?? ""));
      if (added) paints.push(added);
      else if (token.type.endsWith("_close")) paints.pop();
      else if (token.type === "code_inline") drawn += this.style.cyan(safeText(token.content));
      else drawn += paints.reduce((painted, one) => one(painted), safeText(token.content));
      if (token.type !== "link_close") continue;
      const address = safeText(links.pop() ?? "");
      if (!text.includes(`<${address}>`)) drawn += this.style.dim(` (${address})`);
    }
    return drawn;
  }

  #endTable(): string {
    const lines = this.#rows;
    this.#rows = [];
    const rows = lines
      .filter((line) => !/^[|:\- ]+$/.test(line))
      .map((line) => line.slice(1, -1).split(/(?<!\\)\|/))
      .map((cells, index) =>
        cells.map((cell) => this.#inline(cell.trim().replaceAll("\\|", "|"), index === 0 ? this.#bold : undefined)),
      );
    const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ""))));
    const isWide = widths.reduce((sum, width) => sum + width + 2, 0) > this.columns();
    const padded = (cell: string, column: number): string =>
      cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(cell)));
    return rows
      .map((row) => (isWide ? wrapped(row.join(" · "), this.columns(), 2) : row.map(padded).join("  ").trimEnd()))
      .map((row) => `${row}\n`)
      .join("");
  }
}

function inlineTokens(parser: InlineParser, text: string): readonly InlineToken[] {
  return parser.parseInline(text, {})[0]?.children ?? [];
}

/** Whether the text contains characters that later text could complete to markup. */
function hasMarkup(parser: InlineParser, text: string): boolean {
  return inlineTokens(parser, text).some(({ type, content }) => type !== "code_inline" && /[*_`~[\]&\\]/.test(content));
}
