import {
  applyChange,
  newTranscript,
  type ToWebview,
  type Transcript,
  toWebviewSchema,
} from "../../../protocol/index.js";

/** Message handling of a chat page. A slow page handles messages when `take` is called; others handle them at once. */
export class Page {
  readonly tabs = new Map<string, { transcript: Transcript; index: number; total: number }>();
  readonly messages: ToWebview[] = [];
  #held: (() => void)[] | undefined;

  constructor(isSlow = false) {
    if (isSlow) this.#held = [];
  }

  readonly post = (message: ToWebview): Promise<boolean> => {
    const held = this.#held;
    if (!held) {
      this.#receive(message);
      return Promise.resolve(true);
    }
    return new Promise((resolve) =>
      held.push(() => {
        this.#receive(message);
        resolve(true);
      }),
    );
  };

  /** Lets a slow page take everything that waits for it. */
  take(): void {
    const held = this.#held ?? [];
    this.#held = [];
    for (const receive of held) receive();
  }

  get lastSeen(): Record<string, number> {
    return Object.fromEntries([...this.tabs].map(([tabId, { index }]) => [tabId, index]));
  }

  #receive(raw: ToWebview): void {
    const message = toWebviewSchema.parse(structuredClone(raw));
    this.messages.push(message);
    if (message.type === "snapshot") {
      const transcript = newTranscript(message.state);
      for (const item of message.items) applyChange(transcript, { op: "put", item });
      for (const terminal of message.terminals) transcript.terminals.set(terminal.terminalId, terminal);
      this.tabs.set(message.tabId, { transcript, index: message.index, total: message.total });
    } else if (message.type === "changes") {
      const tab = this.tabs.get(message.tabId);
      if (!tab || message.index <= tab.index) return;
      const known = message.changes.length - (message.index - tab.index);
      if (known < 0) throw new Error(`the page of ${message.tabId} missed ${-known} changes`);
      for (const change of message.changes.slice(known)) applyChange(tab.transcript, change);
      tab.index = message.index;
    }
  }
}
