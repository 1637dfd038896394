import { fileUses } from "@symposium-dev/core";
import type { FileText } from "../hunks/file-review.js";
import { type ReportedEdit, reverseEdits } from "../hunks/reverse-edit.js";

/** Parts of a tool call that identify the changed files. Paths are absolute. */
export interface WatchedToolCall {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly paths: readonly string[];
  readonly edits: readonly (ReportedEdit & { readonly path: string })[];
}

export interface ReviewedFiles {
  /** Returns the current text; null for no file, undefined if it can't be reviewed as text. */
  read(path: string): Promise<FileText | undefined>;
}

interface ChangeSink {
  /** Returns a file's text that was last reported, by agents or users; undefined if no text was reported. */
  current(path: string): FileText | undefined;
  /** Returns whether the file is known to have had this text, so that its author was already recorded. */
  knows(path: string, text: FileText): boolean;
  agentChanged(tabId: string, path: string, before: FileText, after: FileText): void;
  unknownChanged(path: string, text: FileText): void;
}

interface Snapshot {
  /** File's text before the tool call; undefined until it has been read, or if it can't be read. */
  before: FileText | undefined;
  isRead: Promise<void>;
  readonly callIds: Set<string>;
  readonly openIds: Set<string>;
  /** True if the snapshot was taken before the first tool call started. */
  readonly isEarly: boolean;
  /** True while no tool call has started, so that others made any change to the file. */
  isWaiting: boolean;
  readonly edits: ReportedEdit[];
  /** True if all reported changes are in the book. If the file's text differs from the book's, the change is newer. */
  isBooked: boolean;
  /** True after all tool calls have ended and the file was compared. Later differences don't belong to these calls. */
  isOver: boolean;
}

/**
 * Finds changes by agents that write files themselves: reads the files of a tool call when the call is announced and when it ends. If the
 * agent wrote before the first read, reconstructs the earlier text from the call's edits. Changes between two tool calls are by others.
 */
export class AgentChanges {
  readonly #files: ReviewedFiles;
  readonly #book: ChangeSink;
  readonly #snapshots = new Map<string, Map<string, Snapshot>>();
  readonly #settling = new Map<string, Promise<void>>();

  constructor(files: ReviewedFiles, book: ChangeSink) {
    this.#files = files;
    this.#book = book;
  }

