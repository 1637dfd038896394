import { isDoneWithin } from "@symposium-dev/core";
import { outermost } from "../../snapshots/snapshots.js";
import { AgentChanges, type ReviewedFiles, type WatchedToolCall } from "./agent-changes.js";
import type { Checkpoints } from "../restore/checkpoints.js";
import type { FileText } from "../hunks/file-review.js";
import type { GatheredChanges } from "./gathered-changes.js";
import { inBatches } from "../files/in-batches.js";
import { type LeftTurns, OpenTurnsFile } from "./open-turns-file.js";
import type { RestoredFiles } from "../restore/restored-files.js";
import type { ReviewBook } from "../review-book.js";
import { noteOthers, type RunningTurn } from "./running-turn.js";
import { type FoundChange, SnapshotTurn } from "./snapshot-turn.js";
import type { FileTruth, TrueFiles } from "../files/compare-and-write-contract.js";
import { TurnWork } from "./times-of-writing.js";

interface ReviewTurnsOptions {
  readonly openTurnsFile: string;
  readonly book: ReviewBook;
  readonly checkpoints: Checkpoints;
  readonly restored: Pick<RestoredFiles, "forget">;
  readonly texts: ReviewedFiles & Pick<TrueFiles, "truth"> & Parameters<typeof SnapshotTurn.begin>[2];
  readonly gathered: GatheredChanges;
  readonly snapshots: Parameters<typeof SnapshotTurn.begin>[1];
  readonly learnAll: (isKnown?: ReadonlySet<string>) => Promise<void>;
  readonly stored: () => Promise<boolean>;
  readonly onUnseen: (count: number) => void;
  readonly onProblem: (error: unknown) => void;
}

/** Maximum time that a prompt waits for the folders' snapshots. */
const maxSnapshotWaitMs = 3_000;

/** Number of files to compare before yielding to other tasks. */
const comparedAtOnce = 10;

/** Maximum time that the next prompt waits until the previous turn's changes are found. */
const maxEndWaitMs = 30_000;

export class ReviewTurns {
  readonly openTurns: OpenTurnsFile;
  readonly changes: AgentChanges;
  readonly #running = new Map<string, RunningTurn>();
  readonly #latest = new Map<string, RunningTurn>();
  /** Ended turns whose changes may not be stored yet, by tab. */
  readonly #unstored = new Map<string, RunningTurn>();
  readonly #ending = new Map<Promise<unknown>, { readonly tabId: string; readonly turn: RunningTurn | undefined }>();
  #isClosing = false;

  constructor(private readonly options: ReviewTurnsOptions) {
    const { book, openTurnsFile, texts } = options;
    this.openTurns = new OpenTurnsFile(openTurnsFile);
    this.changes = new AgentChanges(texts, {
      current: (path) => book.current(path),
      knows: (path, text) => book.knows(path, text),
      unknownChanged: (path, text) => book.unknownChanged(path, text),
      agentChanged: (tabId, path, before, after) => this.record(tabId, path, before, after),
    });
  }

  get hasRunning(): boolean {
    return this.#running.size > 0;
  }

