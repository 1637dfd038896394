import { redactText } from "../../base/redact.js";
import { SymposiumError } from "../../base/symposium-error.js";
import { untilAborted } from "../../base/until-aborted.js";
import type { ProcessExit, StartProcess } from "../../base/component-process.js";
import { describeExit, startHint } from "../../conductor/chain/start-hint.js";
import type { Command } from "../../base/command.js";
import { remedyFor } from "../../base/node/install-failure.js";

export interface ToolRun {
  readonly exit: ProcessExit;
  readonly stdout: string;
  readonly isSuccess: boolean;
}

/** Limit for a tool's output, in characters. */
const maxOutput = 32 * 1024 * 1024;

/**
 * Runs a package tool until it exits. If `signal` is aborted, rejects with its reason after the whole process tree has ended; rejects with
 * a {@link SymposiumError} if the tool can't start.
 */
export async function runTool(
  startProcess: StartProcess,
  name: string,
  command: Command,
  signal: AbortSignal,
): Promise<ToolRun> {
  signal.throwIfAborted();
  const lines: string[] = [];
  let length = 0;
  const keep = (line: string): void => {
    length += line.length;
    if (length <= maxOutput) lines.push(line);
  };
  await using child = startProcess(name, command, {
    line: keep,
    oversize: () => undefined,
    end: () => undefined,
    stalled: () => undefined,
  });
  const exit = await untilAborted(child.exited, signal);
  if (exit.startError !== undefined) {
    throw new SymposiumError("install-failed", describeExit(`"${command.command}"`, exit), startHint(command, exit));
  }
  return { exit, stdout: lines.join("\n"), isSuccess: exit.code === 0 };
}

export function toolFailed(subject: string, { exit, stdout }: ToolRun, hint?: string): SymposiumError {
  const said = exit.stderrTail === "" ? redactText(stdout.slice(-2_000)) : exit.stderrTail;
  const message = `${subject}: ${describeExit("the tool", exit)}${said === "" ? "" : ` It wrote: ${said}`}`;
  return new SymposiumError("install-failed", message, hint ?? remedyFor(said));
}
