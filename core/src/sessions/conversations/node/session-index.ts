import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { atomicWrite } from "../../../base/node/atomic-write.js";
import { asObject, parsedValue } from "../../../base/rpc/json.js";
import { readSummary, type StoredSession } from "./stored-session.js";

/** Name of the file that caches session summaries by file and modification time; the file is safe to delete. */
const indexName = "index.json";
export const sessionEnding = ".jsonl";
/** Additional suffix of a file that isn't complete yet. */
export const unfinishedEnding = ".new";
/** Number of files read in parallel. */
const lanes = 32;

/** File in the folder; without a session if the header is unreadable. */
interface ListedFile {
  /** File name without suffix. */
  readonly id: string;
  readonly updated: number;
  readonly bytes: number;
  readonly session?: StoredSession;
}

/** Entry of the index: a session or an unrelated file, with the file's modification time. */
interface IndexEntry {
  readonly mtimeMs: number;
  readonly bytes: number;
  readonly session?: StoredSession;
}

/** Returns files that have contents but no readable header. Every writer writes the header first. */
export function damagedFiles(files: readonly ListedFile[]): readonly ListedFile[] {
  return files.filter(({ session, bytes }) => session === undefined && bytes > 0);
}

/** Returns every session in `folder`, most recently used first. Reads only files that changed since the index. */
export async function listSessions(folder: string): Promise<readonly StoredSession[]> {
  return (await listFiles(folder)).flatMap(({ session }) => session ?? []);
}

/** Lists all files, including those without a session, such as from a process killed before its first write. */
export async function listFiles(folder: string): Promise<readonly ListedFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(sessionEnding));
  const known = await readIndex(join(folder, indexName));
  const entries = new Map<string, IndexEntry>();
  const read: (readonly [string, IndexEntry])[] = [];
  const waiting = [...names];
  async function lookAt(): Promise<void> {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const stats = await stat(join(folder, name)).catch(() => undefined);
      if (!stats?.isFile()) continue;
      const { mtimeMs, size: bytes } = stats;
      const old = known.get(name);
      const isSame = old?.mtimeMs === mtimeMs && old.bytes === bytes;
      const entry = isSame ? old : await entryOf(folder, name, mtimeMs, bytes);
      entries.set(name, entry ?? { mtimeMs, bytes });
      if (entry) read.push([name, entry]);
    }
  }
  await Promise.all(Array.from({ length: lanes }, lookAt));
  // Update the index if it has changed. If this fails, the returned list is still correct.
  const isNew = read.length !== known.size || read.some(([name, entry]) => known.get(name) !== entry);
  if (isNew) await atomicWrite(join(folder, indexName), JSON.stringify(read)).catch(() => undefined);
  return [...entries]
    .map(([name, { mtimeMs, bytes, session }]) => ({
      id: name.slice(0, -sessionEnding.length),
      updated: Math.round(mtimeMs),
      bytes,
      ...(session && { session }),
    }))
    .sort((a, b) => b.updated - a.updated || (a.id < b.id ? 1 : -1));
}

/** Returns undefined for an unreadable file; a later call may succeed. */
async function entryOf(folder: string, name: string, mtimeMs: number, bytes: number): Promise<IndexEntry | undefined> {
  try {
    const read = await readSummary(join(folder, name));
    if (!read) return { mtimeMs, bytes };
    const { session, cwd, client, branch, started } = read.header;
    const found: StoredSession = {
      id: name.slice(0, -sessionEnding.length),
      session,
      cwd,
      ...(client !== undefined && { client }),
      ...(branch !== undefined && { branch }),
      ...read.summary,
      started,
      updated: Math.round(mtimeMs),
      bytes,
    };
    return { mtimeMs, bytes, session: found };
  } catch {
    // The file was deleted, this user may not read it, or another program has locked it.
    return undefined;
  }
}

async function readIndex(file: string): Promise<ReadonlyMap<string, IndexEntry>> {
  const value = parsedValue(await readFile(file, "utf8").catch(() => "[]"));
  const entries = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return new Map(entries.filter(isIndexed));
}

/**
 * Returns whether a value has the form of an index entry. Checks little, since Symposium wrote the index and reads the session file for an
 * invalid entry.
 */
function isIndexed(value: unknown): value is readonly [string, IndexEntry] {
  if (!Array.isArray(value) || typeof value[0] !== "string") return false;
  const entry = asObject(value[1]);
  if (typeof entry?.["mtimeMs"] !== "number" || typeof entry["bytes"] !== "number") return false;
  const session = entry["session"];
  if (session === undefined) return true;
  const { id, session: name, cwd, title, agent, turns, updated, started } = asObject(session) ?? {};
  const texts = [id, name, cwd, title, agent].every((text) => typeof text === "string");
  return texts && [turns, updated, started].every((number) => typeof number === "number");
}