  /** Handles each update of a tool call. Reads a file only once per call. */
  toolCall(tabId: string, call: WatchedToolCall): void {
    const reported = call.edits.map(({ path }) => path);
    const paths = fileUses(call.kind)?.includes("write") ? [...call.paths, ...reported] : reported;
    if (call.status === "failed") this.#forgetWaiting(tabId, call.id);
    for (const path of new Set(paths)) this.#snapshot(tabId, path, call);
    for (const { path, oldText, newText } of call.edits) {
      const edits = this.#snapshots.get(tabId)?.get(path)?.edits;
      const isKnown = edits?.some((edit) => edit.oldText === oldText && edit.newText === newText) ?? true;
      if (!isKnown) edits?.push({ oldText, newText });
    }
    if (call.status !== "completed" && call.status !== "failed") return;
    for (const { openIds } of this.#snapshotsOf(tabId).values()) openIds.delete(call.id);
    void this.#settle(tabId, paths);
  }

  /**
   * Records that the editor wrote a file on the agent's behalf. If both texts are equal, the agent had already written the file: its tool
   * call will report the change, so nothing is recorded. Exception: with `wasUnsaved`, `before` was the user's unsaved text, so the write
   * is recorded if the file is under review.
   */
  written(tabId: string, path: string, before: FileText, after: FileText, wasUnsaved = false): void {
    if (before === after && !(wasUnsaved && this.#book.current(path) !== undefined)) return;
    this.#book.agentChanged(tabId, path, before, after);
    const { callIds, openIds } = this.#snapshotsOf(tabId).get(path) ?? newSnapshot(false);
    const booked = { before: after, callIds, openIds, isBooked: true, isOver: openIds.size === 0 };
    this.#snapshotsOf(tabId).set(path, { ...newSnapshot(false), ...booked });
  }

  /** Re-reads a changed file for tool calls that haven't started yet. */
  fileChanged(path: string): void {
    for (const snapshot of this.#openSnapshots(path)) if (snapshot.isWaiting) this.#read(path, snapshot);
  }

  /** Uses the saved text as the new base: unreported differences up to the save aren't the agent's. */
  fileSaved(path: string, text: string): void {
    for (const snapshot of this.#openSnapshots(path)) {
      snapshot.before = text;
      snapshot.isRead = Promise.resolve();
    }
  }

  /** Resolves when the changes of all tool calls that have ended are in the book. */
  async settled(): Promise<void> {
    await Promise.all(this.#settling.values());
  }

  /** Compares all remaining files of a turn, even those of calls that never ended. Resolves when all changes are in the book. */
  async turnEnded(tabId: string): Promise<void> {
    const settled = this.#settle(tabId, [...(this.#snapshots.get(tabId)?.keys() ?? [])]);
    // Delete the snapshots before waiting, so that snapshots of the next turn aren't lost.
    this.#snapshots.delete(tabId);
    await settled;
    if (this.#settling.get(tabId) === settled) this.#settling.delete(tabId);
  }

  #snapshot(tabId: string, path: string, { id, status }: WatchedToolCall): void {
    const known = this.#snapshotsOf(tabId).get(path);
    const isWaiting = status === "pending";
    if (known && (known.openIds.size > 0 || known.callIds.has(id))) {
      if (!known.callIds.has(id)) known.openIds.add(id);
      known.callIds.add(id);
      known.isWaiting &&= isWaiting;
      return;
    }
    const snapshot = newSnapshot(isWaiting);
    snapshot.callIds.add(id);
    snapshot.openIds.add(id);
    this.#read(path, snapshot);
    this.#snapshotsOf(tabId).set(path, snapshot);
  }

  /**
   * Drops the snapshots of a tool call that failed before it started, because it was denied. Changes made while the call waited aren't the
   * agent's.
   */
  #forgetWaiting(tabId: string, callId: string): void {
    const ofTab = this.#snapshotsOf(tabId);
    for (const [path, { isWaiting, isBooked, callIds }] of [...ofTab]) {
      if (isWaiting && !isBooked && callIds.delete(callId) && callIds.size === 0) ofTab.delete(path);
    }
  }

  #openSnapshots(path: string): Snapshot[] {
    const all = [...this.#snapshots.values()].flatMap((ofTab) => ofTab.get(path) ?? []);
    return all.filter(({ isBooked, isOver }) => !isBooked && !isOver);
  }

  #read(path: string, snapshot: Snapshot): void {
    const isRead = this.#files.read(path).then(
      (text) => {
        // A later read has already replaced this result.
        if (snapshot.isRead !== isRead) return;
        snapshot.before = text;
        snapshot.isBooked ||= text !== undefined && text === this.#book.current(path);
      },
      () => undefined,
    );
    snapshot.isRead = isRead;
  }

  #snapshotsOf(tabId: string): Map<string, Snapshot> {
    let ofTab = this.#snapshots.get(tabId);
    if (!ofTab) this.#snapshots.set(tabId, (ofTab = new Map<string, Snapshot>()));
    return ofTab;
  }

  /** Compares a tab's files in order, so that an older result never replaces a newer one. */
  #settle(tabId: string, paths: readonly string[]): Promise<void> {
    const ofTurn = this.#snapshots.get(tabId);
    const taken = [...new Set(paths)].map((path) => ({ path, snapshot: ofTurn?.get(path) }));
    const settled = (this.#settling.get(tabId) ?? Promise.resolve()).then(async () => {
      for (const { path, snapshot } of taken) if (snapshot) await this.#compare(tabId, path, snapshot);
    });
    this.#settling.set(tabId, settled);
    return settled;
  }

  async #compare(tabId: string, path: string, snapshot: Snapshot): Promise<void> {
    await snapshot.isRead;
    const after = await this.#files.read(path).catch(() => undefined);
    if (after === undefined) return;
    const booked = this.#book.current(path);
    const { isBooked, isOver, isEarly } = snapshot;
    const isUnchanged = after === snapshot.before;
    snapshot.isOver = snapshot.openIds.size === 0;
    // After all tool calls have ended, a new difference isn't theirs; only a late report can still describe one of their changes.
    if (isBooked ? isOver || isUnchanged : isOver && !isUnchanged) return;
    const before = isBooked ? booked : textBefore(snapshot, after);
    // If the first read found a text that nobody reported, the change's author is unknown, unless the file was read before the tool call
    // started.
    const isKnown = snapshot.before !== undefined && this.#book.knows(path, snapshot.before);
    const isForeign = !isBooked && booked !== undefined && !isEarly && !isKnown;
    if (isForeign && before === snapshot.before && before !== undefined) this.#book.unknownChanged(path, before);
    if (isForeign && before === undefined) this.#book.unknownChanged(path, after);
    snapshot.before = after;
    if (before === undefined || before === after) return;
    snapshot.edits.length = 0;
    snapshot.isBooked = true;
    this.#book.agentChanged(tabId, path, before, after);
  }
}

function newSnapshot(isWaiting: boolean): Snapshot {
  return {
    before: undefined,
    isRead: Promise.resolve(),
    callIds: new Set(),
    openIds: new Set(),
    isEarly: isWaiting,
    isWaiting,
    edits: [],
    isBooked: false,
    isOver: false,
  };
}

/** Returns the text before the change, or undefined if unknown. */
function textBefore({ before, isEarly, edits }: Snapshot, after: FileText): FileText | undefined {
  // An agent that had already started may have emptied the file for writing; its edits then contain the earlier text.
  if (before === "" && !isEarly && after !== null && edits.length > 0) {
    const earlier = reverseEdits(after, edits);
    return earlier === undefined ? before : earlier;
  }
  if (before !== undefined && (before !== after || after === null)) {
    // Reverse only the reported edits, because others may have changed the file since the snapshot, too.
    const isPart = edits.length > 0 && edits.every(({ oldText, newText }) => oldText !== null && newText !== after);
    return (isPart && after !== null ? reverseEdits(after, edits) : undefined) ?? before;
  }
  // If there is no difference, either nothing was written, or the agent wrote the file before the snapshot.
  return after === null ? undefined : reverseEdits(after, edits);
}
