import { appendFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { FileLock } from "../../../base/node/file-lock.js";
import { sessionEnding } from "./session-index.js";
import { soundEnd } from "./stored-lines.js";
import type { StoredSession } from "./stored-session.js";

/** Sets the title that lists show, without changing the time of last use. Returns false if the conversation is open in any process. */
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
  // Start a new line if the last line is incomplete or lacks its newline.
  const before = lacksNewline || length < size ? "\n" : "";
  await appendFile(path, `${before}{"at":${Date.now()},"update":${JSON.stringify(update)}}\n`);
  await utimes(path, atime, mtime);
  return true;
}
