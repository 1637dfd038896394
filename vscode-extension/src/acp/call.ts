import { ask, type Peer, Request } from "@symposium-dev/core";
import { AgentRefusal } from "./agent-failure.js";

/** Sends one request and resolves with its result; an error answer rejects with {@link AgentRefusal}. */
export async function call(peer: Peer, method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
  const outcome = await ask(peer, Request.of(method, params), signal);
  if (outcome.isError) throw new AgentRefusal(outcome.json.value);
  return outcome.json.value;
}
