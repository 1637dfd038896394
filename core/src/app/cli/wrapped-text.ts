import stringWidth from "fast-string-width";

/** Minimum terminal width, in columns, for wrapping lines. */
const minColumns = 20;
/** Width in columns of a likely word. If this many columns remain, an incomplete word is shown immediately. */
const likelyWord = 20;

/** Wraps streamed text between words. Buffers an incomplete word near the end of a row. */
export class WrappedText {
  #held = "";
  #column = 0;
  #lead = 0;
  /** Whether part of a word has been shown, so that its row can't change. */
  #isInWord = false;

  /** `columns` is called each time, since terminals change size. */
  constructor(private readonly columns: () => number) {}

  push(piece: string): string {
    const text = this.#held + piece;
    let drawn = "";
    let end = 0;
    for (const { 0: word, index } of text.matchAll(/\n|[^\S\n]*\S+(?=\s)/g)) {
      drawn += this.#place(word);
      end = index + word.length;
    }
    const rest = text.slice(end);
    const isShown = /\S/.test(rest) && this.#column + stringWidth(rest) + likelyWord <= this.columns();
    this.#held = isShown ? "" : rest;
    return isShown ? drawn + this.#place(rest, true) : drawn;
  }

  /** Returns the buffered text. The next piece starts a new line. */
  end(): string {
    const drawn = this.#place(this.#held);
    this.#held = "";
    this.indent(0);
    return drawn;
  }

  /** Sets the column at which the text starts. Continuation rows start at column `lead`. */
  indent(columns: number, lead = 0): void {
    this.#isInWord = false;
    this.#column = columns;
    this.#lead = lead;
  }

  #place(word: string, isBeginning = false): string {
    if (word === "\n") {
      this.indent(0);
      return word;
    }
    const columns = this.columns();
    const width = stringWidth(word);
    const isRest = this.#isInWord && /^\S/.test(word);
    this.#isInWord = isBeginning;
    if (isRest || this.#column <= this.#lead || this.#column + width <= columns || columns - this.#lead < minColumns) {
      this.#column += width;
      return word;
    }
    const moved = word.trimStart();
    this.#column = this.#lead + stringWidth(moved);
    return `\n${" ".repeat(this.#lead)}${moved}`;
  }
}

/** Wraps a line between words. Continuation rows align with the first word, indented by `hang` columns. */
export function wrapped(line: string, columns: number, hang = 0): string {
  const [indent = ""] = /^ */.exec(line) ?? [];
  const text = new WrappedText(() => columns);
  text.indent(indent.length, indent.length + hang);
  return indent + text.push(line.slice(indent.length)) + text.end();
}

/**
 * Formats text for a stream. In a terminal, wraps lines between words and continues table lines below their last column; leaves JSON
 * unmodified.
 */
export function forScreen(
  text: string,
  { isTTY, columns = 80 }: { readonly isTTY?: boolean; readonly columns?: number },
): string {
  if (isTTY !== true) return text;
  const lines = text.split("\n").map((line) => {
    if (/^[[{]/.test(line)) return line;
    const [indent = ""] = /^ */.exec(line) ?? [];
    const [before = ""] = /^.*\S {2,}(?=\S)/.exec(line) ?? [];
    const lead = stringWidth(before) - indent.length;
    return wrapped(line, columns, before !== "" && lead < columns / 2 ? lead : 0);
  });
  return lines.join("\n");
}
