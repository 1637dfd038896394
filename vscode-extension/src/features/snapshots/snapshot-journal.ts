import { systemCode } from "@symposium-dev/core/node";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FoundState, ReadTimes } from "./found-state.js";
import { AppendOnlyFile } from "./append-only-file.js";
import { lineOf, parsedLine, type JournalLine } from "./journal-line.js";
import { isSameState, type PathState, type TreeChange, type TreeEntry } from "./tree.js";

export interface KnownFile {
  readonly entry: TreeEntry;
  /** File times at the last read; absent if the file must be read again. */
  readonly times?: ReadTimes;
}

interface Snapshot {
  readonly id: string;
  readonly atMs: number;
  readonly before: ReadonlyMap<string, PathState>;
}

export function journalOf(store: string): string {
  return join(store, "journal.jsonl");
}

/**
 * Snapshots of one folder, stored in one file to which each snapshot appends its differences from the previous one. Ignores an incomplete
 * snapshot of a killed process.
 */
export class SnapshotJournal {
  readonly #files = new Map<string, KnownFile>();
  readonly #unknown = new Set<string>();
  readonly #appended: AppendOnlyFile;
  #snapshots: Snapshot[] = [];
  #lines = 0;
  /** True if the file lacks data from the latest snapshots. */
  #isBehind = false;

  constructor(private readonly file: string) {
    this.#appended = new AppendOnlyFile(file, this.#load());
  }

  get files(): ReadonlyMap<string, KnownFile> {
    return this.#files;
  }

  get snapshots(): readonly Pick<Snapshot, "id" | "atMs">[] {
    return this.#snapshots;
  }

  get bytes(): number {
    return this.#appended.size;
  }

  get surplus(): number {
    return this.#lines - this.#files.size;
  }

  /** Adds a snapshot. Throws the system's error if writing fails; the snapshot is still valid, and the next call writes it again. */
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

  reread(path: string, known: KnownFile): void {
    this.#files.set(path, known);
  }

  /** Returns the differences between two snapshots (`toId` defaults to the latest), or undefined for an unknown id. */
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

  lastKnown(path: string): TreeEntry | undefined {
    const now = this.#files.get(path)?.entry;
    if (now) return now;
    const state = this.#snapshots.findLast(({ before }) => typeof before.get(path) === "object")?.before.get(path);
    return typeof state === "object" ? state : undefined;
  }

  /** Returns the hashes of all files in the snapshots since `fromId`. */
  hashes(fromId: string): Set<string> {
    const hashes = new Set<string>();
    const note = (state: PathState): void => {
      if (typeof state === "object" && state.kind === "file") hashes.add(state.hash);
    };
    for (const { entry } of this.#files.values()) note(entry);
    for (const { before } of this.#snapshots.slice(this.#indexOf(fromId) + 1)) before.forEach(note);
    return hashes;
  }

  /** Drops the snapshots before this one. If it throws the system's error, nothing has changed. */
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

  #foundBy(latest: readonly Snapshot[]): JournalLine[][] {
    // A path's state after a snapshot is its state before the next snapshot that changed it.
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
    // The states before the first snapshot are unknown.
    this.#snapshots.push({ id, atMs, before: this.#snapshots.length === 0 ? new Map() : before });
  }

  /** Returns the number of valid bytes in the file. */
  #load(): number {
    let bytes: Buffer;
    try {
      bytes = readFileSync(this.file);
    } catch (error) {
      if (systemCode(error) === "ENOENT") return 0;
      // The file exists but can't be read, so the next snapshot must not overwrite it.
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

function statesBefore(snapshots: readonly Snapshot[]): Map<string, PathState> {
  const states = new Map<string, PathState>();
  for (const { before } of snapshots)
    for (const [path, state] of before) if (!states.has(path)) states.set(path, state);
  return states;
}

function textOf(lines: readonly JournalLine[]): string {
  return lines.map((line) => `${lineOf(line)}\n`).join("");
}
