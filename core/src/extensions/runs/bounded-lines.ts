/** The first and the last lines of a text of any length; those between are counted, not kept. */
export class BoundedLines {
  readonly #head: string[] = [];
  #tail: string[] = [];
  #length = 0;

  constructor(
    private readonly headLength: number,
    private readonly tailLength: number,
  ) {}

  get length(): number {
    return this.#length;
  }

  /** How many lines were not kept. */
  get omitted(): number {
    return Math.max(0, this.#length - this.#head.length - this.tailLength);
  }

  get head(): readonly string[] {
    return this.#head;
  }

  get tail(): readonly string[] {
    return this.#tail.slice(-this.tailLength);
  }

  push(line: string): void {
    this.#length++;
    if (this.#head.length < this.headLength) {
      this.#head.push(cutLine(line));
      return;
    }
    this.#tail.push(cutLine(line));
    if (this.#tail.length > this.tailLength * 2) this.#tail = this.#tail.slice(-this.tailLength);
  }

  pushAll(lines: Iterable<string>): this {
    for (const line of lines) this.push(line);
    return this;
  }

  /** The kept lines, with one that says how many are missing where some are; `more` are missing from before. */
  toLines(more = 0): string[] {
    const omitted = this.omitted + more;
    return [...this.#head, ...(omitted > 0 ? [omission(omitted)] : []), ...this.tail];
  }
}

/** The line that stands for `count` lines that are not shown. */
export function omission(count: number): string {
  return `… ${count} ${count === 1 ? "line" : "lines"} left out …`;
}

/** How many lines a line stands for that is an {@link omission}; undefined for any other. */
export function omittedIn(line: string): number | undefined {
  const count = /^\s*… (\d+) lines? left out …$/.exec(line)?.[1];
  return count === undefined ? undefined : Number(count);
}

const maxLineLength = 400;

/** The line, or its beginning with the number of characters that are missing. */
export function cutLine(line: string, max = maxLineLength): string {
  return line.length <= max ? line : `${line.slice(0, max)}… ${line.length - max} characters left out`;
}
