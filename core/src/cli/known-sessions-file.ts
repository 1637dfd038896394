import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Logger } from "../base/logger.js";
import { messageOf } from "../base/symposium-error.js";
import { type KnownSession, mostKnown } from "../chains/known-sessions.js";
import { atomicWrite } from "../node/atomic-write.js";
import { configFolder } from "../node/config-file.js";

/** Where known sessions stay, by their ids alone: `sessions.json` beside the configuration, which all processes share. */
export class KnownSessionsFile {
  #writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly logger: Logger,
    private readonly file = join(configFolder(process.env, homedir()), "sessions.json"),
  ) {}

  /** None where there is no file, or one that is none of ours. */
  async read(): Promise<readonly KnownSession[]> {
    try {
      const entries: unknown = JSON.parse(await readFile(this.file, "utf8"));
      return Array.isArray(entries) ? entries.filter(isKnownSession) : [];
    } catch {
      return [];
    }
  }

  /**
   * Writes all of them, beside what other processes have written meanwhile; a failure is logged, since all that is lost
   * is a way back to an older session.
   */
  write(all: readonly KnownSession[]): void {
    this.#writing = this.#writing
      .then(() => this.#merge(all))
      .catch((fault: unknown) => this.logger.warn("sessions were not kept", { message: messageOf(fault) }));
  }

  /** Resolves when everything is written. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  async #merge(all: readonly KnownSession[]): Promise<void> {
    const own = new Set(all.map(([clientId]) => clientId));
    const others = (await this.read()).filter(([clientId]) => !own.has(clientId));
    await atomicWrite(this.file, `${JSON.stringify([...others, ...all].slice(-mostKnown))}\n`);
  }
}

function isKnownSession(value: unknown): value is KnownSession {
  return Array.isArray(value) && value.length === 3 && value.every((id) => typeof id === "string");
}
