import { readFile } from "node:fs/promises";
import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { atomicWrite } from "../../../base/node/atomic-write.js";
import { FileLock } from "../../../base/node/file-lock.js";
import { CountedUse, type ToolUse } from "../tool-call-counts.js";

/** Delay that combines bursts of calls in one write. */
const writeDelayMs = 2_000;

/** Call counts of all of the user's processes in one private file. Contains only server names, tool names and numbers. */
export class ToolUseFile implements ToolUse, AsyncDisposable {
  readonly #unwritten: (readonly [server: string, tool: string])[] = [];
  #timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly file: string,
    private readonly logger: Logger,
    private readonly counts: CountedUse,
  ) {}

  /** Reads the file once; it may be missing. */
  static async open(file: string, logger: Logger): Promise<ToolUseFile> {
    return new ToolUseFile(file, logger, await countsIn(file));
  }

  count(server: string, tool: string): number {
    return this.counts.count(server, tool);
  }

  note(server: string, tool: string): void {
    this.counts.note(server, tool);
    this.#unwritten.push([server, tool]);
    this.#timer ??= setTimeout(() => void this.#write(), writeDelayMs).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#write();
  }

  /** Only logs failures, since the counts affect nothing but the order of a list. */
  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const calls = this.#unwritten.splice(0);
    if (calls.length === 0) return;
    try {
      await using _lock = await FileLock.take(this.file);
      const counts = await countsIn(this.file);
      for (const [server, tool] of calls) counts.note(server, tool);
      await atomicWrite(this.file, JSON.stringify(counts));
    } catch (failure) {
      this.logger.warn("couldn't store tool usage", { message: messageOf(failure) });
    }
  }
}

async function countsIn(file: string): Promise<CountedUse> {
  try {
    return CountedUse.of(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return new CountedUse(); // There is none yet, or somebody else has written there.
  }
}
