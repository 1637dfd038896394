import { RpcError } from "../../base/rpc/rpc-error.js";
import type { ProcessExit } from "../../base/component-process.js";
import type { Command } from "../../base/command.js";
import { describeExit, startHint } from "./start-hint.js";

/** Where the user of a chain has written what it is made of, as remedies name it; what is absent is not named. */
export interface PlaceNames {
  /** Such as `config.jsonc` or `--agent`. */
  readonly agent?: string;
  readonly proxies?: string;
  /** What sets how long a start may take, such as `--startup-timeout`. */
  readonly startupTimeout?: string;
  readonly stallTimeout?: string;
}

/** Why a chain ended before its client wanted it to. */
export interface ChainFailure {
  /** The component that is to blame. */
  readonly component: string;
  /** One sentence or two for a person: what happened, and the next step where one is known. */
  readonly message: string;
  /** The error that every waiting request is answered with. */
  readonly error: RpcError;
}

/** A component's process could not start or ended by itself. */
export function exitFailure(component: string, command: Command, exit: ProcessExit, place?: string): ChainFailure {
  return failure(component, describeExit(`"${component}"`, exit), startHint(command, exit, place), {
    exitCode: exit.code,
    signal: exit.signal,
    ...(exit.startError !== undefined && { startError: exit.startError }),
    stderr: exit.stderrTail,
  });
}

/** A component has closed its output and yet goes on running: no answer can come from it any more. */
export function silenceFailure(component: string): ChainFailure {
  return failure(component, `"${component}" has closed its output.`, "Restart it; its log may say why.", {});
}

/** A component takes no more input. */
export function stallFailure(component: string, ms: number, { stallTimeout }: PlaceNames = {}): ChainFailure {
  const longer = stallTimeout === undefined ? "" : `; if it works on something long, raise ${stallTimeout}`;
  const hint = `Restart it${longer}.`;
  return failure(component, `"${component}" has not read its input for ${seconds(ms)}.`, hint, { stalledMs: ms });
}

/** A component is not what it was given as, and takes no part in a chain. `what` says what it is, the hint where it belongs. */
export function mistakenFailure(component: string, what: string, hint: string, cause: unknown): ChainFailure {
  return failure(component, `"${component}" ${what}`, hint, { cause });
}

/** A component did not answer `initialize` in time. */
export function startupTimeoutFailure(
  component: string,
  ms: number,
  { startupTimeout }: PlaceNames = {},
): ChainFailure {
  const longer = startupTimeout === undefined ? "" : `, or raise ${startupTimeout}`;
  return failure(
    component,
    `"${component}" did not answer initialize within ${seconds(ms)}.`,
    `A first start may have to download the agent: try again${longer}.`,
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
