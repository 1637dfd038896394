import { join } from "node:path";
import type { StoredRecord } from "../stored-record.js";
import { sessionEnding } from "./session-index.js";
import { recordsOf } from "./stored-lines.js";
import type { StoredSession } from "./stored-session.js";

/**
 * The conversation of an id in full, of the part of it that people type, or of an editor's id: of these the latest. Undefined
 * where none, or more than one, is meant. `all` begins with the latest.
 */
export function namedSession(all: readonly StoredSession[], word: string): StoredSession | undefined {
  if (word === "") return undefined;
  const exact = all.find(({ id, session }) => id === word || session === word);
  if (exact) return exact;
  const [found, other] = all.filter(({ id }) => shortId(id).startsWith(word));
  return other ? undefined : found;
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
