import { type ChildProcess, spawn } from "node:child_process";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CargoCommand, CargoExit, CargoLimits } from "../../proxies/cargo/services.js";
import { processTree } from "../process-tree.js";
import { toProgram } from "../program.js";
import type { Watchdog } from "../watchdog.js";

export interface RunCargoOptions {
  readonly watchdog: Watchdog;
  readonly env: NodeJS.ProcessEnv;
  readonly terminationMs: number;
  readonly maxOutputBytes: number;
}

const pollMs = 50;
const chunkBytes = 256 * 1024;
/** How long what cargo leaves behind has from SIGTERM to SIGKILL. */
const leftoverGraceMs = 300;

type End = Pick<CargoExit, "code" | "signal" | "startError">;

/**
 * Runs cargo with both outputs in one file, which keeps their order and never makes a program wait for us, and reads that
 * file while it grows. Resolves with the whole tree gone and the file removed.
 */
export async function runCargo(
  command: CargoCommand,
  limits: CargoLimits,
  options: RunCargoOptions,
): Promise<CargoExit> {
  const start = performance.now();
  const done = (end: End, endedBy?: CargoExit["endedBy"]): CargoExit => ({
    ...end,
    ...(endedBy !== undefined && { endedBy }),
    durationMs: performance.now() - start,
  });
  if (limits.signal.aborted) return done({ code: null, signal: null }, "cancel");
  const folder = await mkdtemp(join(tmpdir(), "symposium-cargo-"));
  try {
    const path = join(folder, "output");
    await using file = await open(path, "a", 0o600);
    await using reader = await open(path, "r");
    const { end, endedBy } = await new CargoProcess(command, limits, options, file.fd, new Tail(reader, limits)).ended;
    return done(end, endedBy);
  } catch (error) {
    return done({ code: null, signal: null, startError: error instanceof Error ? error.message : String(error) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads a file while it grows. */
class Tail {
  readonly #decoder = new TextDecoder();
  readonly #buffer = Buffer.alloc(chunkBytes);
  position = 0;

  constructor(
    private readonly file: FileHandle,
    private readonly limits: CargoLimits,
  ) {}

  /** Passes on what is there, up to `maxBytes` in all. */
  async read(maxBytes: number): Promise<void> {
    while (this.position < maxBytes) {
      const { bytesRead } = await this.file.read(this.#buffer, 0, chunkBytes, this.position);
      if (bytesRead === 0) return;
      this.position += bytesRead;
      this.limits.output(this.#decoder.decode(this.#buffer.subarray(0, bytesRead), { stream: true }));
    }
  }
}

class CargoProcess {
  /** Resolves once the whole tree is gone and all output was passed on. */
  readonly ended: Promise<{ end: End; endedBy: CargoExit["endedBy"] }>;
  readonly #exit: Promise<End>;
  #endedBy: CargoExit["endedBy"];
  #ending: Promise<void> | undefined;
  #isGone = false;
  #pid: number | undefined;

  constructor(
    command: CargoCommand,
    private readonly limits: CargoLimits,
    private readonly options: RunCargoOptions,
    outputFd: number,
    private readonly tail: Tail,
  ) {
    options.watchdog.start();
    this.#exit = this.#start(command, outputFd);
    this.ended = this.#follow();
  }

  #start(command: CargoCommand, outputFd: number): Promise<End> {
    const program = toProgram(
      { command: "cargo", args: command.args, env: command.env, cwd: command.cwd },
      this.options.env,
    );
    if ("startError" in program) return Promise.resolve({ code: null, signal: null, startError: program.startError });
    const child: ChildProcess = spawn(program.file, program.args, {
      cwd: command.cwd,
      env: program.env,
      stdio: ["ignore", outputFd, outputFd],
      // A session and group of its own. On Windows it would open a console window instead.
      detached: process.platform !== "win32",
      windowsHide: true,
      windowsVerbatimArguments: program.isVerbatim,
    });
    this.#pid = child.pid;
    if (child.pid !== undefined) this.options.watchdog.add(child.pid);
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

  async #follow(): Promise<{ end: End; endedBy: CargoExit["endedBy"] }> {
    const { signal, timeoutMs } = this.limits;
    const cancel = (): void => this.#end("cancel");
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    const timer = setTimeout(() => this.#end("timeout"), Math.min(timeoutMs, 2 ** 31 - 1));
    const poll = this.#poll();
    // The failure itself is told below, once the tree is gone.
    poll.catch(() => this.#end("cancel"));
    try {
      const end = await this.#exit;
      await this.#ending;
      await this.#sweep();
      await poll;
      await this.tail.read(this.options.maxOutputBytes);
      return { end, endedBy: this.#endedBy };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Ends what outlived cargo. */
  async #sweep(): Promise<void> {
    if (this.#pid === undefined) return;
    await processTree(this.#pid).endLeftovers(this.#endedBy === undefined ? leftoverGraceMs : 0);
    this.options.watchdog.remove(this.#pid);
  }

  async #poll(): Promise<void> {
    for (;;) {
      const isOver = await Promise.race([this.#exit.then(() => true), pause(pollMs)]);
      if (isOver) return;
      await this.tail.read(this.options.maxOutputBytes);
      if (this.tail.position >= this.options.maxOutputBytes) this.#end("output-limit");
    }
  }

  #end(reason: CargoExit["endedBy"]): void {
    if (this.#ending || this.#isGone || this.#pid === undefined) return;
    this.#endedBy = reason;
    this.#ending = this.#terminate(this.#pid);
  }

  async #terminate(pid: number): Promise<void> {
    const tree = processTree(pid);
    await tree.observe();
    tree.terminate();
    const isGone = await Promise.race([this.#exit.then(() => true), pause(this.options.terminationMs)]);
    if (!isGone) {
      await tree.observe();
      tree.kill();
    }
    await this.#exit;
    // The descendants that were observed are known to this tree only.
    await tree.endLeftovers(0);
  }
}

/** Resolves with false after `ms`. */
function pause(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, ms, false as const).unref());
}
