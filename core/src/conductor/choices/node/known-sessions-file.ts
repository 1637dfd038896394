import { join } from "node:path";
import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { type KnownSession, type KnownSessionsStore, mostKnown } from "../known-sessions.js";
import { configFolder } from "../../../base/node/own-program.js";
import { changeList, readList } from "../../../base/node/json-file.js";

/** Stores ids of known sessions in `sessions.json` next to the configuration. All processes share the file. */
export class KnownSessionsFile implements KnownSessionsStore {
  #writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly logger: Logger,
    private readonly file = join(configFolder(), "sessions.json"),
  ) {}

  /** Returns the sessions, oldest first; an empty list if the file is missing or unreadable. Moves a damaged file aside. Never rejects. */
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

  async flushed(): Promise<void> {
    await this.#writing;
  }

  /** Queues an edit of the file. Only logs a failure, since it costs no more than access to an older session. */
  #change(edit: (entries: readonly unknown[]) => readonly unknown[]): void {
    this.#writing = this.#writing
      .then(async () => {
        const kept = await changeList(this.file, edit);
        if (kept === undefined) return;
        this.logger.warn("couldn't read the list of sessions; moved it aside", { file: this.file, kept });
      })
      .catch((fault: unknown) => this.logger.warn("sessions were not kept", { message: messageOf(fault) }));
  }
}

/** Returns the entries of all other sessions, including entries in another version's format. */
function without(entries: readonly unknown[], clientId: string): readonly unknown[] {
  return entries.filter((entry) => !isKnownSession(entry) || entry[0] !== clientId);
}

function isKnownSession(value: unknown): value is KnownSession {
  return Array.isArray(value) && value.length === 3 && value.every((id) => typeof id === "string");
}
