import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReviewAnswers } from "../../../src/features/review/review-answers.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import { carryOutMerge } from "../../../src/features/worktrees/carry-out-merge.js";
import { planMerge } from "../../../src/features/worktrees/merge-plan.js";
import { DiskTruth } from "../review/disk-truth.js";

describe("a worktree's changes that are merged for review", () => {
  let base: string;
  const main = (): string => join(base, "main", "cart.ts");
  const worktree = (): string => join(base, "worktree", "cart.ts");

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "symposium merge "));
    for (const tree of ["main", "worktree"]) mkdirSync(join(base, tree));
  });
  afterEach(() => rmSync(base, { recursive: true }));

  /** Merges what the agent made of `committed`, and undoes all that is listed below the chat. */
  async function mergeAndUndo(committed: string, ours: string, theirs: string): Promise<void> {
    const book = new ReviewBook();
    const answers = new ReviewAnswers(book, new DiskTruth(), (path, { text }) => book.userChanged(path, text));
    writeFileSync(main(), ours);
    writeFileSync(worktree(), theirs);
    book.agentChanged("tab", worktree(), committed, theirs);
    const changes = [{ path: "cart.ts", kind: "file", wasThere: true }] as const;
    const [top, root] = [join(base, "main"), join(base, "worktree")];
    const plan = await planMerge(changes, {
      top,
      base: () => Promise.resolve(committed),
      theirs: () => Promise.resolve(theirs),
      ours: () => answers.learn(main()),
    });
    const review = { book, answers, wasMarked: () => undefined };
    const { refusals } = await carryOutMerge({ review, tabId: "tab", root, top, changes, plan });
    assert.deepEqual(refusals, []);
    for (const { path } of book.files("tab")) await answers.undo(path);
    assert.deepEqual(book.files("tab"), []);
  }

  it("stay in the worktree when they conflict and Undo is pressed afterwards", async () => {
    await mergeAndUndo("one\n", "mine\n", "agent\n");
    assert.deepEqual([main(), worktree()].map(read), ["mine\n", "agent\n"]);
  });

  it("stay in the worktree when they are undone in the main tree", async () => {
    await mergeAndUndo("one\ntwo\nthree\n", "mine\ntwo\nthree\n", "one\ntwo\nagent\n");
    assert.deepEqual([main(), worktree()].map(read), ["mine\ntwo\nthree\n", "one\ntwo\nagent\n"]);
  });
});

function read(path: string): string {
  return readFileSync(path, "utf8");
}
