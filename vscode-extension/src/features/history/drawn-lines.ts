/**
 * The lines of a list that gets others while it is open. VS Code says which line was pressed by its place in the list that it was last
 * given, and the user presses in the one that is drawn, which may be older: the line that was meant has that place in it.
 */
export class DrawnLines<Line> {
  #drawn: readonly Line[] = [];
  #latest: readonly Line[] = [];

  /** `reached` resolves when the window draws what it was given, and what was pressed before is known. */
  constructor(private readonly reached: () => Promise<void>) {}

  /** Whether the user may still see lines of before. */
  get isBehind(): boolean {
    return this.#drawn !== this.#latest && this.#drawn.length > 0;
  }

  /** The list has just got these. Resolves when the user sees them. */
  async gave(lines: readonly Line[]): Promise<void> {
    this.#latest = lines;
    await this.reached();
    this.#drawn = lines;
  }

  /** What the user means by what VS Code says was pressed. Undefined where that cannot be told: it is to be pressed again. */
  meant(line: Line): Line | undefined {
    // Before the first list there was none to press in.
    return this.#drawn.length === 0 ? line : this.#drawn[this.#latest.indexOf(line)];
  }
}
