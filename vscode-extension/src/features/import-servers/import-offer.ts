import type { ServerImport } from "./import-servers.js";

/** What the editor keeps for us between windows. */
interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

interface ImportOfferOptions {
  /** Nothing is looked for before, as in a folder that is not trusted. */
  readonly isAllowed: () => boolean;
  readonly memory: Memory;
  readonly servers: Pick<ServerImport, "find" | "run">;
  /** Shows a notice that waits for nobody; resolves with whether its button was pressed. */
  readonly notify: (text: string, button: string) => PromiseLike<boolean>;
}

const button = "Choose Servers…";

/**
 * Says once, when the view is opened first, that MCP servers of other products can be taken over. Who dismisses it never
 * hears of it again; the command stays.
 */
export class ImportOffer {
  static readonly key = "symposium.importOffered";
  #isLooking = false;

  constructor(private readonly options: ImportOfferOptions) {}

  /** A look that fails is made again at the next occasion. Nothing of the project counts, only what is the user's. */
  async look(): Promise<void> {
    const { isAllowed, memory, servers, notify } = this.options;
    if (this.#isLooking || !isAllowed() || memory.get(ImportOffer.key) === true) return;
    this.#isLooking = true;
    try {
      const found = await servers.find();
      await memory.update(ImportOffer.key, true);
      const { length: count } = found.servers.filter(({ scope }) => scope === "user");
      if (count === 0) return;
      const [what, them] = count === 1 ? ["An MCP server", "it"] : [`${count} MCP servers`, "them"];
      const text = `${what} that you have set up elsewhere can be every agent's. Nothing is taken before you choose ${them}.`;
      if (await notify(text, button)) await servers.run();
    } finally {
      this.#isLooking = false;
    }
  }
}
