/**
 * What users began to fill in on cards, by item id. One for the page: cards come and go as the transcript scrolls, what
 * was written stays.
 */
export class CardDrafts {
  readonly #values = new Map<string, Readonly<Record<string, unknown>>>();

  get(itemId: string): Readonly<Record<string, unknown>> {
    return this.#values.get(itemId) ?? {};
  }

  set(itemId: string, values: Readonly<Record<string, unknown>>): void {
    this.#values.set(itemId, values);
  }

  /** The question is answered. */
  forget(itemId: string): void {
    this.#values.delete(itemId);
  }
}
