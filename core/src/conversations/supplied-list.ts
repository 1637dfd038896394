import { acpMethods } from "../acp/methods.js";
import { sessionIdOf } from "../acp/session-message.js";
import { messageOf } from "../base/symposium-error.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../rpc/json-edit.js";
import { Json } from "../rpc/json.js";
import { Outcome, Request } from "../rpc/message.js";
import { ask, type Cancel, nothingToCancel, type Peer, type Reply } from "../rpc/peer.js";
import { RpcError } from "../rpc/rpc-error.js";
import type { ConversationStore } from "./conversation-store.js";
import { isOwnPage, listedSessions } from "./listed-sessions.js";

interface SuppliedListOptions {
  readonly store: ConversationStore;
  /** The name by which conversations with the agent are kept. */
  readonly agent: string;
  /** It lists its sessions by itself. */
  readonly isNative: boolean;
}

/** Pages of an agent's list that are looked through for one session. */
const mostPages = 100;

/** Answers a `session/list`: what the agent lists but for what is hidden, or what is kept with it. */
export function listSupplied(agent: Peer, request: Request, reply: Reply, options: SuppliedListOptions): Cancel {
  const { store, agent: name, isNative } = options;
  if (isNative) {
    return agent.request(request, (outcome) => {
      const sessions = outcome.isError ? undefined : elementsOf(memberOf(outcome.json, "sessions") ?? Json.null);
      const shown = store.hidden(name).then((hidden) => {
        const left = sessions?.filter((session) => !hidden.has(sessionIdOf(session) ?? "")) ?? [];
        if (left.length === (sessions?.length ?? 0)) return outcome;
        return Outcome.result(withMember(outcome.json, ["sessions"], arrayOf(left)));
      });
      shown.then(reply, () => reply(outcome));
    });
  }
  if (!isOwnPage(request.params)) {
    const cursor = JSON.stringify(request.params?.object?.["cursor"]);
    reply(Outcome.error(RpcError.invalidParams(`${cursor} is no cursor of this list. Begin without one.`)));
    return nothingToCancel;
  }
  listedSessions(store, request.params, (one) => one.agent === name).then(
    (page) => reply(Outcome.of(page)),
    (fault: unknown) => reply(Outcome.error(RpcError.internal(messageOf(fault)))),
  );
  return nothingToCancel;
}

/** Whether the agent's own list has the session. Never rejects. */
export async function isListed(agent: Peer, id: string): Promise<boolean> {
  let cursor: unknown;
  for (let page = 0; page < mostPages; page++) {
    const params = typeof cursor === "string" ? { cursor } : {};
    const { isError, json } = await ask(agent, Request.of(acpMethods.sessionList, params));
    if (isError) return false;
    const sessions = elementsOf(memberOf(json, "sessions") ?? Json.null);
    if (sessions?.some((session) => sessionIdOf(session) === id) === true) return true;
    cursor = json.object?.["nextCursor"];
    if (typeof cursor !== "string") return false;
  }
  return false;
}
