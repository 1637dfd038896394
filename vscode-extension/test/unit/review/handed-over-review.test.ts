import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommentThread } from "../../../src/features/review/comments/review-comments.js";
import { ReviewPlace } from "../../../src/features/review/store/review-folder-lock.js";
import {
  allChangesFile,
  conflictsFile,
  isReviewLeft,
  openTurnsFile,
} from "../../../src/features/review/store/review-file-paths.js";
import { ReviewStore } from "../../../src/features/review/store/review-store.js";
import { ConflictStore } from "../../../src/features/worktrees/conflict-store.js";
import { KeptWindows, read } from "./kept-windows.js";

const command = { id: "command", kind: "execute", paths: [], edits: [] };
const thread: CommentThread = {
  id: "thread",
  path: "/a",
  start: 0,
  end: 0,
  diff: "",
  tabIds: ["second"],
  comments: [{ id: "one", text: "why?", writtenAtMs: 1 }],
};

const numbers = "one\ntwo\nthree\nfour\nfive\n";

describe("the reviews of several windows of one workspace", () => {
  let windows: KeptWindows;
  let folder: string;
  const storageOf = (name: string): string => windows.storageOf(name);

  beforeEach(() => {
    windows = new KeptWindows();
    ({ folder } = windows);
    for (const name of ["a.txt", "b.txt"]) writeFileSync(join(folder, name), numbers);
  });
  afterEach(() => windows[Symbol.asyncDispose]());

  it("are apart while both live, each with what its own agents changed, also where the storage is the same", async () => {
    for (const other of ["work-1", "work"]) {
      const [first, second] = [await windows.open(storageOf("work")), await windows.open(storageOf(other))];
      first.agentWrites("first", "a.txt", numbers.replace("one", "ONE"));
      second.agentWrites("second", "b.txt", numbers.replace("two", "TWO"));
      // A third one finds nothing that nobody has.
      const third = await windows.open(storageOf("work-2"));
      for (const one of [first, second]) {
        await one.gathered.whenTold();
        await one.kept.flush();
      }
      assert.deepEqual(
        [first, second, third].map((one) => one.waiting()),
        [{ "a.txt": [numbers, "first"] }, { "b.txt": [numbers, "second"] }, {}],
      );
      for (const one of [third, second, first]) {
        for (const { path } of one.book.files()) one.book.keep(path);
        await one.close();
      }
      for (const name of ["a.txt", "b.txt"]) writeFileSync(join(folder, name), numbers);
    }
  });

  it("that a closed window left is the next one's, with its comments, and nobody has it twice", async () => {
    const first = await windows.open(storageOf("work"));
    const second = await windows.open(storageOf("work-1"));
    second.checkpoints.promptStarted("second", "prompt");
    second.agentWrites("second", "b.txt", numbers.replace("two", "TWO"));
    second.comments = [thread];
    await second.close();
    await first.close();
    assert.equal(await isReviewLeft(storageOf("work")), true);
    const next = await windows.open(storageOf("work"));
    await next.adopted;
    assert.deepEqual([next.waiting(), next.comments], [{ "b.txt": [numbers, "second"] }, [thread]]);
    const again = await windows.open(storageOf("work-1"));
    await again.adopted;
    assert.deepEqual([again.waiting(), again.comments], [{}, []]);
    // Its tab goes back to its prompts, should it come back there.
    assert.equal(again.checkpoints.since("second", "prompt")?.size, 1);
    await again.close();
    await next.close();
    const last = await windows.open(storageOf("work"));
    await last.adopted;
    assert.deepEqual([last.waiting(), last.comments], [{ "b.txt": [numbers, "second"] }, [thread]]);
    assert.equal(await isReviewLeft(storageOf("other")), false);
  });

  it("that a window leaves while the next one opens is that one's", async () => {
    const closing = await windows.open(join(windows.base, "shared"));
    closing.checkpoints.promptStarted("first", "prompt");
    closing.agentWrites("first", "a.txt", numbers.replace("one", "ONE"));
    await closing.gathered.whenTold();
    await closing.kept.flush();
    const next = await windows.open(join(windows.base, "shared"));
    assert.deepEqual(next.waiting(), {});
    await closing.close();
    await next.adopted;
    assert.deepEqual(next.waiting(), { "a.txt": [numbers, "first"] });
    // Its tabs come back there, and can go back to their prompts.
    assert.equal(next.checkpoints.since("first", "prompt")?.size, 1);
    await next.close();
    const last = await windows.open(join(windows.base, "shared"));
    await last.adopted;
    assert.deepEqual([last.waiting(), last.checkpoints.since("first", "prompt")?.size], [next.waiting(), 1]);
  });

  it("are one where both changed a file: each change is undone by itself, and what the user wrote stays", async () => {
    const first = await windows.open(storageOf("work"));
    const second = await windows.open(storageOf("work-1"));
    const path = join(folder, "a.txt");
    first.agentWrites("first", "a.txt", numbers.replace("one", "ONE"));
    second.agentWrites("second", "a.txt", numbers.replace("one", "ONE").replace("five", "FIVE"));
    first.book.userChanged(path, read(path));
    writeFileSync(path, (read(path) ?? "").replace("three", "mine"));
    for (const one of [first, second]) one.book.userChanged(path, read(path));
    await second.close();
    await first.close();
    const next = await windows.open(storageOf("work"));
    await next.adopted;
    assert.deepEqual(next.waiting(), { "a.txt": [numbers.replace("three", "mine"), "second", "first"] });
    const [one, five] = next.book.find(path)?.review.hunks ?? [];
    assert.ok(one && five);
    assert.equal(next.book.undo(path, five.id)?.text, numbers.replace("one", "ONE").replace("three", "mine"));
    assert.equal(next.book.undo(path, one.id)?.text, numbers.replace("three", "mine"));
  });

  it("never undo the user's words within a change of the other window's agent", async () => {
    const first = await windows.open(storageOf("work"));
    const second = await windows.open(storageOf("work-1"));
    const path = join(folder, "a.txt");
    first.agentWrites("first", "a.txt", numbers.replace("one", "ONE"));
    second.agentWrites("second", "a.txt", (read(path) ?? "").replace("five\n", "FIVE\nSIX\n"));
    writeFileSync(path, (read(path) ?? "").replace("SIX", "mine"));
    for (const one of [first, second]) one.book.userChanged(path, read(path));
    await second.close();
    await first.close();
    const next = await windows.open(storageOf("work"));
    await next.adopted;
    const { undone, refused, text } = next.book.undo(path) ?? {};
    assert.deepEqual([undone, refused, text], [1, 1, numbers.replace("five\n", "FIVE\nmine\n")]);
  });

  it("have what a turn changed in a second window that was killed, found by that window's own snapshots", async () => {
    const first = await windows.open(storageOf("work"));
    // It has the first store of the folder.
    await first.turns.begin("first", "prompt", [folder]);
    await first.turns.end("first");
    const second = await windows.open(storageOf("work-1"));
    await second.turns.begin("second", "prompt", [folder]);
    second.turns.toolCall("second", { ...command, status: "in_progress" });
    writeFileSync(join(folder, "b.txt"), numbers.replace("two", "TWO"));
    await second.close(false);
    await first.close();
    const next = await windows.open(storageOf("work"));
    await next.turns.begin("next", "prompt", [folder]);
    await next.adopted;
    assert.deepEqual(next.waiting(), { "b.txt": [numbers, "second"] });
    assert.equal(readdirSync(storageOf("work-1")).includes("open-turns.json"), false);
  });

  it("are stored as ever while what a turn changed in a window that was killed is still looked for", async () => {
    const second = await windows.open(storageOf("work-1"));
    await second.turns.begin("second", "prompt", [folder]);
    second.turns.toolCall("second", { ...command, status: "in_progress" });
    writeFileSync(join(folder, "b.txt"), numbers.replace("two", "TWO"));
    await second.close(false);
    const next = windows.make(await ReviewPlace.claim(storageOf("work")));
    await next.kept.restore(Promise.resolve());
    let goOn: () => void = () => undefined;
    const looks = new Promise<void>((begins) => {
      next.beforeLook = () => {
        begins();
        return new Promise((resolve) => (goOn = resolve));
      };
    });
    next.adopted = next.kept.adoptLeft();
    await looks;
    next.agentWrites("next", "a.txt", numbers.replace("one", "ONE"));
    assert.equal(await next.kept.stored(), true);
    const { reviews } = await new ReviewStore(join(storageOf("work"), "review.json"), assert.ifError).load();
    assert.deepEqual(
      reviews.map(({ path }) => path),
      [join(folder, "a.txt")],
    );
    next.beforeLook = () => Promise.resolve();
    goOn();
    await next.adopted;
    assert.deepEqual(next.waiting(), { "a.txt": [numbers, "next"], "b.txt": [numbers, "second"] });
  });

  it("say that they are not stored where the disk does not take them", async () => {
    const window = await windows.open(storageOf("work"));
    window.problems = [];
    const file = join(storageOf("work"), "review.json");
    mkdirSync(file);
    window.agentWrites("tab", "a.txt", numbers.replace("one", "ONE"));
    assert.equal(await window.kept.stored(), false);
    assert.notEqual(window.problems.length, 0);
    rmSync(file, { recursive: true });
    assert.equal(await window.kept.stored(), true);
  });

  it("have what a turn changed in a window whose process still ends, with what that window had under review", async () => {
    const second = await windows.open(storageOf("work-1"));
    second.agentWrites("second", "a.txt", numbers.replace("one", "ONE"));
    await second.turns.begin("second", "prompt", [folder]);
    second.turns.toolCall("second", { ...command, status: "in_progress" });
    writeFileSync(join(folder, "b.txt"), numbers.replace("two", "TWO"));
    await second.close();
    const file = openTurnsFile(join(storageOf("work-1"), "review.json"));
    const left = JSON.parse(readFileSync(file, "utf8")) as object;
    writeFileSync(file, JSON.stringify({ ...left, aliveAtMs: Date.now() }));
    const next = await windows.open(storageOf("work"));
    await next.adopted;
    assert.deepEqual(next.waiting(), { "a.txt": [numbers, "second"], "b.txt": [numbers, "second"] });
  });

  it("stay on disk as they are where they cannot be read, and are the next window's", async () => {
    const first = await windows.open(storageOf("work"));
    first.agentWrites("first", "a.txt", numbers.replace("one", "ONE"));
    first.comments = [thread];
    await first.turns.begin("first", "prompt", [folder]);
    await first.close();
    const file = join(storageOf("work"), "review.json");
    const files = [file, openTurnsFile(file)];
    const stored = files.map((one) => readFileSync(one, "utf8"));
    const place = await ReviewPlace.claim(storageOf("work"));
    // As a file that is busy: it is there, and reading it fails.
    renameSync(file, `${file}.beside`);
    mkdirSync(file);
    const failed = windows.make(place);
    await assert.rejects(failed.kept.restore(Promise.resolve()), { code: "EISDIR" });
    rmSync(file, { recursive: true });
    renameSync(`${file}.beside`, file);
    failed.agentWrites("failed", "b.txt", numbers.replace("two", "TWO"));
    await failed.turns.begin("failed", "prompt", [folder]);
    await failed.close();
    writeFileSync(join(folder, "b.txt"), numbers);
    assert.deepEqual(
      files.map((one) => readFileSync(one, "utf8")),
      stored,
    );
    const next = await windows.open(storageOf("work"));
    assert.deepEqual([next.waiting(), next.comments], [{ "a.txt": [numbers, "first"] }, [thread]]);
  });

  it("have conflicts and the mode beside them that the next window takes over", async () => {
    const file = join(storageOf("work-1"), "review.json");
    const conflict = {
      ...{ path: "/shop/cart.ts", theirFile: "/fix/cart.ts", name: "fix", tabId: "tab", id: 1 },
      ...{ start: 1, ours: "mine\n", theirs: null, isWhole: false, found: "one\nmine\n" },
    };
    const left = new ConflictStore(conflictsFile(file), assert.ifError);
    left.save(() => [conflict]);
    await left.flush();
    assert.equal(await isReviewLeft(storageOf("work")), true);
    const next = await windows.open(storageOf("work"));
    await next.adopted;
    assert.deepEqual(next.conflicts, ["/shop/cart.ts"]);
    await next.close();
    assert.equal(await isReviewLeft(storageOf("work")), false);
    writeFileSync(allChangesFile(file), "{}");
    assert.equal(await isReviewLeft(storageOf("work")), true);
  });

  it("stay where they are when they cannot be stored here", async () => {
    const second = await windows.open(storageOf("work-1"));
    second.agentWrites("second", "b.txt", numbers.replace("two", "TWO"));
    await second.close();
    const file = join(storageOf("work-1"), "review.json");
    const stored = readFileSync(file, "utf8");
    const next = await windows.open(storageOf("work"));
    next.turns.detach();
    await next.adopted;
    // The window closed before it had stored them.
    assert.equal(readFileSync(file, "utf8"), stored);
    assert.deepEqual(
      (await new ReviewStore(join(storageOf("work"), "review.json"), assert.ifError).load()).reviews,
      [],
    );
  });
});
