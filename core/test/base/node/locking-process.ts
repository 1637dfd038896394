import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** A process that does with locks, or what else `script` is about, what it is told. It is gone at the end. */
export class LockingProcess implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  /** `words` start the script, which is their last one. */
  constructor(
    script = fileURLToPath(new URL("lock-child.js", import.meta.url)),
    [program = process.execPath, ...words]: readonly string[] = [],
  ) {
    this.#child = spawn(program, [...words, script], { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Gives one command, and resolves with its answer. */
  async does(command: string): Promise<string | undefined> {
    this.#child.stdin.write(`${command}\n`);
    const { value } = (await this.#lines.next()) as IteratorResult<string, undefined>;
    return value;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
