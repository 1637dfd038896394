import * as l10n from "@vscode/l10n";
import { messageOf } from "@symposium-dev/core";

interface HostOfferOptions {
  readonly memory: { get(key: string): unknown; update(key: string, value: unknown): PromiseLike<void> };
  /** Value of `symposium.host`; empty if the user hasn't chosen. */
  readonly choice: () => string;
  /** Shows a notification without blocking; resolves with whether the user clicked its button. */
  readonly notify: (text: string, button: string) => PromiseLike<boolean>;
  readonly turnOn: () => Promise<void>;
  /** Shows an error message. */
  readonly failed: (text: string) => void;
}

const text = l10n.t(
  "The last turn of this tab ended when its window closed. The host, a background process, continues such turns.",
);

/** Offers once to turn the host on, if a window was closed during a turn. */
export class HostOffer {
  static readonly key = "symposium.hostOffered";

  constructor(private readonly options: HostOfferOptions) {}

  /** Never rejects: reports a failure to the user. */
  async interrupted(): Promise<void> {
    const { memory, choice, notify, turnOn, failed } = this.options;
    if (choice() !== "" || memory.get(HostOffer.key) === true) return;
    try {
      await memory.update(HostOffer.key, true);
      if (await notify(text, l10n.t("Use the Host"))) await turnOn();
    } catch (thrown) {
      failed(l10n.t("Couldn't turn the host on: {0}", messageOf(thrown)));
    }
  }
}
