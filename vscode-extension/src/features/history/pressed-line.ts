/**
 * Finds the line that the user saw when pressing in a list. VS Code reports the index in the latest list, but the user may have pressed the
 * line with this index in an older list that was still drawn.
 */
export class DrawnLines<Line> {
  #drawn: readonly Line[] = [];
  #latest: readonly Line[] = [];

  /** `reached` resolves when the window has drawn the latest list and earlier presses have arrived. */
  constructor(private readonly reached: () => Promise<void>) {}

  /** True if the user may still see an older list. */
  get isBehind(): boolean {
    return this.#drawn !== this.#latest && this.#drawn.length > 0;
  }

  /** Records a new list. Resolves when the user sees the list. */
  async gave(lines: readonly Line[]): Promise<void> {
    this.#latest = lines;
    await this.reached();
    this.#drawn = lines;
  }

  /** Returns the line the user saw at the index of the reported `line`; undefined if unknown, so that the user has to press again. */
  meant(line: Line): Line | undefined {
    return this.#drawn.length === 0 ? line : this.#drawn[this.#latest.indexOf(line)];
  }
}
