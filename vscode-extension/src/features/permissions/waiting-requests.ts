import type { AbilitySession } from "../../acp/abilities.js";

/** What a request that waits for the user is about, for a notification. */
interface WaitingRequest {
  readonly tabId: string;
  readonly agentName: string;
  readonly title: string;
}

/** Whoever asks, as far as counting needs it. */
type AskingTab = Pick<AbilitySession, "tabId" | "agent" | "publish">;

/**
 * Counts what waits for the user, of whatever feature: each tab's number goes into its state, the sum to
 * `changed`. `asked` hears of every new one.
 */
export class WaitingRequests {
  readonly #byTab = new Map<string, number>();

  constructor(
    private readonly listener: {
      changed?(total: number): void;
      asked?(request: WaitingRequest): void;
    } = {},
  ) {}

  get total(): number {
    return [...this.#byTab.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Counts one more until the result is called, once. */
  add(session: AskingTab, title: string): () => void {
    this.#change(session, 1);
    this.listener.asked?.({ tabId: session.tabId, agentName: session.agent.name, title });
    let isOpen = true;
    return () => {
      if (isOpen) this.#change(session, -1);
      isOpen = false;
    };
  }

  #change(session: AskingTab, by: 1 | -1): void {
    const count = (this.#byTab.get(session.tabId) ?? 0) + by;
    if (count > 0) this.#byTab.set(session.tabId, count);
    else this.#byTab.delete(session.tabId);
    session.publish({ op: "tab", patch: { waiting: count } });
    this.listener.changed?.(this.total);
  }
}
