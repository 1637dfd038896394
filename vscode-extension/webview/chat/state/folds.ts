/** What the user has unfolded and folded, by a key for each foldable part; what was never touched keeps its default. */
export class Folds {
  readonly #isOpen = new Map<string, boolean>();

  isOpen(key: string, byDefault: boolean): boolean {
    return this.#isOpen.get(key) ?? byDefault;
  }

  set(key: string, isOpen: boolean): void {
    this.#isOpen.set(key, isOpen);
  }
}
