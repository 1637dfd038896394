import { type ChildProcess, spawn } from "node:child_process";
import type { CargoExit } from "../../proxies/ferris/services.js";
import { absentCargo, unusableCargo, type UnusableCargo } from "../../proxies/cargo/unusable-cargo.js";
import { processTree } from "../process-tree.js";
import { toProgram } from "../program.js";
import type { Watchdog } from "../watchdog.js";

/** How long cargo may take to end when it is asked to. */
const graceMs = 2_000;

const plainOutput = { CARGO_TERM_COLOR: "never", CARGO_TERM_PROGRESS_WHEN: "never", CARGO_TERM_QUIET: "false" };

export interface RunCargoOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly watchdog: Watchdog | undefined;
}

/** Runs cargo to its end and keeps what it prints. Rejects when `signal` is aborted, once cargo and what it started are gone. */
export async function runCargo(args: readonly string[], options: RunCargoOptions): Promise<CargoExit> {
  const { cwd, env, signal, watchdog } = options;
  const program = toProgram({ command: "cargo", args, env: plainOutput, cwd }, env);
  if ("startError" in program) return { kind: "missing", ...startProblem(program.startError, cwd) };
  throwIfAborted(signal);
  watchdog?.start();
  const child = spawn(program.file, program.args, {
    cwd,
    env: program.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
    windowsVerbatimArguments: program.isVerbatim,
  });
  const { pid } = child;
  if (pid !== undefined) watchdog?.add(pid);
  const endTree = endOnAbort(child, signal);
  try {
    const [stdout, stderr, end] = await Promise.all([textOf(child.stdout), textOf(child.stderr), endOf(child)]);
    throwIfAborted(signal);
    if ("startError" in end) return { kind: "missing", ...startProblem(end.startError, cwd) };
    const unusable = end.exitCode === 0 ? undefined : unusableCargo(stderr);
    if (unusable) return { kind: "missing", ...unusable };
    return { kind: "exited", exitCode: end.exitCode, stdout, stderr };
  } finally {
    endTree[Symbol.dispose]();
    if (pid !== undefined) watchdog?.remove(pid);
  }
}

function endOnAbort(child: ChildProcess, signal: AbortSignal): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (child.pid === undefined) return;
    const tree = processTree(child.pid);
    tree.terminate();
    timer = setTimeout(() => tree.kill(), graceMs);
  };
  signal.addEventListener("abort", end, { once: true });
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    },
  };
}

function endOf(child: ChildProcess): Promise<{ readonly exitCode: number } | { readonly startError: string }> {
  return new Promise((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => resolve({ startError: error.code ?? error.message }));
    child.once("close", (exitCode) => resolve({ exitCode: exitCode ?? 1 }));
  });
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  stream.setEncoding("utf8");
  let text = "";
  try {
    for await (const chunk of stream) text += chunk.toString();
  } catch {
    // A program that never started has no output; `endOf` says why.
  }
  return text;
}

function startProblem(code: string, cwd: string): UnusableCargo {
  if (code === "ENOTDIR") return { reason: `${cwd} is no folder`, hint: "Choose a folder that exists." };
  return code === "ENOENT" ? absentCargo : { reason: code, hint: "Check that `cargo --version` works in a terminal." };
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Error("cargo was stopped.");
}
