import type { Json } from "../rpc/json.js";
import type { ConversationStore, KeptConversation } from "./conversation-store.js";

/** A session as `session/list` shows it. */
interface ListedSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title?: string;
  readonly updatedAt: string;
  readonly _meta: { readonly "symposium.agent": string };
}

/** What `session/list`, whose parameters may name a folder, shows of the conversations that are wanted. */
export async function listedSessions(
  store: ConversationStore,
  params: Json | undefined,
  isWanted: (conversation: KeptConversation) => boolean,
): Promise<readonly ListedSession[]> {
  const cwd = params?.object?.["cwd"];
  const kept = (await store.keeps()) ? await store.list() : [];
  const wanted = kept.filter((one) => isWanted(one) && (typeof cwd !== "string" || one.cwd === cwd));
  // The one that was used last stands for all of its id.
  const byId = new Map([...wanted].reverse().map((one) => [one.session, one]));
  return wanted.filter((one) => byId.get(one.session) === one).map(listed);
}

function listed({ session, cwd, title, agent, updated }: KeptConversation): ListedSession {
  return {
    sessionId: session,
    cwd,
    ...(title !== "" && { title }),
    updatedAt: new Date(updated).toISOString(),
    _meta: { "symposium.agent": agent },
  };
}
