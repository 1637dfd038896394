import { defaultMaxLineBytes } from "../../base/line-splitter.js";
import { stdioChannel } from "../../base/node/stdio-channel.js";
import { isDoneWithin } from "../../base/until-aborted.js";
import { refusalFromOtherMachine } from "../../sessions/host/from-other-machine.js";
import { answersFor, machineKey } from "../../settings/shared-servers.js";
import { chosenMachine, conductorStart, type MachineChoice, remoteHost } from "./other-machine.js";
import { invalidArguments } from "../../base/symposium-error.js";

/** Milliseconds to deliver the last messages to a slow editor. */
const flushMs = 2_000;

interface Elsewhere extends MachineChoice {
  /** Conductor's subcommand and its arguments. */
  readonly words: readonly string[];
  /** Value of the setting `sharedServers`, not yet validated. */
  readonly shared?: unknown;
}

/** Forwards messages between the editor and the host of another machine. Resolves with the exit code. */
export async function runElsewhere({ words, shared, ...choice }: Elsewhere): Promise<number> {
  const placement = chosenMachine(choice);
  if (!placement) throw invalidArguments("--on names no machine.");
  const remote = {
    ...remoteHost(placement, defaultMaxLineBytes),
    printed: (line: string): void => void process.stderr.write(`${line}\n`),
  };
  const answers = [...answersFor(shared, machineKey(placement, process.cwd()))];
  const names = answers.flatMap(([name, isShared]) => (isShared ? [name] : []));
  await using started = await conductorStart(remote, choice.folder, names);
  const tooLong = (): void => {
    process.stderr.write("symposium-acp-agent: a message is too long\n");
    void conductor[Symbol.asyncDispose]();
  };
  const editor = stdioChannel({
    handlers: {
      line: (line) => conductor.send(line),
      oversize: tooLong,
      end: () => void conductor[Symbol.asyncDispose](),
    },
  });
  const command = { command: remote.name, args: words, env: {} };
  const conductor = started.start("conductor", command, {
    line: (line) => {
      const refusal = refusalFromOtherMachine(line);
      if (refusal === undefined) editor.send(line);
      else conductor.send(refusal);
    },
    oversize: tooLong,
    stalled: () => undefined,
    end: () => undefined,
  });
  editor.onCongestion(() => (editor.isCongested ? conductor.pause() : conductor.resume()));
  conductor.onCongestion(() => (conductor.isCongested ? editor.pause() : editor.resume()));
  const { code, startError, stderrTail } = await conductor.exited;
  await isDoneWithin(editor.flushed(), flushMs);
  editor[Symbol.dispose]();
  const said = startError ?? stderrTail;
  if (said !== "") process.stderr.write(`symposium-acp-agent: ${said.trim()}\n`);
  return code ?? 1;
}
