import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DiskFiles } from "../../../src/features/review/files/disk-files.js";
import { ReviewAnswers } from "../../../src/features/review/review-answers.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import type { FileText } from "../../../src/features/review/hunks/file-review.js";
import { opaqueFile } from "../../../src/features/review/hunks/opaque-text.js";
import type { FileTruth, TrueFiles } from "../../../src/features/review/files/compare-and-write-contract.js";
import { placeOf, taken } from "../../../src/features/worktrees/conflict-place.js";
import { onlyThere, planMerge } from "../../../src/features/worktrees/merge-plan.js";
import { openMerge, type OpenedMerge } from "../../../src/features/worktrees/merge-sides.js";
import { repositoryOf } from "../../../src/features/worktrees/repository.js";
import { TemporaryRepository } from "./temporary-repository.js";

const numbers = ["one\n", "two\n", "three\n", "four\n", "five\n"];
const lines = (replaced: Readonly<Record<number, string>> = {}): string =>
  numbers.map((line, index) => replaced[index] ?? line).join("");

/** The disk alone. */
const disk: TrueFiles = {
  truth: (path) => Promise.resolve({ text: textOf(path), isTorn: false }),
  canWrite: () => Promise.resolve(true),
  setAttributes: () => Promise.resolve(false),
  write: (path, text, expected) => {
    if (textOf(path) !== expected) return Promise.resolve(false);
    if (text === null) rmSync(path);
    else writeFileSync(path, text);
    return Promise.resolve(true);
  },
};

function textOf(path: string): FileText {
  if (!existsSync(path)) return null;
  const bytes = readFileSync(path);
  return bytes.includes(0) ? opaqueFile(bytes.toString("hex")) : bytes.toString();
}

