import { messageOf } from "@symposium-dev/core";
import { systemCode } from "@symposium-dev/core/node";
import { createHash, randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from "node:fs";
import { join } from "node:path";
import { BlobStore } from "./blob-store.js";
import { areFirm, FolderWalk } from "./folder-walk.js";
import type { IgnoreOptions } from "./ignore-rules.js";
import type { FoundState, ReadTimes } from "./found-state.js";
import { journalOf, type KnownFile, SnapshotJournal } from "./snapshot-journal.js";
import { isSameState, type TreeChange, type TreeEntry } from "./tree.js";

export interface SnapshotLimits {
  /** Maximum size in bytes of files whose contents are stored. */
  readonly maxFileBytes: number;
  /** Maximum total size in bytes; further files aren't read. */
  readonly maxTreeBytes: number;
  /** Maximum store size in bytes. Above it, the oldest snapshots are deleted, except the last two. */
  readonly maxStoreBytes: number;
  readonly maxAgeMs: number;
}

export const defaultLimits: SnapshotLimits = {
  maxFileBytes: 20 * 1024 * 1024,
  maxTreeBytes: 2 * 1024 ** 3,
  maxStoreBytes: 1024 ** 3,
  maxAgeMs: 30 * 24 * 60 * 60 * 1_000,
};

export interface TakeOptions extends IgnoreOptions {
  /** Ignored files to include anyway, such as files that git tracks. Paths are relative, with slashes. */
  readonly more?: readonly string[];
}

export interface TakenSnapshot {
  readonly id: string;
  /** True if the folder has more files than the limit. */
  readonly isCut: boolean;
  /** True if the store exceeds its limit: call {@link FolderSnapshots.clean}. */
  readonly isFull: boolean;
  /** Reason why contents couldn't be stored, for example a full disk. Their files are listed but can't be restored. */
  readonly problem?: string;
}

const chunkBytes = 1024 * 1024;
/** Maximum size of a hashed file; larger files are identified by size and times. */
const maxHashedBytes = 256 * 1024 * 1024;
const maxSurplus = 200_000;
const growth = 1.1;

/**
 * Snapshots of one folder, in a store outside the folder: contents by hash, and a journal of each snapshot's differences. Never writes in
 * the folder. All methods block, so run it in a separate thread.
 */
export class FolderSnapshots {
  readonly #blobs: BlobStore;
  readonly #journal: SnapshotJournal;
  readonly #walk: FolderWalk;
  #wasCut = false;
  #bytesWhenCleaned = 0;
  readonly #scratch = Buffer.allocUnsafe(chunkBytes);
  #problem: string | undefined;

  /** Opens or creates the store `store`, which no other process may use. Throws the system's error. */
  constructor(
    private readonly root: string,
    store: string,
    private readonly limits: SnapshotLimits = defaultLimits,
  ) {
    this.#blobs = new BlobStore(store);
    this.#journal = new SnapshotJournal(journalOf(store));
    this.#walk = new FolderWalk(root);
  }

  get bytes(): number {
    return this.#blobs.bytes + this.#journal.bytes;
  }

  /** Takes a snapshot; returns the latest one if nothing changed. Throws if the folder can't be listed. */
  take(options: TakeOptions, nowMs = Date.now()): TakenSnapshot {
    const { files, isCut, hasOtherRules } = this.#walk.walk(options, options.more);
    const renamed = this.#renamedByCase(files);
    const latest = this.#journal.snapshots.at(-1);
    const isIncomparable = hasOtherRules || isCut || this.#wasCut;
    this.#wasCut = isCut;
    const found = new Map<string, FoundState>();
    let total = 0;
    for (const [path, stats] of files) {
      const known = this.#journal.files.get(path);
      if (known && isAsRead(known, stats)) {
        total += stats.size;
        continue;
      }
      try {
        const one = this.#read(path, stats, total);
        total += stats.size;
        if (!one) continue;
        const isOld =
          renamed.has(path) || (isIncomparable && !known && latest !== undefined && areFirm(stats, latest.atMs));
        if (known && isSameState(known.entry, one.entry)) this.#journal.reread(path, one);
        else found.set(path, { state: one.entry, times: one.times, ...(isOld && { isOld }) });
      } catch {
        // The file is unreadable or in use; identify its state by size and times.
        const entry = unread(stats);
        if (!known || !isSameState(known.entry, entry)) found.set(path, { state: entry });
      }
    }
    for (const path of this.#journal.files.keys()) {
      if (files.has(path)) continue;
      found.set(path, { state: this.#isGone(path, files) ? "absent" : "unknown" });
    }
    this.#flush(found);
    const isSame = latest !== undefined && found.size === 0;
    const id = isSame ? latest.id : `${nowMs.toString(36)}-${randomBytes(4).toString("hex")}`;
    if (!isSame) this.#tryKeeping(() => this.#journal.add(id, nowMs, found));
    const problem = this.#problem;
    this.#problem = undefined;
    const isFull = this.bytes > Math.max(this.limits.maxStoreBytes, this.#bytesWhenCleaned * growth);
    return { id, isCut, isFull, ...(problem !== undefined && { problem }) };
  }

  /** Returns the differences between two snapshots (`to` defaults to the latest), or undefined for an unknown id. */
  changes(from: string, to?: string): TreeChange[] | undefined {
    return this.#journal.changes(from, to);
  }

  get ids(): string[] {
    return this.#journal.snapshots.map(({ id }) => id);
  }

  content(hash: string): Uint8Array | undefined {
    return this.#blobs.read(hash);
  }

  lastKnown(path: string): TreeEntry | undefined {
    return this.#journal.lastKnown(path);
  }

  /** Deletes old snapshots, and the oldest ones if the store is too large. Throws the system's error. */
  clean(nowMs = Date.now()): void {
    const { maxAgeMs, maxStoreBytes } = this.limits;
    const all = this.#journal.snapshots;
    let from = all.findIndex(({ atMs }) => nowMs - atMs <= maxAgeMs);
    if (from === -1) from = all.length - 1;
    if (this.bytes > maxStoreBytes) from = this.#firstThatFits(from, all.length - 2);
    const first = all[from];
    if (first && (from > 0 || this.#journal.surplus >= maxSurplus || this.bytes > maxStoreBytes)) {
      this.#journal.keepFrom(first.id);
      this.#blobs.keepOnly(this.#journal.hashes(first.id));
    }
    this.#bytesWhenCleaned = this.bytes;
  }

  close(): void {
    this.#blobs.close();
  }

  /**
   * Returns the index of the oldest snapshot in the range for which the contents of this and all later snapshots fit the limit; `to` if
   * there is none.
   */
  #firstThatFits(from: number, to: number): number {
    let [low, high] = [from, Math.max(from, to)];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#bytesFrom(this.#journal.snapshots[middle]?.id) <= this.limits.maxStoreBytes) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #bytesFrom(id: string | undefined): number {
    let bytes = 0;
    for (const hash of this.#journal.hashes(id ?? "")) bytes += this.#blobs.sizeOf(hash);
    return bytes;
  }

  /**
   * Returns files whose names changed only in case or normalization on a case-insensitive disk. If they counted as new, restoring the old
   * state would delete them.
   */
  #renamedByCase(files: ReadonlyMap<string, Stats>): ReadonlySet<string> {
    const renamed = new Set<string>();
    if (this.#journal.files.size === 0) return renamed;
    const fresh = new Map<string, string>();
    for (const path of files.keys()) if (!this.#journal.files.has(path)) fresh.set(inOneCase(path), path);
    if (fresh.size === 0) return renamed;
    for (const path of this.#journal.files.keys()) {
      const now = files.has(path) ? undefined : fresh.get(inOneCase(path));
      if (now === undefined) continue;
      if (!this.#isGone(path, files) && lstatSync(join(this.root, path)).ino === files.get(now)?.ino) renamed.add(now);
    }
    return renamed;
  }

  /** Returns whether a missing path was deleted, rather than hidden by other rules or unreadable. */
  #isGone(path: string, files: ReadonlyMap<string, Stats>): boolean {
    // If a parent folder was replaced by a file or a link, any file now found through the path is a different file.
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      if (files.has(path.slice(0, end))) return true;
    try {
      return lstatSync(join(this.root, path), { throwIfNoEntry: false })?.isDirectory() ?? true;
    } catch (error) {
      return error instanceof Error && "code" in error && error.code === "ENOTDIR";
    }
  }

  #flush(found: Map<string, FoundState>): void {
    this.#tryKeeping(() => this.#blobs.flush());
    for (const [path, one] of found) {
      const { state } = one;
      if (typeof state === "string" || state.kind === "link" || !state.isKept || this.#blobs.has(state.hash)) continue;
      // Drop `times`, so that the next snapshot reads the file again.
      found.set(path, { ...one, times: undefined, state: { ...state, isKept: false } });
    }
  }

  #tryKeeping(keep: () => void): void {
    try {
      keep();
    } catch (error) {
      this.#problem ??= messageOf(error);
    }
  }

  /** Reads a file. Returns undefined if it is gone; throws other errors. */
  #read(path: string, stats: Stats, total: number): KnownFile | undefined {
    const file = join(this.root, path);
    try {
      const readAtMs = Date.now();
      if (stats.isSymbolicLink()) {
        const times = areFirm(stats, readAtMs) ? timesOf(stats) : undefined;
        return { entry: { kind: "link", target: readlinkSync(file) }, ...(times && { times }) };
      }
      if (total + stats.size > this.limits.maxTreeBytes || stats.size > maxHashedBytes)
        return { entry: unread(stats), times: timesOf(stats) };
      return this.#readContent(file, readAtMs);
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  #readContent(file: string, readAtMs: number): KnownFile {
    // The path may have become a link or a pipe since the listing: don't follow, don't block.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const before = fstatSync(descriptor);
      const isKept = before.size <= this.limits.maxFileBytes;
      const digest = createHash("sha256");
      const chunks: Buffer[] = [];
      let size = 0;
      let buffer = before.size < chunkBytes ? this.#scratch : Buffer.allocUnsafe(chunkBytes);
      for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer)) {
        const part = buffer.subarray(0, read);
        digest.update(part);
        size += read;
        if (!isKept) continue;
        chunks.push(part);
        buffer = Buffer.allocUnsafe(Math.min(Math.max(before.size - size, 0) + 1, chunkBytes));
      }
      const hash = digest.digest("hex");
      if (isKept)
        this.#tryKeeping(() =>
          this.#blobs.add(hash, chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
        );
      const after = fstatSync(descriptor);
      const isSteady = isSameTimes(timesOf(before), timesOf(after)) && after.size === size;
      const times = isSteady && areFirm(after, readAtMs) ? timesOf(after) : undefined;
      return {
        entry: { kind: "file", hash, size, mode: modeOf(after), isKept },
        ...(times && { times }),
      };
    } finally {
      closeSync(descriptor);
    }
  }
}

function isAsRead({ entry, times }: KnownFile, stats: Stats): boolean {
  if (!times || !isSameTimes(times, timesOf(stats))) return false;
  if (entry.kind === "link") return stats.isSymbolicLink();
  return stats.isFile() && entry.size === stats.size && entry.mode === modeOf(stats);
}

function isSameTimes(one: ReadTimes, other: ReadTimes): boolean {
  return one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs && one.ino === other.ino;
}

function timesOf({ mtimeMs, ctimeMs, ino }: Stats): ReadTimes {
  return { mtimeMs, ctimeMs, ino };
}

function modeOf({ mode }: Stats): number {
  return mode & 0o777;
}

/** Returns an entry without content, identified by size, time and inode. */
function unread(stats: Stats): TreeEntry {
  const { size, mtimeMs, ino } = stats;
  return { kind: "file", hash: `unread-${size}-${mtimeMs}-${ino}`, size, mode: modeOf(stats), isKept: false };
}

function inOneCase(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
