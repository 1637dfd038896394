import { acpMethods } from "../../base/acp/methods.js";
import { SymposiumError } from "../../base/symposium-error.js";
import { untilAborted } from "../../base/until-aborted.js";
import type { StartProcess } from "../../base/component-process.js";
import { describeExit, startHint } from "../../conductor/chain/start-hint.js";
import { AgentClient } from "../../conductor/client/agent-client.js";
import { AgentRefusal } from "../../conductor/client/agent-errors.js";
import { Connection } from "../../base/rpc/connection.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { Command } from "../../base/command.js";

export type ProbedRole = "agent" | "proxy";

/** Check of an installed program. Rejects unless the program answers. */
export type Probe = (name: string, command: Command, role: ProbedRole, signal: AbortSignal) => Promise<void>;

/** Initialization methods of proxies. The older is first, because newer proxies reject it with a proper error. */
const proxyMethods = ["_proxy/initialize", "proxy/initialize"];

/**
 * Starts the program, sends ACP's `initialize`, and stops the whole process tree. A proxy passes if it answers or calls its successor.
 * Rejects after `timeoutMs` without an answer.
 */
export function healthProbe(startProcess: StartProcess, timeoutMs = 120_000): Probe {
  return async (name, command, role, signal) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    let callSuccessor: () => void = () => undefined;
    const calledSuccessor = new Promise<void>((resolve) => (callSuccessor = resolve));
    const client = new AgentClient({
      capabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "symposium-install", version: "1" },
    });
    const inbound: Peer = {
      ...client.fromAgent,
      request: (...args) => {
        if (role === "proxy") callSuccessor();
        return client.fromAgent.request(...args);
      },
    };
    // Many programs print a banner first, so lines that aren't messages are ignored.
    const connection = new Connection({ send: (line) => child.send(line), inbound, answersGarbage: false });
    await using child = startProcess(name, command, {
      line: (line) => connection.receive(line),
      oversize: () => undefined,
      end: () => undefined,
      stalled: () => undefined,
    });
    const ended = child.exited.then((exit): never => {
      const said = exit.stderrTail === "" ? "" : ` It wrote: ${exit.stderrTail}`;
      throw unhealthy(name, `${describeExit("the program", exit)}${said}`, startHint(command, exit));
    });
    ended.catch(() => undefined);
    try {
      const answered = initialize(client, connection, role === "agent" ? [acpMethods.initialize] : proxyMethods);
      const first = Promise.race([answered, calledSuccessor, ended]);
      await untilAborted(first, AbortSignal.any([signal, timeout]));
    } catch (thrown) {
      signal.throwIfAborted();
      if (timeout.aborted) throw unhealthy(name, `there was no answer within ${timeoutMs} ms`);
      if (!(thrown instanceof AgentRefusal)) throw thrown;
      throw unhealthy(name, `it returned the error ${JSON.stringify(thrown.error)}`);
    }
  };
}

async function initialize(client: AgentClient, agent: Peer, [method, ...others]: readonly string[]): Promise<void> {
  try {
    await client.initialize(agent, { ...(method !== undefined && { method }) });
  } catch (thrown) {
    if (!(thrown instanceof AgentRefusal) || others.length === 0) throw thrown;
    await initialize(client, agent, others);
  }
}

function unhealthy(name: string, reason: string, hint?: string): SymposiumError {
  const sentence = /[.!?\n]$/.test(reason) ? reason : `${reason}.`;
  return new SymposiumError(
    "install-failed",
    `"${name}" was installed but does not answer "initialize", so it is not used: ${sentence}`,
    hint ?? "Any previous version is still in use. Try again later, or report the problem to the publisher.",
  );
}
