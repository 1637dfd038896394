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
import type { FileTruth, TrueFiles } from "../files/current-files.js";
import { TurnWork } from "./turn-work.js";

interface ReviewTurnsOptions {
  /** Where turns are noted whose end nobody has seen yet. */
  readonly openTurnsFile: string;
  readonly book: ReviewBook;
  readonly checkpoints: Checkpoints;
  readonly restored: Pick<RestoredFiles, "forget">;
  readonly texts: ReviewedFiles & Pick<TrueFiles, "truth"> & Parameters<typeof SnapshotTurn.begin>[2];
  readonly gathered: GatheredChanges;
  readonly snapshots: Parameters<typeof SnapshotTurn.begin>[1];
  /** Brings the book to what is true of its files, but for some that were just looked at. */
  readonly learnAll: (isKnown?: ReadonlySet<string>) => Promise<void>;
  /** Resolves when what is in the book is on disk. */
  readonly stored: () => Promise<boolean>;
  readonly onUnseen: (count: number) => void;
  readonly onProblem: (error: unknown) => void;
}

/** A prompt does not wait longer for the snapshot of its folders than this. */
const maxSnapshotWaitMs = 3_000;

/** So many files are compared before others have their turn. */
const comparedAtOnce = 10;

/** The next prompt does not wait longer than this for what the turn before it changed to be found. */
const maxEndWaitMs = 30_000;

/** The turns of agents: what they say that they change, and what is found when they end. */
export class ReviewTurns {
  readonly openTurns: OpenTurnsFile;
  readonly changes: AgentChanges;
  readonly #running = new Map<string, RunningTurn>();
  /** The latest turn of each tab, until it is stored. */
  readonly #latest = new Map<string, RunningTurn>();
  /** Tabs whose turn is over and may not be stored yet. */
  readonly #unstored = new Map<string, RunningTurn>();
  /** Turns that have ended, whose changes are being looked for, until the promise resolves. */
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

