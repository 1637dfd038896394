import { RpcError } from "../../base/rpc/rpc-error.js";
import type { ProcessExit } from "../../base/component-process.js";
import type { Command } from "../../base/command.js";
import { describeExit, startHint } from "./start-hint.js";

/** Names of the places in which the user configured the chain's parts. Error hints mention only the names that are present. */
export interface PlaceNames {
  /** Place in which the user configured the agent, such as `config.jsonc` or `--agent`. */
  readonly agent?: string;
  readonly proxies?: string;
  /** Name of the startup timeout setting, such as `--startup-timeout`. */
  readonly startupTimeout?: string;
  readonly stallTimeout?: string;
}

export interface ChainFailure {
  readonly component: string;
  readonly message: string;
  readonly error: RpcError;
}

export function exitFailure(component: string, command: Command, exit: ProcessExit, place?: string): ChainFailure {
  return failure(component, describeExit(`"${component}"`, exit), startHint(command, exit, place), {
    exitCode: exit.code,
    signal: exit.signal,
    ...(exit.startError !== undefined && { startError: exit.startError }),
    stderr: exit.stderrTail,
  });
}

/** Failure of a component that closed its output but still runs, so that it can no longer answer. */
export function silenceFailure(component: string): ChainFailure {
  return failure(component, `"${component}" has closed its output.`, "Restart it; its log may say why.", {});
}

export function stallFailure(component: string, ms: number, { stallTimeout }: PlaceNames = {}): ChainFailure {
  const longer = stallTimeout === undefined ? "" : `; for long-running work, raise ${stallTimeout}`;
  const hint = `Restart it${longer}.`;
  return failure(component, `"${component}" has not read its input for ${seconds(ms)}.`, hint, { stalledMs: ms });
}

/** Creates the failure of a component of the wrong kind. `what` describes the component, and `hint` says where it belongs. */
export function mistakenFailure(component: string, what: string, hint: string, cause: unknown): ChainFailure {
  return failure(component, `"${component}" ${what}`, hint, { cause });
}

export function startupTimeoutFailure(
  component: string,
  ms: number,
  { startupTimeout }: PlaceNames = {},
): ChainFailure {
  const longer = startupTimeout === undefined ? "" : `, or raise ${startupTimeout}`;
  return failure(
    component,
    `"${component}" did not answer initialize within ${seconds(ms)}.`,
    `The first start may need to download the agent. Try again${longer}.`,
    { startupTimeoutMs: ms },
  );
}

function failure(
  component: string,
  text: string,
  hint: string | undefined,
  data: Readonly<Record<string, unknown>>,
): ChainFailure {
  const message = hint === undefined ? text : `${text} ${hint}`;
  return { component, message, error: RpcError.internal(message, { component, ...data, ...(hint && { hint }) }) };
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${ms / 1000} s` : `${Math.round(ms / 1000)} s`;
}
