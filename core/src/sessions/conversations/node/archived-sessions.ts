import { join } from "node:path";
import { changeList, readList } from "../../../base/node/json-file.js";
import type { StoredSession } from "./stored-session.js";

const fileName = "archived.json";
/** Maximum number of entries; the oldest are dropped. */
const mostArchived = 5_000;

/** `at` is in milliseconds since 1970. */
type ArchivedSession = readonly [id: string, at: number];

/**
 * Moves conversations to the archive or out of it. The folder's `archived.json` contains their ids. If the old file is unreadable, sets it
 * aside and returns its new path.
 */
export async function setArchived(
  folder: string,
  ids: readonly string[],
  isArchived: boolean,
  at = Date.now(),
): Promise<string | undefined> {
  return changeList(join(folder, fileName), (known) => {
    const others = known.filter(isEntry).filter(([id]) => !ids.includes(id));
    const added = isArchived ? ids.map((id): ArchivedSession => [id, at]) : [];
    return [...others, ...added].slice(-mostArchived);
  });
}

/** Returns a function that tells whether a conversation is archived. A conversation that was used later has left the archive. */
export async function archivedIn(folder: string): Promise<(session: Pick<StoredSession, "id" | "updated">) => boolean> {
  const known = await readList(join(folder, fileName));
  const times = new Map(known === "damaged" ? [] : known.filter(isEntry));
  return ({ id, updated }) => updated <= (times.get(id) ?? -Infinity);
}

function isEntry(value: unknown): value is ArchivedSession {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [id, at] = value as readonly unknown[];
  return typeof id === "string" && typeof at === "number";
}
