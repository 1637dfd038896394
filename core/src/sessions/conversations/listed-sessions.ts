import type { Json } from "../../base/rpc/json.js";
import type { ConversationStore, KeptConversation } from "./conversation-store.js";

interface ListedSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title?: string;
  readonly updatedAt: string;
  readonly _meta: { readonly "symposium.agent": string };
}

interface SessionPage {
  readonly sessions: readonly ListedSession[];
  readonly nextCursor?: string;
}

const pageLength = 100;
const cursorStart = "symposium:";

/** Returns whether a `session/list` starts a list or continues one of Symposium's. */
export function isOwnPage(params: Json | undefined): boolean {
  const cursor = params?.object?.["cursor"];
  return cursor === undefined || cursor === null || placeIn(params) !== undefined;
}

/**
 * Returns a page of `session/list`, most recently used first. `params` may have a folder and a cursor; with a cursor that isn't from
 * Symposium, returns the first page.
 */
export async function listedSessions(
  store: ConversationStore,
  params: Json | undefined,
  isWanted: (conversation: KeptConversation) => boolean,
): Promise<SessionPage> {
  const cwd = params?.object?.["cwd"];
  const kept = (await store.keeps()) ? await store.list() : [];
  const wanted = kept.filter((one) => isWanted(one) && (typeof cwd !== "string" || one.cwd === cwd));
  // Show only the most recently used conversation per session id.
  const byId = new Map([...wanted].reverse().map((one) => [one.session, one]));
  const shown = wanted.filter((one) => byId.get(one.session) === one);
  const place = placeIn(params);
  // Compare positions instead of looking for the cursor's session: it may have been deleted, and sessions used since the last page have
  // moved to the start.
  const start = place ? shown.findIndex((one) => isAfter(one, place)) : 0;
  const page = start === -1 ? [] : shown.slice(start, start + pageLength);
  const last = page.at(-1);
  const hasMore = start + page.length < shown.length && last !== undefined;
  return {
    sessions: page.map(listed),
    ...(hasMore && { nextCursor: `${cursorStart}${last.updated}:${last.id}` }),
  };
}

interface ListPosition {
  readonly updated: number;
  readonly id: string;
}

function placeIn(params: Json | undefined): ListPosition | undefined {
  const cursor = params?.object?.["cursor"];
  if (typeof cursor !== "string" || !cursor.startsWith(cursorStart)) return undefined;
  const [updated = "", id = ""] = cursor.slice(cursorStart.length).split(":");
  return Number.isFinite(Number(updated)) && id !== "" ? { updated: Number(updated), id } : undefined;
}

function isAfter(one: KeptConversation, { updated, id }: ListPosition): boolean {
  return one.updated < updated || (one.updated === updated && one.id < id);
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
