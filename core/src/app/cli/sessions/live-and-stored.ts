import type { StoredSession } from "../../../sessions/conversations/node/stored-session.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { messageOf } from "../../../base/symposium-error.js";
import { type LiveSession, liveSessions } from "../../../sessions/host/node/live-sessions.js";
import { warn } from "../output.js";

/** Conversation that is stored, live in the host, or both. */
export interface ListedConversation {
  readonly title: string;
  readonly cwd: string;
  /** Time of the last update, in milliseconds since 1970. */
  readonly updated: number;
  readonly stored?: StoredSession;
  readonly live?: LiveSession;
  /** Linked Git worktree of the conversation's folder, once measured. */
  readonly worktree?: { readonly name: string; readonly bytes: number } | undefined;
}

/**
 * Matches live sessions to stored conversations, which are sorted from newest to oldest. Live sessions that aren't stored come first; live
 * sessions without a prompt are omitted.
 */
export function listedConversations(
  stored: readonly StoredSession[],
  live: readonly LiveSession[],
): readonly ListedConversation[] {
  const unstored = new Map(live.map((session) => [keyOf(session.sessionId, session.cwd), session]));
  const listed = stored.map((session): ListedConversation => {
    const { title, cwd, updated } = session;
    const key = keyOf(session.session, cwd);
    const found = unstored.get(key);
    unstored.delete(key);
    if (!found) return { title, cwd, updated, stored: session };
    return {
      title: title === "" ? found.title : title,
      cwd,
      updated: Math.max(updated, found.updated),
      stored: session,
      live: found,
    };
  });
  const begun = [...unstored.values()].filter(({ title, state }) => title !== "" || state !== "idle");
  const first = begun.map((session): ListedConversation => {
    const { title, cwd, updated } = session;
    return { title, cwd, updated, live: session };
  });
  return [...first.sort((one, other) => other.updated - one.updated), ...listed];
}

/** Returns the host's sessions. Prints a problem of the host, which must not hide the stored conversations. */
export function liveOrWarn(): Promise<readonly LiveSession[]> {
  return liveSessions().catch((fault: unknown) => {
    warn(`The host's sessions are missing: ${plainText(messageOf(fault), 4_000)}`);
    return [];
  });
}

function keyOf(session: string, cwd: string): string {
  return JSON.stringify([session, cwd]);
}
