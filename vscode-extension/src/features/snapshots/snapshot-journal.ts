import { systemCode } from "@symposium-dev/core/node";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FoundState, ReadTimes } from "./found-state.js";
import { GrowingFile } from "./growing-file.js";
import { lineOf, parsedLine, type JournalLine } from "./journal-line.js";
import { isSameState, type PathState, type TreeChange, type TreeEntry } from "./tree.js";

export interface KnownFile {
  readonly entry: TreeEntry;
  /** Absent where it has to be read again. */
  readonly times?: ReadTimes;
}

interface Snapshot {
  readonly id: string;
  readonly atMs: number;
  /** What the paths were before that this snapshot found otherwise. */
  readonly before: ReadonlyMap<string, PathState>;
}

/** Where a store has its journal. */
export function journalOf(store: string): string {
  return join(store, "journal.jsonl");
}

/**
 * The snapshots of one folder, from the oldest to the latest, in one file to which each adds what it found otherwise
 * than the one before. What was not finished when its process was killed counts for nothing.
 */
export class SnapshotJournal {
  readonly #files = new Map<string, KnownFile>();
  readonly #unknown = new Set<string>();
  readonly #appended: GrowingFile;
  #snapshots: Snapshot[] = [];
  #lines = 0;
  /** The file lacks something of the latest snapshots. */
  #isBehind = false;

  constructor(private readonly file: string) {
    this.#appended = new GrowingFile(file, this.#load());
  }

  /** The files of the latest snapshot. */
  get files(): ReadonlyMap<string, KnownFile> {
    return this.#files;
  }

  /** The oldest first. */
  get snapshots(): readonly Pick<Snapshot, "id" | "atMs">[] {
    return this.#snapshots;
  }

  /** Bytes on disk. */
  get bytes(): number {
    return this.#appended.size;
  }

  /** Lines beyond those that the files of today need. */
  get surplus(): number {
    return this.#lines - this.#files.size;
  }

