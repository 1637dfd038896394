import { acpMethods, isSessionSetup } from "../acp/methods.js";
import { sessionIdOf } from "../acp/session-message.js";
import type { ChainsOptions } from "../chains/chains.js";
import type { KnownSessions } from "../chains/known-sessions.js";
import type { ConversationStore } from "../conversations/conversation-store.js";
import { listedSessions } from "../conversations/listed-sessions.js";
import { Json } from "../rpc/json.js";
import type { Request } from "../rpc/message.js";
import type { Cancel, Peer } from "../rpc/peer.js";
import type { Connect } from "./recorded-conversations.js";

/** What `session/list` shows of the kept conversations with agents that are wanted. */
export async function keptSessions(
  store: ConversationStore,
  params: Json | undefined,
  isWanted: (agent: string) => boolean,
): ReturnType<NonNullable<ChainsOptions["kept"]>> {
  const { sessions, nextCursor } = await listedSessions(store, params, ({ agent }) => isWanted(agent));
  return { sessions: sessions.map((session) => Json.of(session)), nextCursor };
}

/**
 * `connect`, with the agent of a session looked up in what is kept before the session comes back that nobody here
 * remembers, such as one of another editor.
 */
export function withKeptAgents(known: KnownSessions, store: ConversationStore, connect: Connect): Connect {
  return (client, hooks) => {
    const served = connect(client, hooks);
    const { fromClient } = served;
    const request: Peer["request"] = (asked, reply) => {
      const id = isReturn(asked) ? sessionIdOf(asked.params) : undefined;
      if (id === undefined || known.agentOf(id) !== undefined) return fromClient.request(asked, reply);
      let isCancelled = false;
      let cancel: Cancel = () => (isCancelled = true);
      void agentIn(store, id).then((agent) => {
        if (agent !== undefined) known.add(id, id, agent);
        cancel = fromClient.request(asked, reply);
        if (isCancelled) cancel();
      });
      return () => cancel();
    };
    return {
      fromClient: { request, notify: (notification) => fromClient.notify(notification) },
      [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
    };
  };
}

function isReturn({ method }: Request): boolean {
  return method === acpMethods.sessionDelete || (isSessionSetup(method) && method !== acpMethods.sessionNew);
}

async function agentIn(store: ConversationStore, id: string): Promise<string | undefined> {
  try {
    const sessions = (await store.keeps()) ? await store.list() : [];
    return sessions.find(({ session }) => session === id)?.agent;
  } catch {
    // What cannot be read knows nothing: the request goes on as it would without.
    return undefined;
  }
}
