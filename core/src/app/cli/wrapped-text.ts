import stringWidth from "fast-string-width";

/** With less room, lines are left to the terminal. */
const minColumns = 20;
/** With more room behind it, a word is shown before it is whole. */
const likelyWord = 20;

/** Breaks text that comes in pieces between words. Holds back the beginning of a word near the end of a row. */
export class WrappedText {
  #held = "";
  #column = 0;
  #lead = 0;
  /** The beginning of a word has been shown, and its row cannot change. */
  #isInWord = false;

  /** `columns` is asked each time: windows change. */
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

  /** Returns what was held back. The next piece begins a line. */
  end(): string {
    const drawn = this.#place(this.#held);
    this.#held = "";
    this.indent(0);
    return drawn;
  }

  /** Counts what stands before the text on its line. Further rows of this line begin at column `lead`. */
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

/** Breaks a line between words. Its further rows begin below its first word, or `hang` columns further. */
export function wrapped(line: string, columns: number, hang = 0): string {
  const [indent = ""] = /^ */.exec(line) ?? [];
  const text = new WrappedText(() => columns);
  text.indent(indent.length, indent.length + hang);
  return indent + text.push(line.slice(indent.length)) + text.end();
}

/** The text for a stream: in a terminal, its lines are broken between words, and those of a table below the last column. JSON stays. */
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