  /** Whether tool calls run that may write files. */
  get isWorking(): boolean {
    return [...this.#running.values()].some(({ work }) => work.isGoingOn);
  }

  /** Whether a turn of the tab has not ended. */
  isRunning(tabId: string): boolean {
    return this.#running.has(tabId);
  }

  /** A turn begins in these folders. Resolves when they are known, or that takes too long to wait for. */
  async begin(tabId: string, messageId: string, roots: readonly string[]): Promise<void> {
    const { checkpoints, learnAll, restored, snapshots, texts } = this.options;
    const startedAtMs = Date.now();
    const folders = SnapshotTurn.begin(outermost(roots), snapshots, texts).catch(() => undefined);
    // Before the agent begins, whatever differs is somebody else's.
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

  /** A command of the agent's begins in a terminal of ours, or is over: its tool call may be told later than it writes. */
  commandRan(tabId: string, terminalId: string, isOver: boolean): void {
    const call = { id: `terminal ${terminalId}`, kind: "execute", status: isOver ? "completed" : "in_progress" };
    this.#running.get(tabId)?.work.note(call, Date.now());
  }

  /**
   * Returns the turns that a killed window left; see {@link OpenTurnsFile.left}. A window that closes leaves them to the next one,
   * since its user would not see the result.
   */
  async left(isLocked: boolean): Promise<LeftTurns | undefined> {
    return this.#isClosing ? undefined : this.openTurns.left(isLocked);
  }

  /** The window closes: of the turns that run, the next one finds the end. */
  detach(): void {
    this.#isClosing = true;
    this.openTurns.leave();
  }

  /** Resolves when every change of the turn is under review, or that takes too long to wait for. */
  async end(tabId: string): Promise<void> {
    const turn = this.#running.get(tabId);
    await this.changes.turnEnded(tabId);
    if (this.#isClosing) return;
    // The next turn may have begun meanwhile.
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

  /** The tab is gone: what its agent does is nobody's turn. */
  forget(tabId: string): void {
    this.#running.delete(tabId);
    this.#latest.delete(tabId);
    this.#unstored.delete(tabId);
    this.openTurns.end(tabId);
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Resolves when no turn that has ended is still looking for what it changed. */
  async settled(): Promise<void> {
    await this.changes.settled();
    while (this.#ending.size > 0) await Promise.all(this.#ending.keys());
  }

  /** The same for whoever waits no longer than a prompt does. */
  async settledSoon(): Promise<void> {
    await isDoneWithin(this.settled(), maxEndWaitMs);
  }

  record(tabId: string, path: string, before: FileText, after: FileText): void {
    this.#running.get(tabId)?.known.add(path);
    this.options.checkpoints.changed(tabId, path, before, after);
    this.options.book.agentChanged(tabId, path, before, after);
  }

  /** Somebody else changes a file: that is no command's doing. */
  noteOthers(path: string): void {
    for (const turn of this.#running.values()) noteOthers(turn, path);
  }

  /** A file changed on disk: what comes while no tool call runs is no command's doing. */
  noteDisk(path: string, { writtenAtMs }: FileTruth): void {
    for (const turn of this.#running.values()) if (turn.work.cannotHaveWrittenAt(writtenAtMs)) noteOthers(turn, path);
  }

  /** Whether an agent may have given a file this state, in a turn that goes on. */
  mayHaveMade({ writtenAtMs }: FileTruth): boolean {
    const works = [...this.#running.values()].map(({ work }) => work);
    return works.some((work) => (writtenAtMs === undefined ? work.hasBegun : work.mayHaveWrittenAt(writtenAtMs)));
  }

  /** A file has a text that nobody told us of. False where it is not that of a turn that goes on, or has just ended. */
  learned(path: string, { text, writtenAtMs }: FileTruth & { readonly text: FileText }): boolean {
    const { book } = this.options;
    for (const [tabId, { work }] of this.#running) {
      if (!work.mayHaveWrittenAt(writtenAtMs)) continue;
      // While its calls run, what is the agent's shows when they end.
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

  /** What a turn changed is found again after a crash, until that is stored. */
  async #over(tabId: string, turn: RunningTurn): Promise<void> {
    // A later one of the tab, which may be over before this one's changes are stored, is noted in its place.
    if (this.#latest.get(tabId) === turn) this.#unstored.set(tabId, turn);
    // Those that are over by now: of others it is not known yet whether they are stored.
    const over = [...this.#unstored];
    const isStored = await this.options.stored();
    if (!isStored || this.#isClosing) return;
    // Also those that a full disk did not take before.
    for (const [one, its] of over) {
      if (this.#latest.get(one) === its) {
        this.#latest.delete(one);
        this.openTurns.end(one);
      }
      if (this.#unstored.get(one) === its) this.#unstored.delete(one);
    }
  }

  /** Finds what a turn changed without saying so. */
  async #findRest(tabId: string, turn: RunningTurn | undefined): Promise<void> {
    const hasWorked = turn?.work.hasBegun === true;
    const folders = hasWorked ? await turn.folders : undefined;
    const has = (paths: ReadonlySet<string> | undefined) => (path: string) => paths?.has(path) === true;
    const rest = await folders?.end(has(turn?.known), has(turn?.others));
    // Snapshots end with the window: the next one looks for itself.
    if (this.#isClosing) return;
    this.options.onUnseen(rest?.unseen ?? 0);
    await this.options.gathered.take(async () => {
      const found = rest?.found ?? [];
      if (hasWorked) await this.#takeIn(tabId, turn, found);
      // What the agent did to open documents came as reloads that nobody was blamed for.
      await this.options.learnAll(new Set(found.map(({ path }) => path)));
    });
  }

  async #takeIn(tabId: string, { work }: RunningTurn, found: readonly FoundChange[]): Promise<void> {
    const { book, texts } = this.options;
    for (const [index, { path, before, after, writtenAtMs, attributes }] of found.entries()) {
      if (before !== after && !work.cannotHaveWrittenAt(writtenAtMs)) this.record(tabId, path, before, after);
      if (attributes && !work.cannotHaveWrittenAt(attributes.changedAtMs))
        book.attributesChanged(tabId, path, after, attributes);
      // Compared here, a few at a time: who shows all of them would wait for that at once.
      book.find(path)?.review.compare();
      if (index % comparedAtOnce === 0) await new Promise(setImmediate);
    }
    // A formatter or a script of the agent's may have gone over what its tool calls wrote before.
    const isFound = new Set(found.map(({ path }) => path));
    const others = book.files(tabId).filter(({ path }) => !isFound.has(path));
    const looked = others.map(({ path, review }) => ({ path, review, known: review.current }));
    const read = async (one: (typeof looked)[number]): Promise<(typeof looked)[number] & { truth: FileTruth }> => {
      return { ...one, truth: await texts.truth(one.path) };
    };
    for (const { path, review, known, truth } of await inBatches(looked, read)) {
      const { text, isTorn, writtenAtMs } = truth;
      // Somebody may have told of another text while it was read.
      if (text === undefined || isTorn || text === known || review.current !== known) continue;
      if (work.mayHaveWrittenAt(writtenAtMs)) this.record(tabId, path, known, text);
    }
  }
}
