import { messageOf } from "../../symposium-error.js";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../node/temporary-folder.js";
import { isDoneWithin, whenAborted } from "../../until-aborted.js";
import { processTree } from "../../node/process-tree.js";
import { startProgram } from "../../node/start-program.js";
import type { Confined } from "../../node/confinement.js";
import type { Watchdog } from "../../node/orphan-watchdog.js";
import type { RunCommand, RunExit, RunLimits } from "../run.js";

export interface RunOptions {
  readonly watchdog: Watchdog | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly confined?: Confined | undefined;
  readonly terminationMs: number;
  /** Maximum size of each output with its own file, in bytes. A larger output ends the program. */
  readonly maxOutputBytes: number;
}

const pollMs = 50;
const chunkBytes = 256 * 1024;
/** Time from SIGTERM to SIGKILL for processes that a program leaves behind. */
const leftoverGraceMs = 300;

type End = Pick<RunExit, "code" | "signal" | "startError">;

/**
 * Runs a program with both outputs in one file, which preserves their order and never blocks the program, and reads that file as it grows.
 * With `limits.errors`, each output has its own file. Resolves after the whole process tree has ended and the files are deleted.
 */
export async function runProgram(command: RunCommand, limits: RunLimits, options: RunOptions): Promise<RunExit> {
  const start = performance.now();
  const done = (end: End, endedBy?: RunExit["endedBy"]): RunExit => ({
    ...end,
    ...(endedBy !== undefined && { endedBy }),
    durationMs: performance.now() - start,
  });
  if (limits.signal.aborted) return done({ code: null, signal: null }, "cancel");
  await using folder = await temporaryFolder("symposium-run-");
  try {
    await using output = await GrowingFile.create(join(folder.path, "output"), limits.output);
    await using errors = limits.errors && (await GrowingFile.create(join(folder.path, "errors"), limits.errors));
    const { end, endedBy } = await new RunProcess(command, limits, options, output, errors).ended;
    return done(end, endedBy);
  } catch (error) {
    return done({ code: null, signal: null, startError: messageOf(error) });
  }
}

class GrowingFile implements AsyncDisposable {
  readonly #decoder = new TextDecoder();
  readonly #buffer = Buffer.alloc(chunkBytes);
  position = 0;

  private constructor(
    private readonly writer: FileHandle,
    private readonly reader: FileHandle,
    private readonly pass: (text: string) => void,
  ) {}

  static async create(path: string, pass: (text: string) => void): Promise<GrowingFile> {
    return new GrowingFile(await open(path, "a", 0o600), await open(path, "r"), pass);
  }

  get fd(): number {
    return this.writer.fd;
  }

  async read(maxBytes: number): Promise<void> {
    while (this.position < maxBytes) {
      const { bytesRead } = await this.reader.read(this.#buffer, 0, chunkBytes, this.position);
      if (bytesRead === 0) return;
      this.position += bytesRead;
      this.pass(this.#decoder.decode(this.#buffer.subarray(0, bytesRead), { stream: true }));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.writer.close(), this.reader.close()]);
  }
}

class RunProcess {
  /** Resolves after the whole process tree has ended and all output was passed on. */
  readonly ended: Promise<{ end: End; endedBy: RunExit["endedBy"] }>;
  readonly #exit: Promise<End>;
  #endedBy: RunExit["endedBy"];
  #ending: Promise<void> | undefined;
  #isGone = false;
  #pid: number | undefined;

  constructor(
    command: RunCommand,
    private readonly limits: RunLimits,
    private readonly options: RunOptions,
    private readonly output: GrowingFile,
    private readonly errors: GrowingFile | undefined,
  ) {
    this.#exit = this.#start(command);
    this.ended = this.#follow();
  }

  #start(command: RunCommand): Promise<End> {
    const started = startProgram(command, {
      env: this.options.env,
      watchdog: this.options.watchdog,
      confined: this.options.confined ?? "not asked for",
      stdio: ["ignore", this.output.fd, this.errors?.fd ?? this.output.fd],
    });
    if ("startError" in started) return Promise.resolve({ code: null, signal: null, startError: started.startError });
    const { child } = started;
    this.#pid = child.pid;
    return new Promise((resolve) => {
      child.on("error", (error: NodeJS.ErrnoException) => {
        if (child.pid === undefined) resolve({ code: null, signal: null, startError: error.code ?? error.message });
      });
      child.on("exit", (code, signal) => {
        this.#isGone = true;
        resolve({ code, signal });
      });
    });
  }

  async #follow(): Promise<{ end: End; endedBy: RunExit["endedBy"] }> {
    const { signal, timeoutMs } = this.limits;
    const cancel = (): void => this.#end("cancel");
    whenAborted(signal, cancel);
    const timer = setTimeout(() => this.#end("timeout"), Math.min(timeoutMs, 2 ** 31 - 1));
    const poll = this.#poll();
    // The caller gets this error below, after the process tree has ended.
    poll.catch(() => this.#end("cancel"));
    try {
      const end = await this.#exit;
      await this.#ending;
      await this.#sweep();
      await poll;
      await this.#read();
      return { end, endedBy: this.#endedBy };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  }

  async #sweep(): Promise<void> {
    if (this.#pid === undefined) return;
    await processTree(this.#pid).endLeftovers(this.#endedBy === undefined ? leftoverGraceMs : 0);
    this.options.watchdog?.remove(this.#pid);
  }

  async #poll(): Promise<void> {
    for (;;) {
      if (await isDoneWithin(this.#exit, pollMs)) return;
      await this.#read();
      const most = Math.max(this.output.position, this.errors?.position ?? 0);
      if (most >= this.options.maxOutputBytes) this.#end("output-limit");
    }
  }

  async #read(): Promise<void> {
    await this.output.read(this.options.maxOutputBytes);
    await this.errors?.read(this.options.maxOutputBytes);
  }

  #end(reason: RunExit["endedBy"]): void {
    if (this.#ending || this.#isGone || this.#pid === undefined) return;
    this.#endedBy = reason;
    this.#ending = this.#terminate(this.#pid);
  }

  async #terminate(pid: number): Promise<void> {
    const tree = processTree(pid);
    await tree.observe();
    tree.terminate();
    if (!(await isDoneWithin(this.#exit, this.options.terminationMs))) {
      await tree.observe();
      tree.kill();
    }
    await this.#exit;
    // End leftover processes through this tree, since only it knows the descendants observed so far.
    await tree.endLeftovers(0);
  }
}
