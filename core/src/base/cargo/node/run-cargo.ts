import { type RunOptions, runProgram } from "../../runs/node/run-program.js";
import type { RunExit, RunLimits } from "../../runs/run.js";
import {
  absentCargo,
  type CargoCommand,
  type CargoText,
  unusableCargo,
  type UnusableCargo,
} from "../unusable-cargo.js";

/** Runs cargo with the given limits; see {@link runProgram}. */
export function runCargo(command: CargoCommand, limits: RunLimits, options: RunOptions): Promise<RunExit> {
  return runProgram({ command: "cargo", ...command }, limits, options);
}

const graceMs = 2_000;

const plainOutput = { CARGO_TERM_COLOR: "never", CARGO_TERM_PROGRESS_WHEN: "never", CARGO_TERM_QUIET: "false" };

interface CargoTextOptions extends Pick<RunOptions, "env" | "watchdog" | "confined"> {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Runs cargo and collects its output. If `signal` aborts, rejects after cargo and its child processes have ended. */
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
  if (code === "ENOTDIR") return { reason: `${cwd} isn't a folder`, hint: "Choose a folder that exists." };
  return code === "ENOENT" ? absentCargo : { reason: code, hint: "Check that `cargo --version` works in a terminal." };
}
