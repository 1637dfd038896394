import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Logger } from "../base/logger.js";
import { messageOf } from "../base/symposium-error.js";
import { type MovedSession, mostMoved } from "../chains/moved-sessions.js";
import { atomicWrite } from "../node/atomic-write.js";
import { configFolder } from "../node/config-file.js";

/** Where the ids of moved sessions stay: `moved-sessions.json` beside the configuration, which all processes share. */
export class MovedSessionsFile {
  #writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly logger: Logger,
    private readonly file = join(configFolder(process.env, homedir()), "moved-sessions.json"),
  ) {}

  /** None where there is no file, or one that is none of ours. */
  async read(): Promise<readonly MovedSession[]> {
    try {
      const entries: unknown = JSON.parse(await readFile(this.file, "utf8"));
      return Array.isArray(entries) ? entries.filter(isMovedSession) : [];
    } catch {
      return [];
    }
  }

  /**
   * Writes all of them, beside what other processes have written meanwhile; a failure is logged, since all that is lost
   * is a way back to an older session.
   */
  write(all: readonly MovedSession[]): void {
    this.#writing = this.#writing
      .then(() => this.#merge(all))
      .catch((fault: unknown) => this.logger.warn("moved sessions were not kept", { message: messageOf(fault) }));
  }

  /** Resolves when everything is written. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  async #merge(all: readonly MovedSession[]): Promise<void> {
    const own = new Set(all.map(([clientId]) => clientId));
    const others = (await this.read()).filter(([clientId]) => !own.has(clientId));
    await atomicWrite(this.file, `${JSON.stringify([...others, ...all].slice(-mostMoved))}\n`);
  }
}

function isMovedSession(value: unknown): value is MovedSession {
  return Array.isArray(value) && value.length === 2 && value.every((id) => typeof id === "string");
}
