import { join } from "node:path";
import { SymposiumError } from "../../base/symposium-error.js";
import { listSessions, sessionEnding } from "../../conversations/node/session-index.js";
import type { StoredSession } from "../../conversations/node/stored-session.js";
import { plainText } from "../../registry/registry-entry.js";
import { sessionsFolder } from "../../start/recorded-conversations.js";

/** A conversation that was named, and its file. */
interface NamedSession {
  readonly session: StoredSession;
  readonly file: string;
}

/**
 * The conversation of an id, as `sessions list` shows it or in full, an editor's id of it, or `last`. Rejects with
 * `invalid-arguments` where none, or more than one, is meant.
 */
export async function findSession(word: string): Promise<NamedSession> {
  const folder = sessionsFolder();
  const all = await listSessions(folder);
  const [latest] = all;
  const exact = all.filter(({ id, session }) => id === word || session === word);
  const found = exact.length > 0 ? exact.slice(0, 1) : all.filter(({ id }) => shortId(id).startsWith(word));
  const [session, other] = word === "last" && latest ? [latest] : word === "" ? [] : found;
  if (session && !other) return { session, file: join(folder, `${session.id}${sessionEnding}`) };
  const problem = other ? "There is more than one conversation" : "There is no conversation";
  throw new SymposiumError(
    "invalid-arguments",
    `${problem} "${plainText(word)}".`,
    "`symposium-acp-agent sessions list` shows the ids.",
  );
}

/** The part of an id that people type. */
export function shortId(id: string): string {
  return id.slice(id.indexOf("-") + 1);
}
