import type { FileText } from "./engine/file-review.js";
import { type ReportedEdit, reverseEdits } from "./engine/reverse-edit.js";

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
export interface ChangeSink {
  /** The text that a file has by all that was told of it, by agents and users; undefined where nothing was. */
  current(path: string): FileText | undefined;
  agentChanged(tabId: string, path: string, before: FileText, after: FileText): void;
}

const kindsThatChangeFiles: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

interface Snapshot {
  /** Undefined until read, or where it cannot be read. */
  before: FileText | undefined;
  readonly isRead: Promise<void>;
  /** Edits that were reported and may have been made before we read. */
  readonly edits: ReportedEdit[];
  /** Whether the book has all that was reported so far: what differs from its text came later. */
  isBooked: boolean;
}

/**
 * Finds out what agents change that write to disk by themselves: files that a tool call names are read when it is
 * first heard of and again when it ends. Where the agent was faster than our reading, its report tells the text before.
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

  /** A tool call began or went on. Call it for every update; nothing is read twice. */
  toolCall(tabId: string, call: WatchedToolCall): void {
    const reported = call.edits.map(({ path }) => path);
    const paths = kindsThatChangeFiles.has(call.kind) ? [...call.paths, ...reported] : reported;
    for (const path of new Set(paths)) this.#snapshot(tabId, path);
    for (const { path, oldText, newText } of call.edits) {
      const edits = this.#snapshots.get(tabId)?.get(path)?.edits;
      const isKnown = edits?.some((edit) => edit.oldText === oldText && edit.newText === newText) ?? true;
      if (!isKnown) edits?.push({ oldText, newText });
    }
    if (call.status === "completed" || call.status === "failed") void this.#settle(tabId, paths);
  }

  /**
   * The editor itself wrote for the agent and knows both texts. Where they are the same, the agent had written by itself
   * before: then its tool call's end tells what it changed.
   */
  written(tabId: string, path: string, before: FileText, after: FileText): void {
    if (before === after) return;
    this.#book.agentChanged(tabId, path, before, after);
    const booked = { before: after, edits: [], isRead: Promise.resolve(), isBooked: true };
    this.#snapshotsOf(tabId).set(path, booked);
  }

  /** The turn is over: files whose tool calls never ended are looked at too. Resolves when all is in the book. */
  async turnEnded(tabId: string): Promise<void> {
    const settled = this.#settle(tabId, [...(this.#snapshots.get(tabId)?.keys() ?? [])]);
    // The next turn may begin meanwhile: what it sees is not thrown away with this one's.
    this.#snapshots.delete(tabId);
    await settled;
    if (this.#settling.get(tabId) === settled) this.#settling.delete(tabId);
  }

  #snapshot(tabId: string, path: string): void {
    const ofTab = this.#snapshotsOf(tabId);
    if (ofTab.has(path)) return;
    const snapshot: Snapshot = {
      before: undefined,
      edits: [],
      isBooked: false,
      isRead: this.#files.read(path).then(
        (text) => {
          snapshot.before = text;
        },
        () => undefined,
      ),
    };
    ofTab.set(path, snapshot);
  }

  #snapshotsOf(tabId: string): Map<string, Snapshot> {
    let ofTab = this.#snapshots.get(tabId);
    if (!ofTab) this.#snapshots.set(tabId, (ofTab = new Map<string, Snapshot>()));
    return ofTab;
  }

  /** One after the other for each tab, so that an older look never overwrites a newer one. */
  #settle(tabId: string, paths: readonly string[]): Promise<void> {
    const ofTurn = this.#snapshots.get(tabId);
    const settled = (this.#settling.get(tabId) ?? Promise.resolve()).then(async () => {
      for (const path of new Set(paths)) await this.#compare(tabId, path, ofTurn?.get(path));
    });
    this.#settling.set(tabId, settled);
    return settled;
  }

  async #compare(tabId: string, path: string, snapshot: Snapshot | undefined): Promise<void> {
    if (!snapshot) return;
    await snapshot.isRead;
    const after = await this.#files.read(path).catch(() => undefined);
    if (after === undefined) return;
    const before = snapshot.isBooked ? this.#book.current(path) : textBefore(snapshot, after);
    if (before === undefined || before === after) return;
    snapshot.edits.length = 0;
    snapshot.before = after;
    snapshot.isBooked = true;
    this.#book.agentChanged(tabId, path, before, after);
  }
}

/** Undefined where it cannot be told. */
function textBefore({ before, edits }: Snapshot, after: FileText): FileText | undefined {
  if (before !== undefined && (before !== after || after === null)) return before;
  // Nothing differs: either nothing was written, or it was before we looked.
  return after === null ? undefined : reverseEdits(after, edits);
}