describe("merging a worktree into the main tree", function () {
  // Each starts Git a dozen times.
  this.timeout(120_000);
  const opened: Disposable[] = [];
  const merges: OpenedMerge[] = [];
  afterEach(async () => {
    for (const one of merges.splice(0)) await one[Symbol.asyncDispose]();
    for (const one of opened.splice(0)) one[Symbol.dispose]();
  });

  function begun(files: Readonly<Record<string, string>>, isCarried = false) {
    const shop = new TemporaryRepository(files);
    opened.push(shop);
    const make = async () =>
      (await shop.worktrees.make(await repositoryOf(shop.git, shop.top), { words: "task", isCarried })).root;
    const open = async (root: string, truth: (path: string) => Promise<FileTruth> = (path) => disk.truth(path)) => {
      const merge = await openMerge({ git: shop.git, worktrees: shop.worktrees, truth }, shop.top, { root });
      merges.push(merge);
      return merge;
    };
    return { shop, make, open, main: (path: string) => join(shop.top, path) };
  }

  it("stands hunk by hunk over the main files: one is kept, one is undone, and the user's lines since stay", async () => {
    const { shop, make, open, main } = begun({ "cart.ts": lines() });
    const root = await make();
    shop.write(join(root, "cart.ts"), lines({ 0: "ONE\n", 4: "FIVE\n" }));
    shop.write(main("cart.ts"), lines({ 2: "mine\n" }));
    const { changes, sides } = await open(root);
    const plan = await planMerge(changes, sides);
    const text = lines({ 0: "ONE\n", 2: "mine\n", 4: "FIVE\n" });
    const now = lines({ 2: "mine\n" });
    const files = [{ path: main("cart.ts"), now, text, hasOthers: true }];
    assert.deepEqual(plan, { files, conflicts: [], unsaved: [], left: [] });
    const unsaved = async (path: string): Promise<FileTruth> => ({ ...(await disk.truth(path)), isUnsaved: true });
    const { sides: inEditor } = await open(root, unsaved);
    assert.deepEqual(await planMerge(changes, inEditor), { ...plan, unsaved: [main("cart.ts")] });
    const book = new ReviewBook();
    const answers = new ReviewAnswers(book, disk, (path, truth) => book.userChanged(path, truth.text));
    assert.deepEqual(await answers.restore("tab", plan.files), []);
    const [first, second] = book.find(main("cart.ts"))?.review.hunks ?? [];
    assert.ok(first && second);
    await answers.keep(main("cart.ts"), first.id);
    await answers.undo(main("cart.ts"), second.id);
    assert.equal(shop.read(main("cart.ts")), lines({ 0: "ONE\n", 2: "mine\n" }));
  });

  it("takes what is committed, what is not, new files and removed ones, as far as the main tree has not the same", async () => {
    const { shop, make, open, main } = begun({ "a.ts": "a\n", "gone.ts": "gone\n", "same.ts": "same\n" });
    const root = await make();
    shop.commit({ "a.ts": "committed\n", "same.ts": "alike\n" }, root);
    shop.write(join(root, "new/n.ts"), "new\n");
    rmSync(join(root, "gone.ts"));
    shop.write(main("same.ts"), "alike\n");
    const { changes, sides } = await open(root);
    const { files } = await planMerge(changes, sides);
    const told = files.map(({ path, text }) => [path, text]);
    assert.deepEqual(told, [
      [main("a.ts"), "committed\n"],
      [main("gone.ts"), null],
      [main("new/n.ts"), "new\n"],
    ]);
    assert.deepEqual(await onlyThere(changes, sides), ["a.ts", "gone.ts", "new/n.ts"]);
  });

  it("shows as a conflict what both sides changed, leaves the user's bytes, and takes the other side's on demand", async () => {
    const { shop, make, open, main } = begun({ "cart.ts": lines(), "both.ts": "both\n", image: "\0 1" });
    const root = await make();
    for (const folder of [root, shop.top]) {
      const who = folder === root ? "theirs" : "mine";
      shop.write(join(folder, "cart.ts"), lines({ 1: `${who}\n`, ...(who === "theirs" && { 4: "FIVE\n" }) }));
      shop.write(join(folder, "image"), `\0 ${who}`);
    }
    shop.write(join(root, "both.ts"), "theirs\n");
    rmSync(main("both.ts"));
    const { changes, sides } = await open(root);
    const { files, conflicts } = await planMerge(changes, sides);
    const text = lines({ 1: "mine\n", 4: "FIVE\n" });
    assert.deepEqual(
      files.map((file) => file.text),
      [text],
    );
    assert.deepEqual(
      conflicts.map(({ path, ours, theirs, isWhole }) => [path, ours, isWhole ? "whole" : theirs]),
      [
        [main("both.ts"), null, "whole"],
        [main("cart.ts"), "mine\n", "theirs\n"],
        [main("image"), opaqueFile(Buffer.from("\0 mine").toString("hex")), "whole"],
      ],
    );
    const [conflict] = conflicts.filter(({ isWhole }) => !isWhole).map((one) => ({ ...one, found: text }));
    assert.ok(conflict);
    assert.equal(taken(conflict, `more\n${text}`), `more\n${lines({ 1: "theirs\n", 4: "FIVE\n" })}`);
    assert.equal(placeOf(conflict, lines({ 1: "other\n" })), undefined);
    const [gone, image] = conflicts.filter(({ isWhole }) => isWhole).map((one) => ({ ...one, found: one.ours ?? "" }));
    assert.ok(gone && image);
    assert.deepEqual([taken(gone, null), taken(gone, "back\n"), taken(gone, "")], ["theirs\n", undefined, undefined]);
    const theirs = opaqueFile(Buffer.from("\0 theirs").toString("hex"));
    assert.deepEqual([taken(image, image.found), taken(image, "other")], [theirs, undefined]);
  });

  it("compares with what was carried over, not with the commit, so that the user's own changes are no conflicts", async () => {
    const { shop, make, open, main } = begun({ "cart.ts": lines() }, true);
    shop.write(main("cart.ts"), lines({ 1: "mine\n" }));
    shop.write(main("new.ts"), "mine, too\n");
    const root = await make();
    shop.write(join(root, "cart.ts"), lines({ 1: "mine\n", 4: "FIVE\n" }));
    shop.write(main("cart.ts"), lines({ 1: "mine again\n" }));
    const { changes, sides } = await open(root);
    const { files, conflicts } = await planMerge(changes, sides);
    const told = files.map(({ text }) => text);
    assert.deepEqual([told, conflicts], [[lines({ 1: "mine again\n", 4: "FIVE\n" })], []]);
  });

  it("tells changes from the newest common commit once the main branch was merged into the worktree", async () => {
    const { shop, make, open, main } = begun({ "cart.ts": lines(), "tax.ts": "tax\n" });
    const root = await make();
    shop.commit({ "cart.ts": lines({ 4: "FIVE\n" }) }, root);
    shop.commit({ "tax.ts": "more tax\n" });
    shop.runIn(root, "merge", "--quiet", "main");
    const { changes, sides } = await open(root);
    const { files } = await planMerge(changes, sides);
    assert.deepEqual(
      files.map(({ path }) => path),
      [main("cart.ts")],
    );
  });

  it("leaves to Git what is no matter of lines, and writes through no link", async function () {
    if (process.platform === "win32") this.skip();
    const { shop, make, open, main } = begun({
      "run.sh": "run\n",
      "lib/a.ts": "a\n",
      "b.ts": "b\n",
      "c.ts": "c\n",
    });
    const root = await make();
    chmodSync(join(root, "run.sh"), 0o755);
    symlinkSync("b.ts", join(root, "link"));
    for (const name of ["lib/a.ts", "b.ts", "c.ts"]) shop.write(join(root, name), "theirs\n");
    mkdirSync(join(shop.base, "elsewhere"));
    renameSync(main("lib"), join(shop.base, "elsewhere/lib"));
    symlinkSync(join(shop.base, "elsewhere/lib"), main("lib"));
    const { changes, sides } = await open(root, (path) =>
      path === main("c.ts") ? Promise.resolve({ text: "c\n", isTorn: true }) : disk.truth(path),
    );
    const { files, left } = await planMerge(changes, sides);
    assert.deepEqual(
      [files.map(({ path }) => path), left.map(({ path, reason }) => [path, reason])],
      [
        [main("b.ts")],
        [
          [main("c.ts"), "unsaved"],
          [main("lib/a.ts"), "unreadable"],
          [main("link"), "link"],
          [main("run.sh"), "mode"],
        ],
      ],
    );
  });

  it("tells what a text does not: a byte order mark, and that a file can be run whose text needs no merging", async () => {
    const { shop, make, open, main } = begun({ "marked.ts": "one\n", "run.sh": "one\n", "both.sh": "one\n" });
    const root = await make();
    shop.write(join(root, "marked.ts"), "\ufeffone\n");
    for (const name of ["run.sh", "both.sh"]) {
      shop.write(join(root, name), "two\n");
      chmodSync(join(root, name), 0o755);
      shop.write(main(name), "two\n");
    }
    chmodSync(main("both.sh"), 0o755);
    const { changes, sides } = await open(root, (path) =>
      new DiskFiles().look(path).then((onDisk) => ({ ...onDisk, isTorn: false })),
    );
    const { files, left } = await planMerge(changes, sides);
    const told = left.map(({ path, reason }) => [path, reason]);
    assert.deepEqual(
      [files, told],
      [
        [],
        [
          [main("marked.ts"), "mark"],
          [main("run.sh"), "mode"],
        ],
      ],
    );
  });
});
