import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { scaledMs } from "./until.js";

const stderrLimit = 8_000;
const graceMs = 2_000;

export interface ChildOptions {
  /** The program and its arguments; no shell takes part. */
  readonly words: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A child process in a process group of its own. Disposing ends the whole group, and resolves with the child gone. */
export class Child implements AsyncDisposable {
  readonly process: ChildProcessWithoutNullStreams;
  /** Resolves, and never rejects, with a sentence on how the child ended. */
  readonly exited: Promise<string>;
  #stderr = "";
  #hasExited = false;

  constructor({ words, env, cwd }: ChildOptions) {
    const [program = "", ...args] = words;
    this.process = spawn(program, args, { cwd, env, detached: process.platform !== "win32", stdio: "pipe" });
    this.process.stdin.on("error", () => undefined);
    this.process.stderr.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-stderrLimit);
    });
    const forget = endWithThisProcess(() => this.#signalGroup("SIGKILL"));
    this.exited = new Promise<string>((resolve) => {
      this.process.once("error", (failure) => resolve(`${program} did not start: ${failure.message}`));
      this.process.once("exit", (code, signal) => resolve(`${program} ended with ${code ?? signal ?? "no code"}`));
    }).finally(() => {
      this.#hasExited = true;
      forget();
    });
  }

  /** The end of what the child wrote to stderr. */
  get stderrTail(): string {
    return this.#stderr;
  }

  /** End of input first, then SIGTERM, then SIGKILL; what is left of the group goes with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.process.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#exitsInTime()) break;
      this.#signalGroup(signal);
    }
    await this.exited;
    this.#signalGroup("SIGKILL");
  }

  async #exitsInTime(): Promise<boolean> {
    if (this.#hasExited) return true;
    const { promise: late, cancel } = after(scaledMs(graceMs));
    const inTime = await Promise.race([this.exited.then(() => true), late.then(() => false)]);
    cancel();
    return inTime;
  }

  #signalGroup(signal: NodeJS.Signals): void {
    const { pid } = this.process;
    if (pid === undefined) return;
    try {
      if (process.platform === "win32") this.process.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // The group is empty: nothing is left to end.
    }
  }
}

/** Output and exit code of a finished program. `code` is `null` if the program was ended or never started. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end without input. It is ended after `limitMs` (scaled). */
export async function runToEnd(options: ChildOptions, limitMs: number): Promise<Outcome> {
  await using child = new Child(options);
  const outputs = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child.process[name].setEncoding("utf8").on("data", (chunk: string) => (outputs[name] += chunk));
  }
  const closed = new Promise<string>((resolve) => {
    child.process.once("close", () => resolve(""));
    child.process.once("error", (failure) => resolve(failure.message));
  });
  child.process.stdin.end();
  const { promise: late, cancel } = after(scaledMs(limitMs));
  const problem = await Promise.race([closed, late.then(() => `Ended after ${scaledMs(limitMs)} ms.`)]);
  cancel();
  const code = child.process.pid === undefined ? null : child.process.exitCode;
  return { code, stdout: outputs.stdout, stderr: outputs.stderr + problem };
}

/** Calls `end` when this process exits or is told to, until the function it returns has been called. */
function endWithThisProcess(end: () => void): () => void {
  const endAndPassOn = (signal: NodeJS.Signals) => {
    forget();
    end();
    process.kill(process.pid, signal);
  };
  const forget = () => {
    process.off("exit", end);
    process.off("SIGTERM", endAndPassOn);
    process.off("SIGHUP", endAndPassOn);
  };
  process.once("exit", end);
  process.once("SIGTERM", endAndPassOn);
  process.once("SIGHUP", endAndPassOn);
  return forget;
}

function after(ms: number): { readonly promise: Promise<void>; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return { promise, cancel: () => clearTimeout(timer) };
}
