import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import { type Hit, TextSearch } from "../text-search.js";
import { listSessions, sessionEnding } from "./session-index.js";
import type { StoredSession } from "./stored-session.js";
import { windowsOf } from "./stored-lines.js";

interface FoundSession {
  readonly session: StoredSession;
  readonly hits: readonly Hit[];
}

interface SearchLimits {
  readonly sessions: number;
  /** Number of hits in the session. */
  readonly hits: number;
}

/** Returns the sessions in `folder` that contain `query`, most recently used first. Reads files one by one, in pieces. */
export async function searchSessions(
  folder: string,
  query: string,
  { sessions: mostSessions, hits: mostHits }: SearchLimits,
): Promise<readonly FoundSession[]> {
  const found: FoundSession[] = [];
  for (const session of await listSessions(folder)) {
    if (found.length === mostSessions) break;
    const hits = await hitsIn(folder, session.id, [query], mostHits);
    if (hits.length > 0) found.push({ session, hits });
  }
  return found;
}

/**
 * Returns at most `most` places in a session that contain the first query of `queries`; none if one of the other queries doesn't occur in
 * the session. Lets other work run between pieces.
 */
export async function hitsIn(
  folder: string,
  id: string,
  queries: readonly string[],
  most: number,
): Promise<readonly Hit[]> {
  const wanted = queries.map((query, index) => new WantedText(query, index === 0 ? most : 1));
  let last: string | undefined;
  for (const window of windowsOf(join(folder, `${id}${sessionEnding}`))) {
    if (last !== undefined) {
      for (const text of wanted) text.lookIn(last, false);
      if (wanted.every(({ isDone }) => isDone)) return wanted[0]?.hits ?? [];
      await others();
    }
    last = window;
  }
  for (const text of wanted) {
    if (last !== undefined) text.lookIn(last, true);
    if (text.hits.length === 0) return [];
  }
  return wanted[0]?.hits ?? [];
}

class WantedText {
  hits: readonly Hit[] = [];
  readonly #search: TextSearch;

  constructor(
    query: string,
    private readonly most: number,
  ) {
    this.#search = new TextSearch(query, most);
  }

  get isDone(): boolean {
    return this.hits.length >= this.most;
  }

  lookIn(window: string, isLast: boolean): void {
    if (!this.isDone) this.hits = [...this.hits, ...this.#search.hitsIn(window, isLast)].slice(0, this.most);
  }
}
