import type { LiveSession } from "../../../../src/sessions/host/node/live-sessions.js";
import type { StoredSession } from "../../../../src/sessions/conversations/node/stored-session.js";

export function storedSession(session: string, cwd: string, title = `Stored ${session}`, tokens = 0): StoredSession {
  return {
    ...{ id: `20260101000000-${session}`, session, cwd, title, agent: "eliza", turns: 1, tokens },
    ...{ started: 1, updated: 5, bytes: 9 },
  };
}

export function liveSession(sessionId: string, cwd: string, state: string, title = "", updated = 7): LiveSession {
  return { sessionId, cwd, state, title, updated, agent: "Codex", isAttached: false };
}