  /** Throws the system's error where it cannot be written; it counts nevertheless, and is written with the next one. */
  add(id: string, atMs: number, found: ReadonlyMap<string, FoundState>): void {
    this.#take(id, atMs, found);
    if (this.#isBehind) {
      this.keepFrom(this.#snapshots[0]?.id ?? id);
      return;
    }
    const lines: JournalLine[] = [...found].map(([path, one]) => ({ path, ...one }));
    lines.push({ id, atMs });
    this.#isBehind = true;
    this.#appended.append(textOf(lines));
    this.#isBehind = false;
    this.#lines += lines.length;
  }

  /** A file was read again and is what it was. */
  reread(path: string, known: KnownFile): void {
    this.#files.set(path, known);
  }

  /** What is otherwise in the one snapshot than in the other, the latest unless named. Undefined where one is not known. */
  changes(fromId: string, toId?: string): TreeChange[] | undefined {
    const from = this.#indexOf(fromId);
    const to = toId === undefined ? this.#snapshots.length - 1 : this.#indexOf(toId);
    if (from === -1 || to === -1) return undefined;
    if (to < from) {
      const forward = this.changes(toId ?? "", fromId);
      return forward?.map(({ path, before, after }) => ({ path, before: after, after: before }));
    }
    const before = statesBefore(this.#snapshots.slice(from + 1, to + 1));
    const later = statesBefore(this.#snapshots.slice(to + 1));
    const changes: TreeChange[] = [];
    for (const [path, was] of before) {
      const is = later.get(path) ?? this.#now(path);
      if (was === "unknown" || is === "unknown" || isSameState(was, is)) continue;
      changes.push({ path, before: was, after: is });
    }
    return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** What a path was when it was last there, in any snapshot. */
  lastKnown(path: string): TreeEntry | undefined {
    const now = this.#files.get(path)?.entry;
    if (now) return now;
    const state = this.#snapshots.findLast(({ before }) => typeof before.get(path) === "object")?.before.get(path);
    return typeof state === "object" ? state : undefined;
  }

  /** The hashes of all files of the snapshots from one on. */
  hashes(fromId: string): Set<string> {
    const hashes = new Set<string>();
    const note = (state: PathState): void => {
      if (typeof state === "object" && state.kind === "file") hashes.add(state.hash);
    };
    for (const { entry } of this.#files.values()) note(entry);
    for (const { before } of this.#snapshots.slice(this.#indexOf(fromId) + 1)) before.forEach(note);
    return hashes;
  }

  /** Forgets the snapshots before this one. Throws the system's error, having changed nothing. */
  keepFrom(id: string): void {
    const [first, ...others] = this.#snapshots.slice(Math.max(this.#indexOf(id), 0));
    if (!first) return;
    const start = new Map<string, PathState>([...this.#files].map(([path, { entry }]) => [path, entry]));
    for (const path of this.#unknown) start.set(path, "unknown");
    for (const [path, state] of statesBefore(others)) start.set(path, state);
    const lines: JournalLine[] = [...start]
      .filter(([, state]) => state !== "absent")
      .map(([path, state]) => ({ path, state }));
    lines.push({ id: first.id, atMs: first.atMs });
    for (const found of this.#foundBy(others)) lines.push(...found);
    const text = textOf(lines);
    const temporary = `${this.file}.new`;
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, this.file);
    this.#appended.replaced(Buffer.byteLength(text));
    this.#snapshots = [{ ...first, before: new Map() }, ...others];
    this.#lines = lines.length;
    this.#isBehind = false;
  }

  /** The lines of each of the latest snapshots. */
  #foundBy(latest: readonly Snapshot[]): JournalLine[][] {
    // What a path was after a snapshot is what it was before the next one that found it otherwise.
    const after = new Map<string, PathState>();
    const all = latest.toReversed().map(({ id, atMs, before }) => {
      const lines: JournalLine[] = [];
      for (const [path, was] of before) {
        lines.push({ path, state: after.get(path) ?? this.#now(path), isOld: was === "unknown" });
        after.set(path, was);
      }
      return [...lines, { id, atMs }];
    });
    return all.reverse();
  }

  #indexOf(id: string): number {
    return this.#snapshots.findIndex((one) => one.id === id);
  }

  #now(path: string): PathState {
    return this.#files.get(path)?.entry ?? (this.#unknown.has(path) ? "unknown" : "absent");
  }

  #take(id: string, atMs: number, found: ReadonlyMap<string, FoundState>): void {
    const before = new Map<string, PathState>();
    for (const [path, { state, times, isOld }] of found) {
      const was = this.#now(path);
      before.set(path, was === "absent" && isOld === true ? "unknown" : was);
      this.#files.delete(path);
      this.#unknown.delete(path);
      if (state === "unknown") this.#unknown.add(path);
      else if (state !== "absent") this.#files.set(path, { entry: state, ...(times && { times }) });
    }
    // Before the first there was nothing that anybody knows of.
    this.#snapshots.push({ id, atMs, before: this.#snapshots.length === 0 ? new Map() : before });
  }

  /** Returns how many bytes of the file count. */
  #load(): number {
    let bytes: Buffer;
    try {
      bytes = readFileSync(this.file);
    } catch (error) {
      if (systemCode(error) === "ENOENT") return 0;
      // It is there: the next snapshot must not begin it anew.
      throw error;
    }
    let whole = 0;
    let lines = 0;
    let found = new Map<string, FoundState>();
    for (let start = 0, end = bytes.indexOf(10); end !== -1; start = end + 1, end = bytes.indexOf(10, start)) {
      const line = parsedLine(bytes.toString("utf8", start, end));
      if (!line) break;
      lines++;
      if ("path" in line) {
        found.set(line.path, line);
        continue;
      }
      this.#take(line.id, line.atMs, found);
      found = new Map();
      whole = end + 1;
      this.#lines = lines;
    }
    return whole;
  }
}

/** What each path was before the first of these snapshots that found it otherwise. */
function statesBefore(snapshots: readonly Snapshot[]): Map<string, PathState> {
  const states = new Map<string, PathState>();
  for (const { before } of snapshots)
    for (const [path, state] of before) if (!states.has(path)) states.set(path, state);
  return states;
}

function textOf(lines: readonly JournalLine[]): string {
  return lines.map((line) => `${lineOf(line)}\n`).join("");
}
