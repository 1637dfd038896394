import * as l10n from "@vscode/l10n";
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
    if (stopReason === "cancelled") return;
    const texts: Readonly<Record<string, string>> = {
      end_turn: l10n.t("{0} has answered: {1}", agentName, title),
      error: l10n.t("{0} has failed: {1}", agentName, title),
    };
    this.#notify(tabId, texts[stopReason] ?? l10n.t("{0} has stopped: {1}", agentName, title));
  }

  asked(tabId: string, agentName: string, title: string): void {
    this.#notify(tabId, l10n.t("{0} asks: {1}", agentName, title));
  }

  #notify(tabId: string, text: string): void {
    if (this.options.isFocused() || !this.options.isWanted()) return;
    void this.options.notify(text, l10n.t("Show")).then((isWanted) => {
      if (isWanted) void this.options.show(tabId);
    });
  }
}
