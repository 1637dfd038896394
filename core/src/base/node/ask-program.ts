import type { ChildProcess } from "node:child_process";
import { whenAborted } from "../until-aborted.js";
import { messageOf } from "../symposium-error.js";
import type { Confined } from "./confinement.js";
import { minimalEnvironment } from "./minimal-environment.js";
import { startProgram } from "./start-program.js";
import type { Watchdog } from "./orphan-watchdog.js";
import { windowsProgram } from "./windows-program.js";

export interface ProgramAnswer {
  /** Exit code; absent if the program didn't start or was killed. */
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Reason for a failure, in one line; absent if the exit code is 0. */
  readonly fault?: string;
}

export interface AskOptions {
  /** Working folder. Default: a system folder, since project files can't configure programs there. */
  readonly cwd?: string | undefined;
  /** Inherited environment; default {@link minimalEnvironment} of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly given?: Readonly<Record<string, string>>;
  readonly input?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly confined?: Confined;
  readonly watchdog?: Watchdog;
}

/**
 * Runs a program until it exits. Kills its process group on timeout; never rejects. Ignores what processes that outlive the program write
 * later.
 */
export async function askProgram(words: readonly string[], options: AskOptions = {}): Promise<ProgramAnswer> {
  const { cwd = process.platform === "win32" ? windowsProgram() : "/", given = {}, input, signal } = options;
  const { env = minimalEnvironment(process.env), timeoutMs = 10_000, confined = "asked", watchdog } = options;
  const [command = "", ...args] = words;
  const nothing = { stdout: "", stderr: "" };
  if (signal?.aborted === true) return { ...nothing, fault: "it was cancelled" };
  const stdio = [input === undefined ? "ignore" : "pipe", "pipe", "pipe"] as const;
  const started = startProgram({ command, args, env: given, cwd }, { env, confined, watchdog, stdio: [...stdio] });
  if ("startError" in started) return { ...nothing, fault: started.startError };
  const asked = new Asked(started.child, options.maxBytes ?? 16 * 1024 * 1024);
  const cancel = (): void => asked.end("it was cancelled");
  if (signal) whenAborted(signal, cancel);
  const isLate = (): void => asked.end(`it did not finish within ${timeoutMs / 1_000} s`);
  const timer = timeoutMs < 2 ** 31 ? setTimeout(isLate, timeoutMs) : undefined;
  // Ignore write errors: a program that exits early stops reading its input.
  started.child.stdin?.on("error", () => undefined).end(input);
  try {
    return await asked.answer;
  } finally {
    clearTimeout(timer);
    if (started.child.pid !== undefined) watchdog?.remove(started.child.pid);
    signal?.removeEventListener("abort", cancel);
  }
}

/** Milliseconds after a program's exit in which its outputs should end. */
const closeMs = 500;

function endOf(code: number | null): string {
  return `it exited with code ${code ?? "none"}`;
}

class Asked {
  readonly answer: Promise<ProgramAnswer>;
  readonly #output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  #fault: string | undefined;

  constructor(
    private readonly child: ChildProcess,
    maxBytes: number,
  ) {
    for (const name of ["stdout", "stderr"] as const) {
      let size = 0;
      child[name]
        ?.on("error", () => undefined)
        .on("data", (bytes: Buffer) => {
          size += bytes.length;
          if (size > maxBytes) this.end(`it wrote more than ${maxBytes} bytes`);
          else this.#output[name].push(bytes);
        });
    }
    this.answer = new Promise((resolve) => {
      child.once("error", (error) => resolve(this.#answer(undefined, messageOf(error))));
      child.once("exit", (code) => this.#awaitClose(() => resolve(this.#answer(code ?? undefined, endOf(code)))));
      child.once("close", (code) => resolve(this.#answer(code ?? undefined, endOf(code))));
    });
  }

  /** Calls `giveUp` if a process that the program left behind keeps the outputs open. */
  #awaitClose(giveUp: () => void): void {
    // Read what has arrived first, which a busy process does after its timers.
    const timer = setTimeout(() => setImmediate(stop), closeMs);
    const stop = (): void => {
      giveUp();
      this.child.stdout?.destroy();
      this.child.stderr?.destroy();
    };
    this.child.once("close", () => clearTimeout(timer));
  }

  end(fault: string): void {
    this.#fault ??= fault;
    const { pid } = this.child;
    try {
      if (pid !== undefined && process.platform !== "win32") process.kill(-pid, "SIGKILL");
      else this.child.kill("SIGKILL");
    } catch {
      // The process has already ended.
    }
    // A descendant outside the group may still have the streams open.
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  #answer(code: number | undefined, ended: string): ProgramAnswer {
    const stdout = Buffer.concat(this.#output.stdout).toString();
    const stderr = Buffer.concat(this.#output.stderr).toString();
    if (this.#fault !== undefined) return { stdout, stderr, fault: this.#fault };
    if (code === 0) return { stdout, stderr, code };
    return { stdout, stderr, ...(code !== undefined && { code }), fault: stderr.trim().split("\n", 1)[0] || ended };
  }
}
