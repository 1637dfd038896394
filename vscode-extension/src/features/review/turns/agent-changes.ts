import type { FileText } from "../hunks/file-review.js";
import { type ReportedEdit, reverseEdits } from "../hunks/reverse-edit.js";

/** A tool call as far as it tells which files it changes. Paths are absolute. */
export interface WatchedToolCall {
  readonly id: string;
  /** An ACP ToolKind. */
  readonly kind: string;
  /** An ACP ToolCallStatus. */
  readonly status: string;
  readonly paths: readonly string[];
  readonly edits: readonly (ReportedEdit & { readonly path: string })[];
}

export interface ReviewedFiles {
  /** The text now; null where there is no file, undefined where it is no text that can be reviewed. */
  read(path: string): Promise<FileText | undefined>;
}

/** Where found changes go. */
interface ChangeSink {
  /** The text that a file has by all that was told of it, by agents and users; undefined where nothing was. */
  current(path: string): FileText | undefined;
  /** Whether the file is known to have had this text: whose doing it is has been told then. */
  knows(path: string, text: FileText): boolean;
  agentChanged(tabId: string, path: string, before: FileText, after: FileText): void;
  /** Whether an agent made this change cannot be told. */
  unknownChanged(path: string, text: FileText): void;
}

const kindsThatChangeFiles: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

interface Snapshot {
  /** Undefined until read, or where it cannot be read. */
  before: FileText | undefined;
  isRead: Promise<void>;
  /** The tool calls that it was made for, and those of them that go on. */
  readonly callIds: Set<string>;
  readonly openIds: Set<string>;
  /** Whether it was made before the first of them began to work. */
  readonly isEarly: boolean;
  /** Whether none of them has begun since: whoever changes the file is not the agent. */
  isWaiting: boolean;
  /** Edits that were reported and may have been made before we read. */
  readonly edits: ReportedEdit[];
  /** Whether the book has all that was reported so far: what differs from its text came later. */
  isBooked: boolean;
  /** Whether all calls have ended and were looked at: what differs from now on is not their doing. */
  isOver: boolean;
}

/**
 * Finds out what agents change that write to disk by themselves: files that a tool call names are read when it is
 * first heard of and again when it ends. Where the agent was faster than our reading, its report tells the text before.
 * What happened to a file between two tool calls was not the agent's.
 */
export class AgentChanges {
  readonly #files: ReviewedFiles;
  readonly #book: ChangeSink;
  /** By tab and path. */
  readonly #snapshots = new Map<string, Map<string, Snapshot>>();
  readonly #settling = new Map<string, Promise<void>>();

  constructor(files: ReviewedFiles, book: ChangeSink) {
    this.#files = files;
    this.#book = book;
  }

  /** A tool call began or went on. Call it for every update; nothing is read twice for one call. */
  toolCall(tabId: string, call: WatchedToolCall): void {
    const reported = call.edits.map(({ path }) => path);
    const paths = kindsThatChangeFiles.has(call.kind) ? [...call.paths, ...reported] : reported;
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
   * The editor itself wrote for the agent and knows both texts. Where they are the same, the agent had written by itself
   * before, and its tool call's end tells what it changed; unless that text was the user's and only the editor had it
   * (`wasUnsaved`): then a file that is under review has it from the user.
   */
  written(tabId: string, path: string, before: FileText, after: FileText, wasUnsaved = false): void {
    if (before === after && !(wasUnsaved && this.#book.current(path) !== undefined)) return;
    this.#book.agentChanged(tabId, path, before, after);
    const { callIds, openIds } = this.#snapshotsOf(tabId).get(path) ?? newSnapshot(false);
    const booked = { before: after, callIds, openIds, isBooked: true, isOver: openIds.size === 0 };
    this.#snapshotsOf(tabId).set(path, { ...newSnapshot(false), ...booked });
  }

  /** A file is not what it was: a tool call that has yet to begin finds it so. */
  fileChanged(path: string): void {
    for (const snapshot of this.#openSnapshots(path)) if (snapshot.isWaiting) this.#read(path, snapshot);
  }

  /** The editor saved this text: what an agent has not told of by then is not its change. */
  fileSaved(path: string, text: string): void {
    for (const snapshot of this.#openSnapshots(path)) {
      snapshot.before = text;
      snapshot.isRead = Promise.resolve();
    }
  }

  /** Resolves when everything that has ended is in the book. */
  async settled(): Promise<void> {
    await Promise.all(this.#settling.values());
  }

  /** The turn is over: files whose tool calls never ended are looked at too. Resolves when all is in the book. */
  async turnEnded(tabId: string): Promise<void> {
    const settled = this.#settle(tabId, [...(this.#snapshots.get(tabId)?.keys() ?? [])]);
    // The next turn may begin meanwhile: what it sees is not thrown away with this one's.
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

  /** A call that fails before it begins was not allowed: what others did while it waited is not the agent's. */
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
        // Where the file changed since, a later reading counts.
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

  /** One after the other for each tab, so that an older look never overwrites a newer one. */
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
    // After the calls' end only a report that came late can tell of a change of theirs.
    if (isBooked ? isOver || isUnchanged : isOver && !isUnchanged) return;
    const before = isBooked ? booked : textBefore(snapshot, after);
    // Not the text that we knew, when the call was first heard of: whose doing that was, only an early look can tell.
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

/** Undefined where it cannot be told. */
function textBefore({ before, isEarly, edits }: Snapshot, after: FileText): FileText | undefined {
  // An agent that had begun may have emptied the file to write it anew: then its report tells what was there.
  if (before === "" && !isEarly && after !== null && edits.length > 0) return reverseEdits(after, edits) ?? before;
  if (before !== undefined && (before !== after || after === null)) {
    // Lines that somebody else changed after our reading stand in the file besides those that the agent reports.
    const isPart = edits.length > 0 && edits.every(({ oldText, newText }) => oldText !== null && newText !== after);
    return (isPart && after !== null ? reverseEdits(after, edits) : undefined) ?? before;
  }
  // Nothing differs: either nothing was written, or it was before we looked.
  return after === null ? undefined : reverseEdits(after, edits);
}
