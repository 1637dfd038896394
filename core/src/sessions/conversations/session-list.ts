import { acpMethods } from "../../base/acp/methods.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { messageOf } from "../../base/symposium-error.js";
import { arrayOf, elementsOf, memberOf, withMember, withoutMember } from "../../base/rpc/json-edit.js";
import { Json } from "../../base/rpc/json.js";
import { Outcome, Request } from "../../base/rpc/message.js";
import { ask, type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { ConversationStore } from "./conversation-store.js";
import { isOwnPage, listedSessions } from "./listed-sessions.js";

interface SuppliedListOptions {
  readonly store: ConversationStore;
  readonly agent: string;
  /** Returns the editor's id of a session by the agent's id. */
  readonly editorIdOf: (sessionId: string) => string;
  /** Whether the agent lists sessions itself. */
  readonly isNative: boolean;
}

const mostPages = 100;

/**
 * Answers a `session/list`. If the agent lists sessions, removes hidden ones and appends stored ones that the list lacks, since some agents
 * list only their process's sessions. Otherwise lists the stored conversations.
 */
export function listSupplied(agent: Peer, request: Request, reply: Reply, options: SuppliedListOptions): Cancel {
  const { isNative } = options;
  const { method, params } = request;
  if (isNative) {
    const asked = params && isFurtherPage(params) ? new Request(method, withoutMember(params, ["cursor"])) : request;
    return agent.request(asked, (outcome) => {
      const sessions = outcome.isError ? undefined : elementsOf(memberOf(outcome.json, "sessions") ?? Json.null);
      if (!sessions) reply(outcome);
      else withKept(outcome, sessions, params, options).then(reply, () => reply(outcome));
    });
  }
  if (!isOwnPage(params)) {
    const cursor = JSON.stringify(params?.object?.["cursor"]);
    reply(Outcome.error(RpcError.invalidParams(`${cursor} isn't a cursor of this list. Start without a cursor.`)));
    return nothingToCancel;
  }
  keptPage(params, options).then(
    (page) => reply(Outcome.of(page)),
    (fault: unknown) => reply(Outcome.error(RpcError.internal(messageOf(fault)))),
  );
  return nothingToCancel;
}

function keptPage(params: Json | undefined, { store, agent }: SuppliedListOptions): ReturnType<typeof listedSessions> {
  return listedSessions(store, params, (one) => one.agent === agent);
}

/** Returns the agent's page of the session list without hidden sessions, and with stored sessions that the list lacks. */
async function withKept(
  outcome: Outcome,
  sessions: readonly Json[],
  params: Json | undefined,
  options: SuppliedListOptions,
): Promise<Outcome> {
  const { store, agent, editorIdOf } = options;
  const hidden = await store.hidden(agent);
  const own = isFurtherPage(params) ? [] : sessions.filter((session) => !hidden.has(sessionIdOf(session) ?? ""));
  // Add stored sessions only to a list with a single page: an agent with several pages stores its sessions, and only one page is known
  // here.
  const isWhole = typeof outcome.json.object?.["nextCursor"] !== "string" && isOwnPage(params);
  const page = isWhole ? await keptPage(params, options) : undefined;
  const listed = new Set(sessions.map((session) => editorIdOf(sessionIdOf(session) ?? "")));
  const kept = page?.sessions.filter(({ sessionId }) => !listed.has(sessionId)).map((one) => Json.of(one)) ?? [];
  const next = page?.nextCursor;
  if (own.length === sessions.length && kept.length === 0 && next === undefined) return outcome;
  const answer = withMember(outcome.json, ["sessions"], arrayOf([...own, ...kept]));
  return Outcome.result(next === undefined ? answer : withMember(answer, ["nextCursor"], Json.of(next)));
}

/** Returns whether the parameters continue a page of stored conversations. */
function isFurtherPage(params: Json | undefined): boolean {
  return typeof params?.object?.["cursor"] === "string" && isOwnPage(params);
}

/** Returns whether the agent's list contains the session. Never rejects. */
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
