import { join } from "node:path";
import { changeList, readList } from "../../../base/node/json-file.js";
import type { StoredSession } from "./stored-session.js";

const fileName = "deleted.json";
/** Maximum number of entries; the oldest are dropped. */
const mostDeleted = 5_000;

/** `at` is in milliseconds since 1970. */
type NotedSession = readonly [agent: string, session: string, at: number];

/**
 * Records in the folder's `deleted.json` that the user deleted conversations, since an editor may restore a copy. The file contains only
 * agent names and session ids. If the old file is unreadable, sets it aside and returns its new path.
 */
export async function noteDeleted(
  folder: string,
  sessions: readonly Pick<StoredSession, "agent" | "session">[],
  at = Date.now(),
): Promise<string | undefined> {
  if (sessions.length === 0) return undefined;
  const noted = sessions.map(({ agent, session }): NotedSession => [agent, session, at]);
  const names = new Set(noted.map(([agent, session]) => JSON.stringify([agent, session])));
  return changeList(join(folder, fileName), (known) => {
    const others = known.filter(isNoted).filter(([agent, session]) => !names.has(JSON.stringify([agent, session])));
    return [...others, ...noted].slice(-mostDeleted);
  });
}

/** Returns when the user last deleted a session, in milliseconds since 1970; undefined if unknown. */
export async function deletedAt(folder: string, agent: string, session: string): Promise<number | undefined> {
  const known = await readList(join(folder, fileName));
  if (known === "damaged") return undefined;
  return known.filter(isNoted).find(([one, id]) => one === agent && id === session)?.[2];
}

function isNoted(value: unknown): value is NotedSession {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [agent, session, at] = value as readonly unknown[];
  return typeof agent === "string" && typeof session === "string" && typeof at === "number";
}
