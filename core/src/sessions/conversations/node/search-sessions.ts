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
    const hits = await hitsIn(folder, session.id, [query], mostHits);
    if (hits.length > 0) found.push({ session, hits });
  }
  return found;
}

/**
 * The first places of one session in which the first of `queries` stands, at most `most`; none where one of them is nowhere. Others
 * have their turn between the pieces of a file.
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
