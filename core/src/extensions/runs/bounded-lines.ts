/** First and last lines of a long text. The lines between them are only counted. */
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

  /** Number of omitted lines. */
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

  /** Returns the stored lines, with one line that states the number of omitted lines. `more` is added to that number. */
  toLines(more = 0): string[] {
    const omitted = this.omitted + more;
    return [...this.#head, ...(omitted > 0 ? [omission(omitted)] : []), ...this.tail];
  }
}

/** Returns the line shown in place of `count` omitted lines. */
export function omission(count: number): string {
  return `… ${count} ${count === 1 ? "line" : "lines"} left out …`;
}

/** Returns the number of omitted lines that a line made by {@link omission} states; undefined for other lines. */
export function omittedIn(line: string): number | undefined {
  const count = /^\s*… (\d+) lines? left out …$/.exec(line)?.[1];
  return count === undefined ? undefined : Number(count);
}

const maxLineLength = 400;

/** Cuts a long line and appends the number of omitted characters. */
export function cutLine(line: string, max = maxLineLength): string {
  return line.length <= max ? line : `${line.slice(0, max)}… ${line.length - max} characters left out`;
}
