import { join } from "node:path";
import type { Logger } from "../base/logger.js";
import { messageOf } from "../base/symposium-error.js";
import { type KnownSession, type KnownSessionsStore, mostKnown } from "./known-sessions.js";
import { atomicWrite, keepAside, readList } from "../node/atomic-write.js";
import { configFolder } from "../node/config-file.js";
import { FileLock } from "../node/file-lock.js";

/** Where known sessions stay, by their ids alone: `sessions.json` beside the configuration, which all processes share. */
export class KnownSessionsFile implements KnownSessionsStore {
  #writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly logger: Logger,
    private readonly file = join(configFolder(), "sessions.json"),
  ) {}

  /** Oldest first; none where there is no file, or none that can be read. One that is damaged is kept aside. Never rejects. */
  async read(): Promise<readonly KnownSession[]> {
    const entries = await readList(this.file).catch((): readonly unknown[] => []);
    if (entries === "damaged") this.#later(() => this.#undamaged());
    return entries === "damaged" ? [] : entries.filter(isKnownSession);
  }

  keep(session: KnownSession): void {
    this.#change((others) => [...others, session].slice(-mostKnown), session[0]);
  }

  forget(clientId: string): void {
    this.#change((others) => others, clientId);
  }

  /** Resolves when everything is written. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  /** Replaces what the file says of a session, beside what other processes have written meanwhile. */
  #change(withOthers: (others: readonly unknown[]) => readonly unknown[], clientId: string): void {
    this.#later(async () => {
      const entries = await this.#undamaged();
      const others = entries.filter((entry) => !isKnownSession(entry) || entry[0] !== clientId);
      await atomicWrite(this.file, `${JSON.stringify(withOthers(others))}\n`);
    });
  }

  /** Works on the file in turn, and alone; a failure is logged, since all that is lost is a way back to an older session. */
  #later(work: () => Promise<unknown>): void {
    this.#writing = this.#writing
      .then(async () => {
        await using _lock = await FileLock.take(this.file);
        await work();
      })
      .catch((fault: unknown) => this.logger.warn("sessions were not kept", { message: messageOf(fault) }));
  }

  /** What the file says, also such as another version of ours may have written. A damaged one is moved aside, which is said: what it knew can be put back by hand. */
  async #undamaged(): Promise<readonly unknown[]> {
    const entries = await readList(this.file);
    if (entries !== "damaged") return entries;
    const kept = await keepAside(this.file);
    this.logger.warn("the list of sessions could not be read, and was kept aside", { file: this.file, kept });
    return [];
  }
}

function isKnownSession(value: unknown): value is KnownSession {
  return Array.isArray(value) && value.length === 3 && value.every((id) => typeof id === "string");
}
