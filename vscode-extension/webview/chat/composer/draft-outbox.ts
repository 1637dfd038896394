import type { Draft } from "../../../protocol/index.js";

/**
 * Passes drafts on at most once every `intervalMs` per tab, the newest last; `flush` sends what waits at once, which
 * is due before the page goes away.
 */
export class DraftOutbox {
  readonly #waiting = new Map<string, Draft>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly deliver: (tabId: string, draft: Draft) => void,
    private readonly intervalMs = 300,
  ) {}

  put(tabId: string, draft: Draft): void {
    this.#waiting.set(tabId, draft);
    this.#timer ??= setTimeout(() => this.flush(), this.intervalMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const drafts = [...this.#waiting];
    this.#waiting.clear();
    for (const [tabId, draft] of drafts) this.deliver(tabId, draft);
  }
}
