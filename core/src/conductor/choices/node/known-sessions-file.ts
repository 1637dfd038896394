import { join } from "node:path";
import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { type KnownSession, type KnownSessionsStore, mostKnown } from "../known-sessions.js";
import { configFolder } from "../../../base/node/own-program.js";
import { changeList, readList } from "../../../base/node/json-file.js";

/** Where known sessions stay, by their ids alone: `sessions.json` beside the configuration, which all processes share. */
export class KnownSessionsFile implements KnownSessionsStore {
  #writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly logger: Logger,
    private readonly file = join(configFolder(), "sessions.json"),
  ) {}

  /** Oldest first; none if the file is missing or unreadable. Moves a damaged file aside. Never rejects. */
  async read(): Promise<readonly KnownSession[]> {
    const entries = await readList(this.file).catch((): readonly unknown[] => []);
    if (entries === "damaged") this.#change((known) => known);
    return entries === "damaged" ? [] : entries.filter(isKnownSession);
  }

  keep(session: KnownSession): void {
    this.#change((entries) => [...without(entries, session[0]), session].slice(-mostKnown));
  }

  forget(clientId: string): void {
    this.#change((entries) => without(entries, clientId));
  }

  /** Resolves when everything is written. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  /** Edits the file in turn; logs a failure, which costs only the way back to an older session. */
  #change(edit: (entries: readonly unknown[]) => readonly unknown[]): void {
    this.#writing = this.#writing
      .then(async () => {
        const kept = await changeList(this.file, edit);
        if (kept === undefined) return;
        this.logger.warn("the list of sessions could not be read, and was kept aside", { file: this.file, kept });
      })
      .catch((fault: unknown) => this.logger.warn("sessions were not kept", { message: messageOf(fault) }));
  }
}

/** The entries of other sessions, including those that another version wrote in its own form. */
function without(entries: readonly unknown[], clientId: string): readonly unknown[] {
  return entries.filter((entry) => !isKnownSession(entry) || entry[0] !== clientId);
}

function isKnownSession(value: unknown): value is KnownSession {
  return Array.isArray(value) && value.length === 3 && value.every((id) => typeof id === "string");
}
