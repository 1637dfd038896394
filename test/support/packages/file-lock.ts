import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { poll } from "../until.js";

/**
 * Runs `action` while holding the lock file at `path`. Waits until no other process holds it. The file contains its holder's process id,
 * so locks of exited processes are removed.
 */
export async function whileLocked<T>(path: string, action: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const take = async (): Promise<boolean> => {
    if (await create(path)) return true;
    if (await isLeftBehind(path)) await rm(path, { force: true });
    return false;
  };
  await poll(take, (isTaken) => isTaken, Infinity);
  try {
    return await action();
  } finally {
    await rm(path, { force: true });
  }
}

async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, "wx");
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (failure) {
    if (failure instanceof Error && "code" in failure && failure.code === "EEXIST") return false;
    throw failure;
  }
}

async function isLeftBehind(path: string): Promise<boolean> {
  const holder = Number(await readFile(path, "utf8").catch(() => ""));
  if (!Number.isInteger(holder) || holder <= 0) return false;
  try {
    process.kill(holder, 0);
    return false;
  } catch (failure) {
    return failure instanceof Error && "code" in failure && failure.code === "ESRCH";
  }
}
