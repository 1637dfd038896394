import { Outcome, type Peer, RpcError, type StartProcess } from "@symposium-dev/core";
import {
  connectionOver,
  memoryChannelPair,
  ScriptedAgent,
  type ScriptedAgentOptions,
} from "@symposium-dev/core/testing";
import { processOver } from "./process-over.js";

/** One request that an agent got. */
export interface SeenRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Starts scripted agents in the test's process, so that they can have any capabilities. `seen` receives their requests. `answered` may
 * delay an answer and sends it with `send`. Requests for which `refuses` returns true get an error.
 */
export function startInProcess(
  options: ScriptedAgentOptions,
  seen: SeenRequest[] = [],
  answered: (method: string, send: () => void) => void = (_method, send) => send(),
  refuses: (request: SeenRequest) => boolean = () => false,
): StartProcess {
  return (_name, _command, handlers) => {
    const [near, far] = memoryChannelPair();
    connectionOver(far, (client) => {
      const agent = recording(new ScriptedAgent(options).connect(client).fromClient, seen, answered);
      return {
        ...agent,
        request: (request, reply) => {
          const { method, params } = request;
          if (!refuses({ method, params: params?.object })) return agent.request(request, reply);
          seen.push({ method, params: params?.object });
          reply(Outcome.error(RpcError.invalidParams("It is refused.")));
          return () => undefined;
        },
      };
    });
    near.start(handlers);
    return processOver(near).process;
  };
}

function recording(agent: Peer, seen: SeenRequest[], answered: (method: string, send: () => void) => void): Peer {
  return {
    request: (request, reply) => {
      seen.push({ method: request.method, params: request.params?.object });
      return agent.request(request, (outcome) => answered(request.method, () => reply(outcome)));
    },
    notify: (notification) => agent.notify(notification),
  };
}
