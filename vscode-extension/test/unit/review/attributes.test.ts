import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AllChanges } from "../../../src/features/review/all-changes/find-unreported-changes.js";
import { Checkpoints } from "../../../src/features/review/restore/checkpoints.js";
import { DiskFiles } from "../../../src/features/review/files/disk-files.js";
import { attributesId } from "../../../src/features/review/hunks/file-attributes.js";
import { ReviewAnswers } from "../../../src/features/review/review-answers.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import { takeIn } from "../../../src/features/review/store/restore-review.js";
import { RestoredFiles } from "../../../src/features/review/restore/restored-files.js";
import { SnapshotTurn } from "../../../src/features/review/turns/snapshot-turn.js";
import type { TrueFiles } from "../../../src/features/review/files/compare-and-write-contract.js";
import { programWriter } from "../../../src/features/review/turns/writer-id.js";
import type { Snapshots } from "../../../src/features/snapshots/snapshots.js";
import { reviewWithoutTurns, snapshotsIn } from "./review-stage.js";

const text = "#!/bin/sh\r\necho one\necho two\n";

describe("what an agent changes besides the text of a file", function () {
  this.timeout(60_000);
  let base: string;
  let file: string;
  let snapshots: Snapshots;
  let disk: DiskFiles;
  let book: ReviewBook;
  let answers: ReviewAnswers;

  before(function () {
    // Windows knows no permission bits.
    if (process.platform === "win32") this.skip();
  });
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "symposium attributes ")));
    const root = join(base, "work");
    mkdirSync(root);
    file = join(root, "run.sh");
    disk = new DiskFiles();
    book = new ReviewBook();
    const files: TrueFiles = {
      truth: async (path) => ({ ...(await disk.look(path)), isTorn: false }),
      canWrite: () => Promise.resolve(true),
      write: (path, now, expected, attributes) => disk.replace(path, now ?? "", expected, attributes !== undefined),
      setAttributes: (path, wanted, expected) => disk.setAttributes(path, wanted, expected),
    };
    answers = new ReviewAnswers(book, files, (path, truth) => book.userChanged(path, truth.text));
    snapshots = snapshotsIn(base);
  });
  afterEach(async () => {
    await snapshots[Symbol.asyncDispose]();
    rmSync(base, { recursive: true });
  });

  function put(content: string, mode: number): void {
    writeFileSync(file, content);
    chmodSync(file, mode);
  }

  function state(): unknown[] {
    return [readFileSync(file).toString(), statSync(file).mode & 0o777];
  }

  /** A turn that found this is in the book then. */
  async function turn(during: () => void, isKnown = false): Promise<unknown> {
    const begun = await SnapshotTurn.begin([join(base, "work")], snapshots, disk);
    during();
    const { found } = await begun.end(() => isKnown);
    for (const { path, before, after, attributes } of found) {
      book.agentChanged("tab", path, before, after);
      if (attributes) book.attributesChanged("tab", path, after, attributes);
    }
    return found.map(({ attributes }) => attributes && { ...attributes, changedAtMs: undefined });
  }

  it("is found, and undone with the text left, or kept", async () => {
    put(text, 0o644);
    const change = {
      before: { mode: 0o644, hasMark: false },
      after: { mode: 0o755, hasMark: false },
      changedAtMs: undefined,
    };
    assert.deepEqual(await turn(() => chmodSync(file, 0o755)), [change]);
    assert.equal(book.isOpen(file), true);
    assert.deepEqual(await answers.undo(file), { isUndone: true, refusal: undefined });
    assert.deepEqual([state(), book.isOpen(file)], [[text, 0o644], false]);
    await turn(() => chmodSync(file, 0o700));
    assert.equal(await answers.keep(file, attributesId), true);
    assert.deepEqual(
      [state(), book.isOpen(file), await answers.keep(file, attributesId)],
      [[text, 0o700], false, false],
    );
  });

  it("is found and undone, byte for byte, where a byte order mark came or went", async () => {
    for (const [was, is] of [
      [text, `\ufeff${text}`],
      [`\ufeff${text}`, text],
    ] as const) {
      put(was, 0o640);
      await turn(() => writeFileSync(file, is));
      assert.deepEqual([book.isOpen(file), book.find(file)?.review.isReviewed], [true, true]);
      assert.equal((await answers.undo(file, attributesId)).isUndone, true);
      assert.deepEqual([state(), book.isOpen(file)], [[was, 0o640], false]);
    }
  });

  it("stands beside the changes of its text, each answered for itself, and after a restart", async () => {
    put(text, 0o644);
    await turn(() => put(text.replace("one", "ONE"), 0o755));
    const [hunk] = book.find(file)?.review.hunks ?? [];
    const restarted = new ReviewBook();
    for (const stored of book.store()) restarted.restore(stored, stored.current);
    assert.deepEqual(restarted.store(), book.store());
    await answers.undo(file, hunk?.id);
    assert.deepEqual([state(), book.isOpen(file)], [[text, 0o755], true]);
    await answers.undo(file);
    assert.deepEqual([state(), book.isOpen(file)], [[text, 0o644], false]);
  });

  it("is found in a file whose text is known from tool calls", async () => {
    put(text, 0o644);
    book.agentChanged("tab", file, text, "else\n");
    await turn(() => put("else\n", 0o755), true);
    assert.deepEqual(book.find(file)?.attributes?.baseline, { mode: 0o644, hasMark: false });
    assert.equal((await answers.undo(file)).isUndone, true);
    assert.deepEqual(state(), [text, 0o644]);
  });

  it("is left where somebody else changed it since, and where a link came in its place", async () => {
    put(text, 0o644);
    await turn(() => chmodSync(file, 0o755));
    chmodSync(file, 0o711);
    assert.equal((await answers.undo(file)).refusal?.reason, "changing");
    assert.deepEqual(state(), [text, 0o711]);
    const other = join(base, "other");
    writeFileSync(other, text, { mode: 0o755 });
    chmodSync(other, 0o755);
    rmSync(file);
    symlinkSync(other, file);
    assert.equal((await answers.undo(file)).refusal?.reason, "changing");
    assert.equal(statSync(other).mode & 0o777, 0o755);
  });

  it("is undone through no link that came in the file's place, though its text is the same", async () => {
    put(text, 0o644);
    const changed = text.replace("one", "ONE");
    await turn(() => put(changed, 0o644));
    const outside = join(base, "profile");
    writeFileSync(outside, changed);
    rmSync(file);
    symlinkSync(outside, file);
    assert.equal((await answers.undo(file)).isUndone, false);
    assert.deepEqual([await disk.leadsAsBefore(file), readFileSync(outside, "utf8")], [false, changed]);
    rmSync(file);
    put(changed, 0o644);
    assert.equal((await answers.undo(file)).isUndone, true);
    assert.equal(readFileSync(file, "utf8"), text);
  });

  it("counts from the first of several changes, and from an answer on", async () => {
    put(text, 0o644);
    await turn(() => chmodSync(file, 0o755));
    await turn(() => chmodSync(file, 0o700));
    assert.equal(book.find(file)?.attributes?.baseline.mode, 0o644);
    await answers.keep(file);
    chmodSync(file, 0o600);
    await turn(() => chmodSync(file, 0o755));
    assert.equal(book.find(file)?.attributes?.baseline.mode, 0o600);
  });

  it("is put back with the text where both were changed, and a pipe in its place is not waited for", async () => {
    put(text, 0o644);
    await turn(() => put(`\ufeff${text.replace("one", "ONE")}`, 0o755));
    assert.deepEqual(book.find(file)?.attributes?.current, { mode: 0o755, hasMark: true });
    assert.equal((await answers.undo(file)).isUndone, true);
    assert.deepEqual([state(), book.isOpen(file)], [[text, 0o644], false]);
    await turn(() => chmodSync(file, 0o755));
    rmSync(file);
    execFileSync("mkfifo", [file]);
    assert.equal(
      await disk.setAttributes(file, { mode: 0o644, hasMark: true }, { mode: 0o755, hasMark: false }),
      false,
    );
  });

  it("has its answer where somebody put it back, and is asked about again after a restart only where not", async () => {
    put(text, 0o644);
    await turn(() => put(text.replace("one", "ONE"), 0o755));
    const stored = book.store();
    const reopened = async (): Promise<ReviewBook> => {
      book = new ReviewBook();
      const texts = {
        asLink: (path: string) => disk.asLink(path),
        look: (path: string) => disk.look(path),
        truth: async (path: string) => ({ ...(await disk.look(path)), isTorn: false }),
        wasMarked: (path: string, marked: string) => disk.wasMarked(path, marked),
      };
      const record = (): void => assert.fail("nothing was left");
      const checkpoints = new Checkpoints();
      const restored = new RestoredFiles(answers, () => undefined);
      const review = { book, checkpoints, restored, texts, snapshots, record, isClosing: () => false };
      await takeIn(stored, { changed: new Map(), unseen: 0 }, review);
      return book;
    };
    assert.deepEqual((await reopened()).store(), stored);
    chmodSync(file, 0o644);
    assert.equal((await reopened()).find(file)?.attributes?.isReviewed, true);
    // A file that can't be read stays unreviewed; here it has become a folder.
    rmSync(file);
    mkdirSync(file);
    assert.deepEqual((await reopened()).store(), stored);
  });

  it("is told once where all changes are reviewed, beside a turn, and not again when it is undone", async () => {
    put(text, 0o644);
    const onProblem = (error: unknown): void => assert.fail(String(error));
    const all = new AllChanges({
      storeFile: join(base, "all-changes.json"),
      roots: () => [join(base, "work")],
      snapshots,
      files: {
        look: (path) => disk.look(path),
        truth: async (path) => ({ ...(await disk.look(path)), isTorn: false }),
        asLink: (path) => disk.asLink(path),
        wasMarked: (path, marked) => disk.wasMarked(path, marked),
        isUnsaved: () => false,
        typed: () => undefined,
      },
      git: { writers: () => Promise.resolve(new Map()), isAtWork: () => Promise.resolve(false) },
      review: { ...reviewWithoutTurns(book), alone: (path, work) => answers.alone(path, work) },
      onSwitched: () => undefined,
      onProblem,
    });
    const looked = async (): Promise<void> => {
      void all.noticed();
      await all.settled();
    };
    try {
      assert.equal(await all.switchOn(), true);
      await turn(() => chmodSync(file, 0o755));
      await looked();
      assert.deepEqual([...(book.find(file)?.tabIds ?? [])], ["tab"]);
      assert.equal((await answers.undo(file)).isUndone, true);
      await looked();
      assert.deepEqual([state(), book.isOpen(file)], [[text, 0o644], false]);
      chmodSync(file, 0o700);
      await looked();
      assert.deepEqual([...(book.find(file)?.tabIds ?? [])], [programWriter]);
      assert.equal(book.isOpen(file), true);
    } finally {
      all[Symbol.dispose]();
      await all.flush();
    }
  });
});
