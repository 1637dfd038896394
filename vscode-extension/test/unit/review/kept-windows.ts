import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Checkpoints } from "../../../src/features/review/restore/checkpoints.js";
import type { FileText } from "../../../src/features/review/hunks/file-review.js";
import { GatheredChanges } from "../../../src/features/review/turns/gathered-changes.js";
import { HandedOverReview } from "../../../src/features/review/store/handed-over-review.js";
import { RestoredFiles } from "../../../src/features/review/restore/restored-files.js";
import { ReviewAnswers } from "../../../src/features/review/review-answers.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import type { CommentThread } from "../../../src/features/review/comments/review-comments.js";
import { ReviewPlace } from "../../../src/features/review/store/review-folder-lock.js";
import { conflictsFile, openTurnsFile } from "../../../src/features/review/store/review-file-paths.js";
import { ReviewTurns } from "../../../src/features/review/turns/review-turns.js";
import type { Snapshots } from "../../../src/features/snapshots/snapshots.js";
import { ConflictStore } from "../../../src/features/worktrees/conflict-store.js";
import { snapshotsIn } from "./review-stage.js";
import { World } from "./review-world.js";

/** Windows of one workspace, one after another or at once, with a folder of their own. */
export class KeptWindows implements AsyncDisposable {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), "symposium windows ")));
  readonly folder = join(this.base, "work");
  readonly #open = new Set<KeptWindow>();

  constructor() {
    mkdirSync(this.folder);
  }

  /** As VS Code makes them: `work` for one window, `work-1` for another of the same workspace, other names for others. */
  storageOf(name: string): string {
    return join(this.base, "workspaceStorage", name, "symposium-dev.symposium");
  }

  /** One that takes up nothing yet. */
  make(place: ReviewPlace): KeptWindow {
    const window = new KeptWindow(this, place);
    this.#open.add(window);
    return window;
  }

  async open(storage: string): Promise<KeptWindow> {
    const window = this.make(await ReviewPlace.claim(storage));
    await window.kept.restore(Promise.resolve());
    window.adopted = window.kept.adoptLeft();
    return window;
  }

  forget(window: KeptWindow): void {
    this.#open.delete(window);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#open) await one.close();
    rmSync(this.base, { recursive: true });
  }
}

/** The text of a file; null where there is none. */
export function read(path: string): FileText {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** A window's review as far as it outlives the window. */
class KeptWindow {
  readonly book = new ReviewBook();
  readonly checkpoints = new Checkpoints();
  readonly gathered = new GatheredChanges(() => this.kept.save());
  comments: readonly CommentThread[] = [];
  readonly conflicts: string[] = [];
  /** Storage errors if the test expects some. If undefined, an error fails the test. */
  problems: string[] | undefined;
  /** Called before a file is looked at, which waits for it. */
  beforeLook: () => Promise<void> = () => Promise.resolve();
  readonly turns: ReviewTurns;
  readonly kept: HandedOverReview;
  adopted: Promise<void> = Promise.resolve();
  readonly #snapshots: Snapshots;

  constructor(
    private readonly windows: KeptWindows,
    private readonly place: ReviewPlace,
  ) {
    this.#snapshots = snapshotsIn(windows.base);
    const { book, checkpoints, gathered } = this;
    const restored = new RestoredFiles(new ReviewAnswers(book, new World(), () => undefined), () => undefined);
    const look = async (path: string) => {
      await this.beforeLook();
      return { text: read(path), isTorn: false, writtenAtMs: Date.now() };
    };
    const texts = {
      look,
      read: (path: string) => Promise.resolve(read(path)),
      truth: look,
      asLink: () => undefined,
      wasMarked: () => undefined,
    };
    const onProblem = (error: unknown): void => {
      if (!this.problems) assert.fail(String(error));
      this.problems.push(String(error));
    };
    const onUnseen = (count: number): void => assert.equal(count, 0);
    const shared = { book, checkpoints, gathered, restored, texts, snapshots: this.#snapshots, onProblem, onUnseen };
    this.turns = new ReviewTurns({
      ...shared,
      openTurnsFile: openTurnsFile(place.file),
      learnAll: () => Promise.resolve(),
      stored: () => this.kept.stored(),
    });
    const comments = {
      load: (threads: readonly CommentThread[]) => void (this.comments = [...this.comments, ...threads]),
      store: () => this.comments,
      refresh: () => undefined,
    };
    const adoptBeside = async (file: string): Promise<void> => {
      const conflicts = new ConflictStore(conflictsFile(file), onProblem);
      this.conflicts.push(...(await conflicts.load()).map(({ path }) => path));
      conflicts.save(() => []);
      await conflicts.flush();
    };
    this.kept = new HandedOverReview({ ...shared, adoptBeside, place, comments, turns: this.turns });
    book.onChange = () => gathered.changed();
  }

  agentWrites(tabId: string, name: string, text: string): void {
    const path = join(this.windows.folder, name);
    const before = read(path);
    writeFileSync(path, text);
    this.turns.record(tabId, path, before, text);
  }

  /** Returns the files under review by name, each with its earlier text and its tabs. */
  waiting(): Record<string, readonly unknown[]> {
    const files = this.book.files().map(({ path, tabIds, review }) => {
      return [path.slice(this.windows.folder.length + 1), [review.baseline, ...tabIds]] as const;
    });
    return Object.fromEntries(files);
  }

  async close(isStored = true): Promise<void> {
    this.windows.forget(this);
    this.turns.detach();
    this.kept.detach();
    await this.adopted;
    if (isStored) {
      this.gathered.tellNow();
      await this.kept.stored();
    }
    await this.turns.openTurns.flush();
    this.turns.openTurns.dispose();
    await this.#snapshots[Symbol.asyncDispose]();
    await this.place[Symbol.asyncDispose]();
  }
}