  /** True while tool calls run that can write files. */
  get isWorking(): boolean {
    return [...this.#running.values()].some(({ work }) => work.isGoingOn);
  }

  isRunning(tabId: string): boolean {
    return this.#running.has(tabId);
  }

  /** Starts a turn. Resolves when the folders' snapshots exist, or after a time limit. */
  async begin(tabId: string, messageId: string, roots: readonly string[]): Promise<void> {
    const { checkpoints, learnAll, restored, snapshots, texts } = this.options;
    const startedAtMs = Date.now();
    const folders = SnapshotTurn.begin(outermost(roots), snapshots, texts).catch(() => undefined);
    // Differences before the agent starts are by others.
    const learned = learnAll().catch(this.options.onProblem);
    const others = new Set<string>();
    const turn = { folders, known: new Set<string>(), others, work: new TurnWork(startedAtMs) };
    this.#running.set(tabId, turn);
    this.#latest.set(tabId, turn);
    checkpoints.promptStarted(tabId, messageId);
    restored.forget(tabId);
    const noted = folders.then((begun) => {
      if (this.#running.get(tabId) === turn)
        this.openTurns.begin({ tabId, messageId, startedAtMs, begun: [...(begun?.begun ?? [])] }, others);
    });
    await isDoneWithin(Promise.all([noted, learned]), maxSnapshotWaitMs);
  }

  toolCall(tabId: string, call: WatchedToolCall): void {
    this.#running.get(tabId)?.work.note(call, Date.now());
    this.changes.toolCall(tabId, call);
  }

  /**
   * Records that a command which an agent runs in a terminal of the editor started or ended. The agent may report the tool call only after
   * the command has written files.
   */
  commandRan(tabId: string, terminalId: string, isOver: boolean): void {
    const call = { id: `terminal ${terminalId}`, kind: "execute", status: isOver ? "completed" : "in_progress" };
    this.#running.get(tabId)?.work.note(call, Date.now());
  }

  /**
   * Returns the turns that a killed window left. Returns undefined if another window uses the file because its folder couldn't be locked,
   * or if this window is closing, because the user wouldn't see the result.
   */
  async left(isLocked: boolean): Promise<LeftTurns | undefined> {
    return this.#isClosing || !isLocked ? undefined : this.openTurns.left();
  }

  /** Stops tracking when the window closes. The next window finds out how running turns ended. */
  detach(): void {
    this.#isClosing = true;
    this.openTurns.leave();
  }

  /** Ends a turn. Resolves when all its changes are under review, or after a time limit. */
  async end(tabId: string): Promise<void> {
    const turn = this.#running.get(tabId);
    await this.changes.turnEnded(tabId);
    if (this.#isClosing) return;
    // The next turn may have started meanwhile.
    if (this.#running.get(tabId) === turn) this.#running.delete(tabId);
    const end = this.#findRest(tabId, turn)
      .catch(this.options.onProblem)
      .finally(() => {
        this.#ending.delete(end);
        if (turn) void this.#over(tabId, turn).catch(this.options.onProblem);
      });
    this.#ending.set(end, { tabId, turn });
    await isDoneWithin(end, maxEndWaitMs);
  }

  forget(tabId: string): void {
    this.#running.delete(tabId);
    this.#latest.delete(tabId);
    this.#unstored.delete(tabId);
    this.openTurns.end(tabId);
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  async settled(): Promise<void> {
    await this.changes.settled();
    while (this.#ending.size > 0) await Promise.all(this.#ending.keys());
  }

  /** Resolves like `settled`, or after the time limit for a waiting prompt. */
  async settledSoon(): Promise<void> {
    await isDoneWithin(this.settled(), maxEndWaitMs);
  }

  record(tabId: string, path: string, before: FileText, after: FileText): void {
    this.#running.get(tabId)?.known.add(path);
    this.options.checkpoints.changed(tabId, path, before, after);
    this.options.book.agentChanged(tabId, path, before, after);
  }

  /** Records that others changed a file, so that the change isn't attributed to running turns. */
  noteOthers(path: string): void {
    for (const turn of this.#running.values()) noteOthers(turn, path);
  }

  noteDisk(path: string, { writtenAtMs }: FileTruth): void {
    for (const turn of this.#running.values()) if (turn.work.cannotHaveWrittenAt(writtenAtMs)) noteOthers(turn, path);
  }

  /** Returns whether the agent of a running turn may have written a file's current content. */
  mayHaveMade({ writtenAtMs }: FileTruth): boolean {
    const works = [...this.#running.values()].map(({ work }) => work);
    return works.some((work) => (writtenAtMs === undefined ? work.hasBegun : work.mayHaveWrittenAt(writtenAtMs)));
  }

  /**
   * Records file content that nobody reported. Returns false if the content comes from neither a running turn nor a turn that just ended.
   */
  learned(path: string, { text, writtenAtMs }: FileTruth & { readonly text: FileText }): boolean {
    const { book } = this.options;
    for (const [tabId, { work }] of this.#running) {
      if (!work.mayHaveWrittenAt(writtenAtMs)) continue;
      // While tool calls run, the author isn't known until they end.
      if (work.isGoingOn) book.unknownChanged(path, text);
      else this.record(tabId, path, book.current(path) ?? null, text);
      return true;
    }
    for (const { tabId, turn } of this.#ending.values()) {
      if (turn?.work.mayHaveWrittenAt(writtenAtMs) !== true) continue;
      turn.known.add(path);
      this.record(tabId, path, book.current(path) ?? null, text);
      return true;
    }
    return false;
  }

  /**
   * Removes an ended turn from the record on disk, but only once its changes are stored. If the window crashes earlier, the next window can
   * find the changes again.
   */
  async #over(tabId: string, turn: RunningTurn): Promise<void> {
    // A later turn of the tab has its own entry and may end before this turn's changes are stored.
    if (this.#latest.get(tabId) === turn) this.#unstored.set(tabId, turn);
    // The following write stores only the turns that have ended so far.
    const over = [...this.#unstored];
    const isStored = await this.options.stored();
    if (!isStored || this.#isClosing) return;
    // Also remove turns whose earlier write failed, for example on a full disk.
    for (const [one, its] of over) {
      if (this.#latest.get(one) === its) {
        this.#latest.delete(one);
        this.openTurns.end(one);
      }
      if (this.#unstored.get(one) === its) this.#unstored.delete(one);
    }
  }

  async #findRest(tabId: string, turn: RunningTurn | undefined): Promise<void> {
    const hasWorked = turn?.work.hasBegun === true;
    const folders = hasWorked ? await turn.folders : undefined;
    const has = (paths: ReadonlySet<string> | undefined) => (path: string) => paths?.has(path) === true;
    const rest = await folders?.end(has(turn?.known), has(turn?.others));
    // A closing window drops its snapshots; the next window finds the changes itself.
    if (this.#isClosing) return;
    this.options.onUnseen(rest?.unseen ?? 0);
    await this.options.gathered.take(async () => {
      const found = rest?.found ?? [];
      if (hasWorked) await this.#takeIn(tabId, turn, found);
      if (hasWorked) await this.#takeInTorn(tabId, turn);
      // Re-read open documents that the agent changed: VS Code reported these changes as reloads without an author.
      await this.options.learnAll(new Set(found.map(({ path }) => path)));
    });
  }

  async #takeIn(tabId: string, { work }: RunningTurn, found: readonly FoundChange[]): Promise<void> {
    const { book, texts } = this.options;
    for (const [index, { path, before, after, writtenAtMs, attributes }] of found.entries()) {
      if (before !== after && !work.cannotHaveWrittenAt(writtenAtMs)) this.record(tabId, path, before, after);
      if (attributes && !work.cannotHaveWrittenAt(attributes.changedAtMs))
        book.attributesChanged(tabId, path, after, attributes);
      // Compare a few files at a time here; otherwise the first display would compare all at once.
      book.find(path)?.review.compare();
      if (index % comparedAtOnce === 0) await new Promise(setImmediate);
    }
    // A formatter or script of the agent may have changed files again after its tool calls.
    const isFound = new Set(found.map(({ path }) => path));
    const others = book.files(tabId).filter(({ path }) => !isFound.has(path));
    const looked = others.map(({ path, review }) => ({ path, review, known: review.current }));
    const read = async (one: (typeof looked)[number]): Promise<(typeof looked)[number] & { truth: FileTruth }> => {
      return { ...one, truth: await texts.truth(one.path) };
    };
    for (const { path, review, known, truth } of await inBatches(looked, read)) {
      const { text, isTorn, writtenAtMs } = truth;
      // Skip the file if a different text was reported while it was read.
      if (text === undefined || isTorn || text === known || review.current !== known) continue;
      if (work.mayHaveWrittenAt(writtenAtMs)) this.record(tabId, path, known, text);
    }
  }

  /**
   * Records changes on disk that documents with unsaved text lack. The document's changes stay under review; if the user discards the
   * document's text, the changes on disk are under review instead.
   */
  async #takeInTorn(tabId: string, { known, work }: RunningTurn): Promise<void> {
    const { book, checkpoints, texts } = this.options;
    const read = async (path: string): Promise<FileTruth & { path: string }> => ({
      path,
      ...(await texts.truth(path)),
    });
    for (const { path, text, onDisk } of await inBatches([...known], read)) {
      if (text === undefined || !onDisk || !work.mayHaveWrittenAt(onDisk.writtenAtMs)) continue;
      const shown = book.current(path) ?? text;
      checkpoints.changed(tabId, path, onDisk.before, onDisk.after, true);
      book.agentChanged(tabId, path, onDisk.before, onDisk.after);
      book.userChanged(path, shown);
    }
  }
}
