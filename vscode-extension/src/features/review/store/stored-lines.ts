/**
 * Entries of a list that stays open while its contents change. VS Code reports a press by index in the latest list, but the user may press
 * in an older list that is still drawn, so entries never move: removed entries stay inactive, and new entries are appended.
 */
export class StoredLines<Line> {
  readonly #lines = new Map<string, Line>();

  constructor(private readonly gone: (last: Line) => Line) {}

  has(key: string): boolean {
    return this.#lines.has(key);
  }

  with(lines: ReadonlyMap<string, Line>): Line[] {
    for (const [key, last] of this.#lines) if (!lines.has(key)) this.#lines.set(key, this.gone(last));
    for (const [key, line] of lines) this.#lines.set(key, line);
    return [...this.#lines.values()];
  }
}
