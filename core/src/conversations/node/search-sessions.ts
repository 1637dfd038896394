import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import { type Hit, TextSearch } from "../text-search.js";
import { listSessions, sessionEnding } from "./session-index.js";
import type { StoredSession } from "./stored-session.js";
import { windowsOf } from "./stored-lines.js";

/** A session in which something was found. */
interface FoundSession {
  readonly session: StoredSession;
  readonly hits: readonly Hit[];
}

interface SearchLimits {
  readonly sessions: number;
  /** Of one session. */
  readonly hits: number;
}

/** The sessions in `folder` in which `query` stands, the one that was used last first. Reads file by file, in pieces. */
export async function searchSessions(
  folder: string,
  query: string,
  { sessions: mostSessions, hits: mostHits }: SearchLimits,
): Promise<readonly FoundSession[]> {
  const found: FoundSession[] = [];
  for (const session of await listSessions(folder)) {
    if (found.length === mostSessions) break;
    const hits = await hitsIn(folder, session.id, query, mostHits);
    if (hits.length > 0) found.push({ session, hits });
  }
  return found;
}

/** The first places of one session in which `query` stands, at most `most`. Others have their turn between the pieces of a file. */
export async function hitsIn(folder: string, id: string, query: string, most: number): Promise<readonly Hit[]> {
  const search = new TextSearch(query, most);
  const hits: Hit[] = [];
  let last: string | undefined;
  for (const window of windowsOf(join(folder, `${id}${sessionEnding}`))) {
    if (last !== undefined) hits.push(...search.hitsIn(last, false));
    if (hits.length >= most) return hits.slice(0, most);
    if (last !== undefined) await others();
    last = window;
  }
  if (last !== undefined) hits.push(...search.hitsIn(last, true));
  return hits.slice(0, most);
}
