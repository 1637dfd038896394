import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Checkpoints } from "../../../src/features/review/restore/checkpoints.js";
import { ReviewAnswers } from "../../../src/features/review/review-answers.js";
import { GatheredChanges } from "../../../src/features/review/turns/gathered-changes.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import { ReviewTurns } from "../../../src/features/review/turns/review-turns.js";
import type { TreeChange } from "../../../src/features/snapshots/tree.js";
import type { FileTruth } from "../../../src/features/review/files/compare-and-write-contract.js";
import { World } from "./review-world.js";

describe("the turns of agents under review", () => {
  const command = { id: "command", kind: "execute", paths: [], edits: [] };
  let folder: string;
  let openTurnsFile: string;
  let changesSince: () => Promise<readonly TreeChange[]>;
  let truth: FileTruth;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "symposium turns "));
    openTurnsFile = join(folder, "open-turns.json");
    changesSince = () => Promise.resolve([]);
    truth = { text: "after", isTorn: false };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function turnsWith(
    stored: () => Promise<boolean>,
    book = new ReviewBook(),
    checkpoints = new Checkpoints(),
  ): ReviewTurns {
    return new ReviewTurns({
      openTurnsFile,
      book,
      checkpoints,
      restored: { forget: () => undefined },
      texts: {
        look: () => Promise.resolve({ text: "after" }),
        read: () => Promise.resolve("after"),
        truth: () => Promise.resolve(truth),
        asLink: () => undefined,
        wasMarked: () => undefined,
      },
      gathered: new GatheredChanges(() => undefined),
      snapshots: {
        take: (root) => Promise.resolve({ root, id: "begun" }),
        changesSince: () => changesSince(),
        content: () => Promise.resolve(undefined),
      },
      learnAll: () => Promise.resolve(),
      stored,
      onUnseen: () => undefined,
      onProblem: (error) => assert.fail(String(error)),
    });
  }

  it("are found again after a crash until what they changed is stored", async () => {
    let store: (isStored: boolean) => void = () => undefined;
    const isStored = new Promise<boolean>((resolve) => (store = resolve));
    const turns = turnsWith(() => isStored);
    await turns.begin("tab", "prompt", ["/work"]);
    turns.toolCall("tab", { ...command, status: "in_progress" });
    turns.toolCall("tab", { ...command, status: "completed" });
    await turns.end("tab");
    await turns.settled();
    await turns.openTurns.flush();
    assert.equal(existsSync(openTurnsFile), true);
    store(true);
    await isStored;
    // Lets code that waits for the result continue.
    await new Promise(setImmediate);
    await turns.openTurns.flush();
    assert.equal(existsSync(openTurnsFile), false);
    turns.openTurns.dispose();
  });

  it("are found again after a crash as long as a full disk does not take what they changed", async () => {
    let isTaken = false;
    const turns = turnsWith(() => Promise.resolve(isTaken));
    const work = async (tabId: string): Promise<void> => {
      await turns.begin(tabId, "prompt", ["/work"]);
      await turns.end(tabId);
      await turns.settled();
      // Lets code that waits for the result continue.
      await new Promise(setImmediate);
      await turns.openTurns.flush();
    };
    await work("one");
    assert.equal(existsSync(openTurnsFile), true);
    isTaken = true;
    await work("two");
    assert.equal(existsSync(openTurnsFile), false);
    turns.openTurns.dispose();
  });

  it("are found again after a crash while another one's are stored, and theirs are not yet", async () => {
    const stores: ((isStored: boolean) => void)[] = [];
    const turns = turnsWith(() => new Promise((resolve) => stores.push(resolve)));
    for (const tabId of ["one", "two"]) {
      await turns.begin(tabId, "prompt", ["/work"]);
      await turns.end(tabId);
      await turns.settled();
    }
    const store = async (): Promise<boolean> => {
      stores.shift()?.(true);
      // Lets code that waits for the result continue.
      await new Promise(setImmediate);
      await turns.openTurns.flush();
      return existsSync(openTurnsFile);
    };
    assert.deepEqual([await store(), await store()], [true, false]);
    turns.openTurns.dispose();
  });

  it("are found again after a crash where the tab's turn before is stored meanwhile, and theirs is not", async () => {
    const stores: ((isStored: boolean) => void)[] = [];
    const turns = turnsWith(() => new Promise((resolve) => stores.push(resolve)));
    const run = async (prompt: string): Promise<void> => {
      await turns.begin("tab", prompt, ["/work"]);
      await turns.end("tab");
      await turns.settled();
      await new Promise(setImmediate);
    };
    await run("first");
    await run("second");
    stores[0]?.(true);
    await new Promise(setImmediate);
    await turns.openTurns.flush();
    assert.deepEqual(
      (await turns.openTurns.left())?.turns.map(({ messageId }) => messageId),
      ["second"],
    );
    stores[1]?.(true);
    await new Promise(setImmediate);
    await turns.openTurns.flush();
    assert.equal(existsSync(openTurnsFile), false);
    turns.openTurns.dispose();
  });

  it("whose changes are being looked for when the window closes are looked for by the next one", async () => {
    const book = new ReviewBook();
    const turns = turnsWith(() => Promise.resolve(true), book);
    await turns.begin("tab", "prompt", ["/work"]);
    turns.toolCall("tab", { ...command, status: "in_progress" });
    turns.toolCall("tab", { ...command, status: "completed" });
    changesSince = () => {
      turns.detach();
      return Promise.resolve([{ path: "a.txt", before: "absent", after: "absent" }]);
    };
    await turns.end("tab");
    await turns.settled();
    await turns.openTurns.flush();
    assert.deepEqual(book.paths(), []);
    assert.equal((await turnsWith(() => Promise.resolve(true)).left(true))?.turns.length, 1);
  });

  it("that a closing window was left with are the next one's", async () => {
    const first = turnsWith(() => Promise.resolve(true));
    await first.begin("tab", "prompt", ["/work"]);
    first.detach();
    await first.openTurns.flush();
    const closing = turnsWith(() => Promise.resolve(true));
    closing.detach();
    assert.equal(await closing.left(true), undefined);
    assert.equal((await turnsWith(() => Promise.resolve(true)).left(true))?.turns.length, 1);
  });

  it("have what their commands wrote, too, where that is noticed only when they are over", async () => {
    const book = new ReviewBook();
    book.agentChanged("tab", "/work/a.txt", "before\n", "first\n");
    let found: () => void = () => undefined;
    changesSince = () => new Promise((resolve) => (found = () => resolve([])));
    const turns = turnsWith(() => Promise.resolve(true), book);
    await turns.begin("tab", "prompt", ["/work"]);
    turns.toolCall("tab", { ...command, status: "in_progress" });
    const writtenAtMs = Date.now();
    turns.toolCall("tab", { ...command, status: "completed" });
    const ended = turns.end("tab");
    await turns.changes.settled();
    await new Promise(setImmediate);
    const isLearned = turns.learned("/work/a.txt", { text: "formatted\n", isTorn: false, writtenAtMs });
    const isOthers = turns.learned("/work/a.txt", {
      text: "later\n",
      isTorn: false,
      writtenAtMs: writtenAtMs + 60_000,
    });
    found();
    await ended;
    const { baseline, written } = book.find("/work/a.txt")?.review ?? {};
    assert.deepEqual([isLearned, isOthers, baseline, written], [true, false, "before\n", "formatted\n"]);
    turns.openTurns.dispose();
  });

  it("have a command's change on disk and the editor's in the unsaved text of one file, whichever the user takes", async () => {
    const path = "/work/a.txt";
    const book = new ReviewBook();
    const checkpoints = new Checkpoints();
    const turns = turnsWith(() => Promise.resolve(true), book, checkpoints);
    await turns.begin("tab", "prompt", ["/work"]);
    turns.toolCall("tab", { ...command, status: "in_progress" });
    const onDisk = { before: "one\ntwo\n", after: "ONE\ntwo\n", writtenAtMs: Date.now() };
    turns.toolCall("tab", { ...command, status: "completed" });
    const edited = "one\ntwo\nmine\nEDITED\n";
    turns.changes.written("tab", path, "one\ntwo\nmine\n", edited, true);
    truth = { text: edited, isTorn: true, isUnsaved: true, onDisk };
    await turns.end("tab");
    const changes = (): unknown => book.find(path)?.review.hunks.map(({ removed, added }) => [removed, added]);
    assert.deepEqual(changes(), [[[], ["EDITED\n"]]]);
    book.userChanged(path, onDisk.after);
    assert.deepEqual(changes(), [[["one\n"], ["ONE\n"]]]);
    const restored = async (text: string): Promise<unknown> => {
      const files = Object.assign(new World(), { truth: () => Promise.resolve({ text, isTorn: false }) });
      const plan = await new ReviewAnswers(book, files, () => undefined).planRestore(
        checkpoints.since("tab", "prompt") ?? new Map(),
      );
      return plan.files.map((file) => file.text);
    };
    assert.deepEqual(
      [await restored(`${edited}more\n`), await restored(onDisk.after)],
      [["one\ntwo\nmine\nmore\n"], [onDisk.before]],
    );
    turns.openTurns.dispose();
  });

  it("are not said to have made a file that was only looked at", async () => {
    const book = new ReviewBook();
    const turns = turnsWith(() => Promise.resolve(true), book);
    await turns.begin("tab", "prompt", ["/work"]);
    turns.toolCall("tab", { ...command, status: "in_progress" });
    const truth = { text: "changed by the command\n", isTorn: false, writtenAtMs: Date.now() };
    turns.toolCall("tab", { ...command, status: "completed" });
    const files = new World();
    files.truth = () => Promise.resolve(truth);
    const answers = new ReviewAnswers(book, files, (path, learned) => assert.ok(turns.learned(path, learned)));
    assert.equal(await answers.learn("/work/a.txt"), truth);
    // Undoing that it was made would remove it.
    assert.deepEqual(book.files(), []);
    turns.openTurns.dispose();
  });
});
