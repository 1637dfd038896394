import { RpcError } from "../rpc/rpc-error.js";
import type { Command, ProcessExit } from "./component-process.js";
import { describeExit, startHint } from "./start-hint.js";

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
export function exitFailure(component: string, command: Command, exit: ProcessExit): ChainFailure {
  return failure(component, describeExit(`"${component}"`, exit), startHint(command, exit), {
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
export function stallFailure(component: string, ms: number): ChainFailure {
  return failure(
    component,
    `"${component}" has not read its input for ${seconds(ms)}.`,
    'Restart it; if it works on something long, raise "stallTimeoutMs" in config.jsonc.',
    { stalledMs: ms },
  );
}

/** A component did not answer `initialize` in time. */
export function startupTimeoutFailure(component: string, ms: number): ChainFailure {
  return failure(
    component,
    `"${component}" did not answer initialize within ${seconds(ms)}.`,
    'A first start may have to download the agent: try again, or raise "startupTimeoutMs" in config.jsonc.',
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
