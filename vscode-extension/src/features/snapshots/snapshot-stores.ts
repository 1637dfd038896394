import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { FileLock } from "@symposium-dev/core/node";
import { journalOf } from "./snapshot-journal.js";

/** Maximum number of windows with the same folder; each has its own store. */
const maxWindows = 8;
const maxAgeMs = 30 * 24 * 60 * 60 * 1_000;
/** Maximum total size of stores that aren't in use. */
const maxBytes = 4 * 1024 ** 3;

const storeName = /^[\da-f]{16}-\d$/;

/** Store that only this window may use until the lock is released. */
export interface HeldStore {
  readonly path: string;
  readonly lock: FileLock;
}

/** Locks the folder's first store that no other window uses; undefined if all are in use. Rejects with the system's error. */
export async function holdStore(stores: string, root: string): Promise<HeldStore | undefined> {
  await mkdir(stores, { recursive: true, mode: 0o700 });
  for (const path of await storesOf(stores, root)) {
    const lock = await FileLock.tryTake(path);
    if (lock) return { path, lock };
  }
  return undefined;
}

export async function holdStoreWith(stores: string, root: string, id: string): Promise<HeldStore | undefined> {
  for (const path of await storesOf(stores, root)) {
    if (!(await readFile(journalOf(path), "utf8").catch(() => "")).includes(JSON.stringify(id))) continue;
    const lock = await FileLock.tryTake(path);
    if (lock) return { path, lock };
  }
  return undefined;
}

async function storesOf(stores: string, root: string): Promise<readonly string[]> {
  const key = createHash("sha256")
    .update(await realpath(root))
    .digest("hex")
    .slice(0, 16);
  return Array.from({ length: maxWindows }, (_, number) => join(stores, `${key}-${number}`));
}

/** Deletes stores unused for a month, and the longest unused ones while the total is too large. */
export async function removeOldStores(stores: string, nowMs = Date.now()): Promise<void> {
  const names = (await readdir(stores)).filter((name) => storeName.test(name));
  const found = await Promise.all(names.map((name) => lookAt(join(stores, name))));
  let bytes = found.reduce((sum, one) => sum + one.bytes, 0);
  for (const { path, usedAtMs, bytes: own } of found.sort((a, b) => a.usedAtMs - b.usedAtMs)) {
    if (nowMs - usedAtMs <= maxAgeMs && bytes <= maxBytes) continue;
    await using lock = await FileLock.tryTake(path);
    if (!lock) continue;
    await rm(path, { recursive: true, force: true });
    bytes -= own;
  }
}

async function lookAt(path: string): Promise<{ path: string; usedAtMs: number; bytes: number }> {
  const names = await readdir(path).catch(() => []);
  const files = await Promise.all(names.map((name) => stat(join(path, name)).catch(() => undefined)));
  const usedAtMs = Math.max(0, ...files.map((file) => file?.mtimeMs ?? 0));
  return { path, usedAtMs, bytes: files.reduce((sum, file) => sum + (file?.size ?? 0), 0) };
}
