import { appendFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { FileLock } from "../../../base/node/file-lock.js";
import { sessionEnding } from "./session-index.js";
import { soundEnd } from "./stored-lines.js";
import type { StoredSession } from "./stored-session.js";

/** Gives a conversation the title that lists show; false for one that is open somewhere. It does not count as used. */
export async function renameSession(
  folder: string,
  { id, session }: Pick<StoredSession, "id" | "session">,
  title: string,
): Promise<boolean> {
  const path = join(folder, `${id}${sessionEnding}`);
  await using lock = await FileLock.tryTake(path);
  if (!lock) return false;
  const { atime, mtime, size } = await stat(path);
  const { length, lacksNewline } = soundEnd(path);
  const update = { sessionId: session, update: { sessionUpdate: "session_info_update", title } };
  // A last line that was not finished stays, apart from this one.
  const before = lacksNewline || length < size ? "\n" : "";
  await appendFile(path, `${before}{"at":${Date.now()},"update":${JSON.stringify(update)}}\n`);
  await utimes(path, atime, mtime);
  return true;
}
