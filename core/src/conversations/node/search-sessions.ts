import { join } from "node:path";
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
  const search = new TextSearch(query, mostHits);
  for (const session of await listSessions(folder)) {
    if (found.length === mostSessions) break;
    const hits = hitsIn(join(folder, `${session.id}${sessionEnding}`), search).slice(0, mostHits);
    if (hits.length > 0) found.push({ session, hits });
  }
  return found;
}

function hitsIn(file: string, search: TextSearch): readonly Hit[] {
  const hits: Hit[] = [];
  search.reset();
  let last: string | undefined;
  for (const window of windowsOf(file)) {
    if (last !== undefined) hits.push(...search.hitsIn(last, false));
    last = window;
  }
  if (last !== undefined) hits.push(...search.hitsIn(last, true));
  return hits;
}
