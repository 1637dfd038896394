import type { Peer, StartProcess } from "@symposium-dev/core";
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

/** Starts scripted agents in the process of the test, so that they can have any capabilities. `seen` gets their requests. */
export function startInProcess(options: ScriptedAgentOptions, seen: SeenRequest[] = []): StartProcess {
  return (_name, _command, handlers) => {
    const [near, far] = memoryChannelPair();
    connectionOver(far, (client) => recording(new ScriptedAgent(options).connect(client).fromClient, seen));
    near.start(handlers);
    return processOver(near).process;
  };
}

function recording(agent: Peer, seen: SeenRequest[]): Peer {
  return {
    request: (request, reply) => {
      seen.push({ method: request.method, params: request.params?.object });
      return agent.request(request, reply);
    },
    notify: (notification) => agent.notify(notification),
  };
}
