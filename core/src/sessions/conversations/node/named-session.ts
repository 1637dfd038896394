import { join } from "node:path";
import type { StoredRecord } from "../stored-record.js";
import { sessionEnding } from "./session-index.js";
import { recordsOf } from "./stored-lines.js";
import type { StoredSession } from "./stored-session.js";

/** What is known of a conversation beside its name. */
interface WantedSession {
  readonly agent?: string | undefined;
  readonly cwd?: string | undefined;
}

/**
 * The conversation of an id in full, of the part of it that people type, or of an editor's id: of these the latest, of that agent and
 * folder where there is one. Undefined where none is meant, or more than one, such as those of several agents. `all` begins with the
 * latest.
 */
export function namedSession(
  all: readonly StoredSession[],
  word: string,
  { agent, cwd }: WantedSession = {},
): StoredSession | undefined {
  if (word === "") return undefined;
  const exact = all.find(({ id }) => id === word);
  if (exact) return exact;
  const ofEditor = all.filter(({ session }) => session === word);
  const inFolder = narrowed(ofEditor, (one) => one.cwd === cwd);
  const [latest, ...others] = narrowed(inFolder, (one) => one.agent === agent);
  if (latest) return others.every((one) => one.cwd === latest.cwd && one.agent === latest.agent) ? latest : undefined;
  const [found, other] = all.filter(({ id }) => shortId(id).startsWith(word));
  return other ? undefined : found;
}

function narrowed<Item>(items: readonly Item[], isWanted: (item: Item) => boolean): readonly Item[] {
  const wanted = items.filter(isWanted);
  return wanted.length > 0 ? wanted : items;
}

/** The part of an id that people type. */
export function shortId(id: string): string {
  return id.slice(id.indexOf("-") + 1);
}

/** The records of a conversation until the end of the turn `until`, after those of what it goes on with. */
export function* conversationRecords(
  folder: string,
  id: string,
  until = Infinity,
  known: ReadonlySet<string> = new Set(),
): Generator<StoredRecord> {
  if (known.has(id)) return;
  try {
    for (const record of recordsOf(join(folder, `${id}${sessionEnding}`))) {
      if (record.kind === "prompt" && record.turn > until) return;
      const before =
        record.kind === "continues" ? record.continues : record.kind === "header" ? record.header.continues : undefined;
      if (before) {
        const last = Math.min(until, before.turn);
        yield* conversationRecords(folder, before.conversation, last, new Set([...known, id]));
      }
      yield record;
    }
  } catch (fault) {
    // What it goes on with may be deleted, and it stays what it is.
    if (known.size === 0) throw fault;
  }
}
