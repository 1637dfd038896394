import { join } from "node:path";
import type { StoredRecord } from "../stored-record.js";
import { sessionEnding } from "./session-index.js";
import { recordsOf } from "./stored-lines.js";
import type { StoredSession } from "./stored-session.js";

interface WantedSession {
  readonly agent?: string | undefined;
  readonly cwd?: string | undefined;
}

/**
 * Finds a conversation by full id, short id, or the editor's id (the latest with the agent and folder, if given). Undefined if none or
 * several match, such as of several agents. `all` must start with the latest.
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

/** Returns the part of an id that people type. */
export function shortId(id: string): string {
  return id.slice(id.indexOf("-") + 1);
}

/** Yields a conversation's records up to the end of turn `until`, after those of the conversation that it continues. */
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
    // Ignore the failure: the conversation that this one continues may have been deleted.
    if (known.size === 0) throw fault;
  }
}
