interface AttentionOptions {
  /** Value of `symposium.notifyWhenUnfocused`. */
  isWanted(): boolean;
  isFocused(): boolean;
  /** Shows `text` with a button; resolves with true if the user clicks it. */
  notify(text: string, button: string): PromiseLike<boolean>;
  show(tabId: string): Promise<void>;
}

export class Attention {
  constructor(private readonly options: AttentionOptions) {}

  turnEnded(tabId: string, agentName: string, title: string, stopReason: string): void {
    const words: Readonly<Record<string, string>> = { end_turn: "has answered", error: "has failed" };
    const how = words[stopReason] ?? "has stopped";
    if (stopReason !== "cancelled") this.#notify(tabId, `${agentName} ${how}: ${title}`);
  }

  asked(tabId: string, agentName: string, title: string): void {
    this.#notify(tabId, `${agentName} asks: ${title}`);
  }

  #notify(tabId: string, text: string): void {
    if (this.options.isFocused() || !this.options.isWanted()) return;
    void this.options.notify(text, "Show").then((isWanted) => {
      if (isWanted) void this.options.show(tabId);
    });
  }
}
