/**
 * The lines of a list that stays open while its things change. VS Code says which line was pressed by its place in the list that
 * it was last given, and the user presses in the one that is drawn, which may be older: so each line keeps its place. One whose
 * thing is gone stays, and does nothing; what comes stands at the end.
 */
export class StoredLines<Line> {
  readonly #lines = new Map<string, Line>();

  /** `gone` makes the line that stands for one without a thing from what it was last. */
  constructor(private readonly gone: (last: Line) => Line) {}

  has(key: string): boolean {
    return this.#lines.has(key);
  }

  /** The list with these lines, by what each is about. */
  with(lines: ReadonlyMap<string, Line>): Line[] {
    for (const [key, last] of this.#lines) if (!lines.has(key)) this.#lines.set(key, this.gone(last));
    for (const [key, line] of lines) this.#lines.set(key, line);
    return [...this.#lines.values()];
  }
}
