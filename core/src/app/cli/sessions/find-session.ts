import { stat } from "node:fs/promises";
import { join } from "node:path";
import { invalidArguments } from "../../../base/symposium-error.js";
import { namedSession, shortId } from "../../../sessions/conversations/node/named-session.js";
import { listSessions, sessionEnding } from "../../../sessions/conversations/node/session-index.js";
import type { StoredSession } from "../../../sessions/conversations/node/stored-session.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { sessionsFolder } from "../../recorded-conversations.js";
import { warn } from "../output.js";
import { safeLine } from "../terminal-chat/safe-text.js";

interface NamedSession {
  readonly session: StoredSession;
  readonly file: string;
}

/**
 * Finds a conversation by its id (short or full), an editor's id, or `last`. Rejects with `invalid-arguments` unless exactly one
 * conversation matches.
 */
export async function findSession(word: string): Promise<NamedSession> {
  const folder = sessionsFolder();
  const all = await listSessions(folder);
  const session = (word === "last" ? all[0] : undefined) ?? namedSession(all, word);
  if (session) return { session, file: join(folder, `${session.id}${sessionEnding}`) };
  const isUnclear = word !== "" && all.some(({ id, session: name }) => name === word || shortId(id).startsWith(word));
  const problem = isUnclear ? "There is more than one conversation" : "There is no conversation";
  throw invalidArguments(`${problem} "${plainText(word)}".`, "`symposium-acp-agent sessions list` shows the ids.");
}

/** Returns the conversation's folder. If the folder no longer exists, prints a warning and returns the current folder. */
export async function folderOf({ cwd }: StoredSession): Promise<string> {
  const isThere = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isThere) return cwd;
  const current = process.cwd();
  warn(`${safeLine(cwd)} no longer exists. The conversation continues in ${safeLine(current)}.`);
  return current;
}
