import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { atomicWrite } from "../../../base/node/atomic-write.js";
import { asObject, parsedValue } from "../../../base/rpc/json.js";
import { readSummary, type StoredSession } from "./stored-session.js";

/** What was read of files when, so that it need not be read again. It can be deleted at any time. */
const indexName = "index.json";
export const sessionEnding = ".jsonl";
/** Behind it, of a file that is not whole yet. */
export const unfinishedEnding = ".new";
/** Files are looked at side by side. */
const lanes = 32;

/** A file of the folder; without a session where its header cannot be read. */
interface ListedFile {
  /** Its name, without the ending. */
  readonly id: string;
  readonly updated: number;
  readonly bytes: number;
  readonly session?: StoredSession;
}

/** An entry of the index: a session, or a file that is none, with the time of the file that it is about. */
interface IndexEntry {
  readonly mtimeMs: number;
  readonly bytes: number;
  readonly session?: StoredSession;
}

/** Those in which something stands, and nobody can tell of which session: what writes them begins with that. */
export function damagedFiles(files: readonly ListedFile[]): readonly ListedFile[] {
  return files.filter(({ session, bytes }) => session === undefined && bytes > 0);
}

/** Every session in `folder`, the one that was used last first. Reads of each file what the index does not know of it. */
export async function listSessions(folder: string): Promise<readonly StoredSession[]> {
  return (await listFiles(folder)).flatMap(({ session }) => session ?? []);
}

/** The same with the files that are no sessions, such as one whose process was killed before it wrote anything. */
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
  // A cache that cannot be written is none: the list is right all the same.
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

/** Undefined for one that could not be read: it may be another time. */
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
    // Deleted meanwhile, not ours to read, or held by another program.
    return undefined;
  }
}

async function readIndex(file: string): Promise<ReadonlyMap<string, IndexEntry>> {
  const value = parsedValue(await readFile(file, "utf8").catch(() => "[]"));
  const entries = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return new Map(entries.filter(isIndexed));
}

/** The file is ours, and whatever is wrong with an entry is read again from the session's own file. */
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
