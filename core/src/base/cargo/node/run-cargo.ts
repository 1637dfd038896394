import { type RunOptions, runProgram } from "../../runs/node/run-program.js";
import type { RunExit, RunLimits } from "../../runs/run.js";
import { absentCargo, type CargoCommand, type CargoText, unusableCargo, type UnusableCargo } from "../cargo.js";

/** Runs cargo, as {@link runProgram} runs any program. */
export function runCargo(command: CargoCommand, limits: RunLimits, options: RunOptions): Promise<RunExit> {
  return runProgram({ command: "cargo", ...command }, limits, options);
}

/** How long cargo may take to end when it is asked to. */
const graceMs = 2_000;

const plainOutput = { CARGO_TERM_COLOR: "never", CARGO_TERM_PROGRESS_WHEN: "never", CARGO_TERM_QUIET: "false" };

interface CargoTextOptions extends Pick<RunOptions, "env" | "watchdog" | "confined"> {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Runs cargo to its end and keeps what it prints. Rejects when `signal` is aborted, once cargo and what it started are gone. */
export async function cargoText(args: readonly string[], options: CargoTextOptions): Promise<CargoText> {
  const { cwd, env, signal, watchdog, confined } = options;
  let stdout = "";
  let stderr = "";
  const exit = await runCargo(
    { args, cwd, env: plainOutput },
    { signal, timeoutMs: Infinity, output: (text) => (stdout += text), errors: (text) => (stderr += text) },
    { watchdog, confined, env, terminationMs: graceMs, maxOutputBytes: Infinity },
  );
  if (signal.aborted) throw new Error("cargo was stopped.");
  if (exit.startError !== undefined) return { kind: "missing", ...startProblem(exit.startError, cwd) };
  const exitCode = exit.code ?? 1;
  const unusable = exitCode === 0 ? undefined : unusableCargo(stderr);
  return unusable ? { kind: "missing", ...unusable } : { kind: "exited", exitCode, stdout, stderr };
}

function startProblem(code: string, cwd: string): UnusableCargo {
  if (code === "ENOTDIR") return { reason: `${cwd} is no folder`, hint: "Choose a folder that exists." };
  return code === "ENOENT" ? absentCargo : { reason: code, hint: "Check that `cargo --version` works in a terminal." };
}
