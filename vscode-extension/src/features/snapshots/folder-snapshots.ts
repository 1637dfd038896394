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
  /** The contents of larger files are not kept. In bytes. */
  readonly maxFileBytes: number;
  /** Files beyond so many bytes in all are not read. */
  readonly maxTreeBytes: number;
  /** The store gives up its oldest snapshots beyond this, as long as it has two. In bytes. */
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
  /** Files to look at though they are ignored, as those that git tracks. Relative, with slashes. */
  readonly more?: readonly string[];
}

export interface TakenSnapshot {
  readonly id: string;
  /** The folder has more files than we look at. */
  readonly isCut: boolean;
  /** The store has grown beyond what it may take: {@link FolderSnapshots.clean} it. */
  readonly isFull: boolean;
  /** Why contents could not be kept, such as a full disk. Their files are known, and cannot be put back. */
  readonly problem?: string;
}

const chunkBytes = 1024 * 1024;
/** The hash of a larger file takes longer than it is worth: its size and times stand for it. */
const maxHashedBytes = 256 * 1024 * 1024;
/** A journal with so many more lines than files is written anew. */
const maxSurplus = 200_000;
/** A store that is too large although it was cleaned is cleaned again when it has grown by this. */
const growth = 1.1;

/**
 * Snapshots of one folder, in a store outside of it: contents by their hash, and a journal of what each found otherwise.
 * Writes nothing in the folder. Everything here blocks: it belongs into a thread of its own.
 */
export class FolderSnapshots {
  readonly #blobs: BlobStore;
  readonly #journal: SnapshotJournal;
  readonly #walk: FolderWalk;
  #wasCut = false;
  #bytesWhenCleaned = 0;
  /** For the contents of small files, one after the other. */
  readonly #scratch = Buffer.allocUnsafe(chunkBytes);
  /** Why contents could not be kept since somebody was told. */
  #problem: string | undefined;

  /** `store` is ours alone; it is made where it is not there. Throws the system's error. */
  constructor(
    private readonly root: string,
    store: string,
    private readonly limits: SnapshotLimits = defaultLimits,
  ) {
    this.#blobs = new BlobStore(store);
    this.#journal = new SnapshotJournal(journalOf(store));
    this.#walk = new FolderWalk(root);
  }

  /** Bytes on disk. */
  get bytes(): number {
    return this.#blobs.bytes + this.#journal.bytes;
  }

  /** The folder as it is; the latest snapshot again where nothing is different. Throws where the folder cannot be listed. */
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
        // Not ours to read, or in use: its size and times say whether it changes.
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

  /** What is otherwise in the one snapshot than in the other, the latest unless named. Undefined where one is not known. */
  changes(from: string, to?: string): TreeChange[] | undefined {
    return this.#journal.changes(from, to);
  }

  /** The ids of the snapshots, the oldest first. */
  get ids(): string[] {
    return this.#journal.snapshots.map(({ id }) => id);
  }

  /** Undefined where it was not kept. */
  content(hash: string): Uint8Array | undefined {
    return this.#blobs.read(hash);
  }

  /** What a path was when it was last there. */
  lastKnown(path: string): TreeEntry | undefined {
    return this.#journal.lastKnown(path);
  }

  /** Gives up what is too old, and the oldest where the store is too large. Throws the system's error. */
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

  /** The index of the oldest snapshot, of those from one to another, from which on all contents fit; the last one's if none does. */
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
   * Files whose name is only written in another way now, on a disk to which that makes no difference: they are not new,
   * and taking them back would remove the file.
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

  /** Whether a path that was not found is not there any more, nor hidden by other rules or from us. */
  #isGone(path: string, files: ReadonlyMap<string, Stats>): boolean {
    // A folder has become a file, or a link: what stands behind that is another file.
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      if (files.has(path.slice(0, end))) return true;
    try {
      return lstatSync(join(this.root, path), { throwIfNoEntry: false })?.isDirectory() ?? true;
    } catch (error) {
      return error instanceof Error && "code" in error && error.code === "ENOTDIR";
    }
  }

  /** What could not be written is not kept: says so in what was found. */
  #flush(found: Map<string, FoundState>): void {
    this.#tryKeeping(() => this.#blobs.flush());
    for (const [path, one] of found) {
      const { state } = one;
      if (typeof state === "string" || state.kind === "link" || !state.isKept || this.#blobs.has(state.hash)) continue;
      // Without its times it is read, and tried, again.
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

  /** Undefined where it went away. Throws what else hinders reading it. */
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
    // What has become a link or a pipe since it was listed is neither followed nor waited for.
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

/** A file whose content nobody read: its size and times tell it from its later states. */
function unread(stats: Stats): TreeEntry {
  const { size, mtimeMs, ino } = stats;
  return { kind: "file", hash: `unread-${size}-${mtimeMs}-${ino}`, size, mode: modeOf(stats), isKept: false };
}

function inOneCase(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
