interface HostOfferOptions {
  readonly memory: { get(key: string): unknown; update(key: string, value: unknown): PromiseLike<void> };
  /** Value of `symposium.host`; empty if the user hasn't chosen. */
  readonly choice: () => string;
  /** Shows a notification without blocking; resolves with whether the user clicked its button. */
  readonly notify: (text: string, button: string) => PromiseLike<boolean>;
  readonly turnOn: () => Promise<void>;
}

const text =
  "The last turn of this tab was interrupted. The host, a background process, continues turns when their window closes.";

/** Offers once to turn the host on, if a restored tab's turn was interrupted. */
export class HostOffer {
  static readonly key = "symposium.hostOffered";

  constructor(private readonly options: HostOfferOptions) {}

  async interrupted(): Promise<void> {
    const { memory, choice, notify, turnOn } = this.options;
    if (choice() !== "" || memory.get(HostOffer.key) === true) return;
    await memory.update(HostOffer.key, true);
    if (await notify(text, "Use the Host")) await turnOn();
  }
}
