import type { AbilitySession } from "../../acp/client-abilities.js";

interface WaitingRequest {
  readonly tabId: string;
  readonly agentName: string;
  readonly title: string;
}

type AskingTab = Pick<AbilitySession, "tabId" | "agent" | "publish">;

export class WaitingRequests {
  readonly #byTab = new Map<string, number>();

  constructor(private readonly asked: (request: WaitingRequest) => void = () => undefined) {}

  /** Adds one open request. The returned function removes it and must be called once. */
  add(session: AskingTab, title: string): () => void {
    this.#change(session, 1);
    this.asked({ tabId: session.tabId, agentName: session.agent.name, title });
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
  }
}
