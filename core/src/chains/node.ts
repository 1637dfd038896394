import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Logger } from "../base/logger.js";
import { messageOf } from "../base/symposium-error.js";
import { type KnownSession, type KnownSessionsStore, mostKnown } from "./known-sessions.js";
import { atomicWrite, systemCode } from "../node/atomic-write.js";
import { configFolder } from "../node/config-file.js";
import { FileLock } from "../node/file-lock.js";
import { parsedValue } from "../rpc/json.js";

/** Where known sessions stay, by their ids alone: `sessions.json` beside the configuration, which all processes share. */
export class KnownSessionsFile implements KnownSessionsStore {
  #writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly logger: Logger,
    private readonly file = join(configFolder(process.env, homedir()), "sessions.json"),
  ) {}

  /** Oldest first; none where there is no file, or one that is none of ours. */
  async read(): Promise<readonly KnownSession[]> {
    return this.#known().catch(() => []);
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

  /**
   * Replaces what the file says of a session, beside what other processes have written meanwhile; a failure is logged,
   * since all that is lost is a way back to an older session.
   */
  #change(withOthers: (others: readonly KnownSession[]) => readonly KnownSession[], clientId: string): void {
    this.#writing = this.#writing
      .then(async () => {
        await using _lock = await FileLock.take(this.file);
        const others = (await this.#known()).filter(([id]) => id !== clientId);
        await atomicWrite(this.file, `${JSON.stringify(withOthers(others))}\n`);
      })
      .catch((fault: unknown) => this.logger.warn("sessions were not kept", { message: messageOf(fault) }));
  }

  /** Rejects where there is a file that cannot be read: it must not be replaced by an emptier one. */
  async #known(): Promise<readonly KnownSession[]> {
    const text = await readFile(this.file, "utf8").catch((fault: unknown) => {
      if (systemCode(fault) === "ENOENT") return "";
      throw fault;
    });
    return knownIn(text);
  }
}

function knownIn(text: string): readonly KnownSession[] {
  const entries = parsedValue(text);
  return Array.isArray(entries) ? entries.filter(isKnownSession) : [];
}

function isKnownSession(value: unknown): value is KnownSession {
  return Array.isArray(value) && value.length === 3 && value.every((id) => typeof id === "string");
}
