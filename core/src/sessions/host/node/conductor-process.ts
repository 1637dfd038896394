import type { Logger } from "../../../base/logger.js";
import { startProcess } from "../../../base/node/child-component.js";
import { selfCommand } from "../../../base/node/self-command.js";
import type { Watchdog } from "../../../base/node/orphan-watchdog.js";
import { Connection } from "../../../base/rpc/connection.js";
import { Outcome } from "../../../base/rpc/message.js";
import type { Peer } from "../../../base/rpc/peer.js";
import { RpcError } from "../../../base/rpc/rpc-error.js";
import type { ClientStart, ConductorHooks, StartedConductor } from "../host.js";

interface ConductorProcessOptions {
  readonly logger: Logger;
  readonly watchdog: Watchdog;
  readonly maxLineBytes: number;
}

/** Milliseconds that a conductor has to end its agents after its input ends. */
const graceMs = 8_000;

export function conductorProcess(
  { words, cwd, env }: ClientStart,
  client: Peer,
  hooks: ConductorHooks,
  { logger, watchdog, maxLineBytes }: ConductorProcessOptions,
): StartedConductor {
  const start = startProcess({ logger, watchdog, env, maxLineBytes, graceMs, onStderr: (line) => hooks.printed(line) });
  const self = selfCommand();
  const command = { command: self.command, args: [...self.args, "in-process", ...words], env: self.env, cwd };
  const connection = new Connection({ send: (line) => child.send(line), inbound: client, answersGarbage: false });
  const child = start(`conductor ${words[0] ?? ""}`, command, {
    line: (line) => connection.receive(line),
    oversize: (line) => connection.receiveOversize(line, maxLineBytes),
    end: () => undefined,
    stalled: (ms) => logger.warn("a conductor isn't reading its input", { ms }),
  });
  child.onCongestion(() => hooks.congestionChanged());
  void child.exited.then(({ code, signal, startError }) => {
    const how = startError ?? (signal === null ? `exit code ${code ?? "unknown"}` : signal);
    connection.close(Outcome.error(RpcError.internal(`The conductor of this session ended: ${how}.`)));
    hooks.ended(`the conductor ended: ${how}`);
  });
  return {
    peer: connection,
    get isCongested() {
      return child.isCongested;
    },
    pause: (isPaused) => (isPaused ? child.pause() : child.resume()),
    end: async () => {
      await child[Symbol.asyncDispose]();
    },
  };
}
