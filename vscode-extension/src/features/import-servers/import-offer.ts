import * as l10n from "@vscode/l10n";
import type { ServerImport } from "./import-servers.js";

interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

interface ImportOfferOptions {
  /** Returns whether a search for servers may run; false, for example, in an untrusted folder. */
  readonly isAllowed: () => boolean;
  readonly memory: Memento;
  readonly servers: Pick<ServerImport, "find" | "run">;
  /** Shows a notification without blocking; resolves with whether the user clicked its button. */
  readonly notify: (text: string, button: string) => PromiseLike<boolean>;
}

const button = l10n.t("Choose Servers…");

/**
 * Offers once, when the view first opens, to import other products' MCP servers. Dismissing the offer is final; the command stays
 * available.
 */
export class ImportOffer {
  static readonly key = "symposium.importOffered";
  #isLooking = false;

  constructor(private readonly options: ImportOfferOptions) {}

  /** Searches for importable servers, ignoring servers that the project configures. If the search fails, the next call repeats it. */
  async look(): Promise<void> {
    const { isAllowed, memory, servers, notify } = this.options;
    if (this.#isLooking || !isAllowed() || memory.get(ImportOffer.key) === true) return;
    this.#isLooking = true;
    try {
      const found = await servers.find();
      await memory.update(ImportOffer.key, true);
      const { length: count } = found.servers.filter(({ scope }) => scope === "user");
      if (count === 0) return;
      const text =
        count === 1
          ? l10n.t(
              "An MCP server that you set up elsewhere can be used by every agent. Nothing is imported until you choose it.",
            )
          : l10n.t(
              "{0} MCP servers that you set up elsewhere can be used by every agent. Nothing is imported until you choose them.",
              count,
            );
      if (await notify(text, button)) await servers.run();
    } finally {
      this.#isLooking = false;
    }
  }
}
