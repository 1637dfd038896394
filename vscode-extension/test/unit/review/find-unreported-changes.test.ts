import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AllChanges } from "../../../src/features/review/all-changes/find-unreported-changes.js";
import { decodedText, opaqueFile } from "../../../src/features/review/hunks/opaque-text.js";
import type { FileText } from "../../../src/features/review/hunks/file-review.js";
import { GitWork } from "../../../src/features/review/files/changes-by-git.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import type { FileTruth } from "../../../src/features/review/files/compare-and-write-contract.js";
import { editorWriter, nameOfWriter } from "../../../src/features/review/turns/writer-id.js";
import type { Snapshots } from "../../../src/features/snapshots/snapshots.js";
import { snapshotsIn } from "./review-stage.js";

describe("the review of all changes", () => {
  let base: string;
  let folder: string;
  let snapshots: Snapshots;
  let book: ReviewBook;
  let all: AllChanges;
  /** Files with unsaved words, and those of open documents that the user typed. */
  const unsaved = new Set<string>();
  const typed = new Map<string, string>();
  let isOfTurn: (path: string) => boolean = () => false;
  let hasTurn = false;
  /** Before each look. */
  let beforeLook: () => void = () => undefined;
  let stored: () => Promise<boolean> = () => Promise.resolve(true);

  beforeEach(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "symposium all changes ")));
    folder = join(base, "work");
    mkdirSync(folder);
    write("a.txt", "a\n");
    write("b.txt", "b\n");
    unsaved.clear();
    typed.clear();
    isOfTurn = () => false;
    hasTurn = false;
    beforeLook = () => undefined;
    stored = () => Promise.resolve(true);
    open();
    assert.equal(await all.switchOn(), true);
  });
  afterEach(async () => {
    await close();
    rmSync(base, { recursive: true });
  });

  function open(storeFile = join(base, "all-changes.json")): void {
    snapshots = snapshotsIn(base);
    book = new ReviewBook();
    all = new AllChanges({
      storeFile,
      roots: () => [folder],
      snapshots,
      files: {
        look: (path) => Promise.resolve({ text: read(path) }),
        truth: (path): Promise<FileTruth> => {
          const writtenAtMs = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
          return Promise.resolve({ text: read(path), isTorn: false, writtenAtMs });
        },
        asLink: () => undefined,
        wasMarked: () => undefined,
        isUnsaved: (path) => unsaved.has(path),
        typed: (path) => typed.get(path),
      },
      git: new GitWork(
        () => true,
        () => [folder],
      ),
      review: {
        alone: (_path, work) => work(),
        current: (path) => book.current(path),
        get hasTurn() {
          return hasTurn;
        },
        mayBeOfTurn: () => isOfTurn(""),
        settled: () => {
          beforeLook();
          return Promise.resolve();
        },
        stored: () => stored(),
        changed: (writer, path, before, after) => book.agentChanged(writer, path, before, after),
        attributesChanged: (...change) => book.attributesChanged(...change),
        unseen: (count) => assert.equal(count, 0),
      },
      onSwitched: () => undefined,
      onProblem: (error) => assert.fail(String(error)),
    });
  }

  async function close(): Promise<void> {
    all[Symbol.dispose]();
    await all.flush();
    await snapshots[Symbol.asyncDispose]();
  }

  function path(name: string): string {
    return join(folder, name);
  }

  function write(name: string, text: string | Uint8Array): void {
    writeFileSync(path(name), text);
  }

  function read(file: string): FileText {
    if (!lstatSync(file, { throwIfNoEntry: false })) return null;
    const bytes = readFileSync(file);
    return decodedText(bytes) ?? opaqueFile("0");
  }

  function git(...args: string[]): void {
    const config = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "core.autocrlf=false"];
    execFileSync("git", [...config, ...args], { cwd: folder, stdio: "pipe" });
  }

  /** Looks at everything on disk, then returns the changes that wait for review by path: the writer, and the text before and after. */
  async function waiting(): Promise<Record<string, readonly unknown[]>> {
    void all.noticed();
    await all.settled();
    return Object.fromEntries(
      book.files().map(({ path: file, tabIds, review }) => {
        const who = [...tabIds].map(nameOfWriter).join(", ");
        return [file.slice(folder.length + 1), [who, review.baseline, review.current]];
      }),
    );
  }

  it("finds what another program writes, makes and removes, in a folder without a repository", async () => {
    write("a.txt", "other\n");
    write("new.txt", "new\n");
    rmSync(path("b.txt"));
    assert.deepEqual(await waiting(), {
      "a.txt": ["another program", "a\n", "other\n"],
      "b.txt": ["another program", "b\n", null],
      "new.txt": ["another program", null, "new\n"],
    });
  });

  it("tells what git brought from what another program wrote in the same moment", async () => {
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    git("checkout", "-q", "-b", "other");
    write("a.txt", "of the branch\n");
    git("commit", "-q", "-a", "-m", "other");
    git("checkout", "-q", "main");
    assert.deepEqual(await waiting(), {});
    git("checkout", "-q", "other");
    write("b.txt", "of a program\n");
    write("new.txt", "new\n");
    assert.deepEqual(await waiting(), {
      "a.txt": ["git checkout", "a\n", "of the branch\n"],
      "b.txt": ["another program", "b\n", "of a program\n"],
      "new.txt": ["another program", null, "new\n"],
    });
  });

  it("does not take a commit of another program's words for the work of git", async () => {
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    assert.deepEqual(await waiting(), {});
    write("a.txt", "of a program\n");
    assert.deepEqual(Object.keys(await waiting()), ["a.txt"]);
    git("commit", "-q", "-a", "-m", "kept");
    write("b.txt", "later\n");
    assert.deepEqual(await waiting(), {
      "a.txt": ["another program", "a\n", "of a program\n"],
      "b.txt": ["another program", "b\n", "later\n"],
    });
  });

  it("tells of the files that a merge left with its marks that git wrote them", async () => {
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    git("checkout", "-q", "-b", "other");
    write("a.txt", "theirs\n");
    git("commit", "-q", "-a", "-m", "theirs");
    git("checkout", "-q", "main");
    write("a.txt", "ours\n");
    git("commit", "-q", "-a", "-m", "ours");
    await waiting();
    book.keep(path("a.txt"));
    assert.throws(() => git("merge", "-q", "other"));
    const found = await waiting();
    assert.match(String(found["a.txt"]?.[0]), /^git/);
    assert.match(String(found["a.txt"]?.[2]), /<<<<<<< HEAD/);
  });

  it("leaves out what the user saved, typed, made and removed in the editor, and keeps what others add to it", async () => {
    write("a.txt", "mine\n");
    all.own.saved(path("a.txt"), "mine\n");
    typed.set(path("b.txt"), "typed\n");
    write("b.txt", "typed\n");
    all.own.placed(path("made"));
    mkdirSync(path("made"));
    write("made/in.txt", "mine too\n");
    assert.deepEqual(await waiting(), {});
    write("a.txt", "mine\nand another's\n");
    assert.deepEqual(await waiting(), { "a.txt": ["another program", "mine\n", "mine\nand another's\n"] });
  });

  it("waits with a file that has unsaved words, and with one that may be of a turn", async () => {
    write("a.txt", "other\n");
    unsaved.add(path("a.txt"));
    assert.deepEqual(await waiting(), {});
    unsaved.clear();
    isOfTurn = () => true;
    assert.deepEqual(await waiting(), {});
    isOfTurn = () => false;
    assert.deepEqual(await waiting(), { "a.txt": ["another program", "a\n", "other\n"] });
  });

  it("finds after a restart what changed since the last look, and takes nothing of the user's for it", async () => {
    write("a.txt", "saved just before\n");
    all.own.saved(path("a.txt"), "saved just before\n");
    await close();
    write("b.txt", "while closed\n");
    open();
    write("c.txt", "saved as the window opens\n");
    all.own.saved(path("c.txt"), "saved as the window opens\n");
    await all.flush();
    await all.restore();
    assert.equal(all.isOn, true);
    assert.deepEqual(await waiting(), { "b.txt": ["another program", "b\n", "while closed\n"] });
  });

  it("leaves to the next window what it was looking for when this one closed, and tells of what VS Code changed", async () => {
    beforeLook = () => {
      // Closes the window during the look, after which the snapshots return nothing.
      all.close();
      snapshots.changesSince = () => Promise.resolve(undefined);
    };
    write("a.txt", "other\n");
    all.edited({ path: path("b.txt"), before: "b\n", after: "formatted\n" });
    assert.deepEqual(await waiting(), { "b.txt": ["VS Code", "b\n", "formatted\n"] });
    await close();
    beforeLook = () => undefined;
    open();
    book.agentChanged(editorWriter, path("b.txt"), "b\n", "formatted\n");
    await all.restore();
    const { "a.txt": found } = await waiting();
    assert.deepEqual(found, ["another program", "a\n", "other\n"]);
  });

  it("is off after a restart when it was switched off, and finds nothing then", async () => {
    await all.switchOff();
    await close();
    open();
    await all.restore();
    write("a.txt", "other\n");
    assert.equal(all.isOn, false);
    assert.deepEqual(await waiting(), {});
    assert.throws(() => statSync(join(base, "all-changes.json")), /ENOENT/);
  });

  it("counts what VS Code changes in a document as its own, but for what was told of otherwise", async () => {
    const [a, b] = [path("a.txt"), path("b.txt")];
    all.edited({ path: a, before: "a\n", after: "chat\n" });
    book.agentChanged("tab", b, "b\n", "agent\n");
    all.edited({ path: b, before: "b\n", after: "agent\n" });
    write("a.txt", "chat\n");
    write("b.txt", "agent\n");
    all.own.saved(a, "chat\n");
    assert.deepEqual(await waiting(), {
      "a.txt": ["VS Code", "a\n", "chat\n"],
      "b.txt": ["", "b\n", "agent\n"],
    });
  });

  it("finds again after a crash what it was told of and nobody had stored yet", async () => {
    const isStoring = new Promise<void>((begins) => {
      stored = () => {
        begins();
        return new Promise(() => undefined);
      };
    });
    write("a.txt", "other\n");
    void all.noticed();
    await isStoring;
    await close();
    stored = () => Promise.resolve(true);
    // The book of the window that was killed is gone.
    open();
    await all.restore();
    assert.deepEqual(await waiting(), { "a.txt": ["another program", "a\n", "other\n"] });
  });

  it("finds again after a crash what a full disk did not take, and goes on from it once it does", async () => {
    stored = () => Promise.resolve(false);
    write("a.txt", "other\n");
    assert.deepEqual(Object.keys(await waiting()), ["a.txt"]);
    await close();
    open();
    await all.restore();
    assert.deepEqual(Object.keys(await waiting()), ["a.txt"]);
    stored = () => Promise.resolve(true);
    assert.deepEqual(Object.keys(await waiting()), ["a.txt"]);
    await close();
    open();
    await all.restore();
    assert.deepEqual(await waiting(), {});
  });

  it("goes on in a window that takes it over from one that is gone, from where that one had looked", async () => {
    const [theirs, ours] = [join(base, "all-changes.json"), join(base, "ours.json")];
    write("a.txt", "found there\n");
    assert.deepEqual(Object.keys(await waiting()), ["a.txt"]);
    const { sinceMs } = all;
    all.own.saved(path("c.txt"), "mine there\n", Date.now() - 1_000);
    await close();
    write("b.txt", "while closed\n");
    open(ours);
    await all.restore();
    assert.deepEqual([all.isOn, all.notesOwn], [false, true]);
    // Typed here before it is known that the mode goes on.
    write("c.txt", "mine here\n");
    all.own.saved(path("c.txt"), "mine here\n");
    await all.adopt(theirs);
    assert.deepEqual([all.isOn, all.sinceMs, existsSync(theirs)], [true, sinceMs, false]);
    assert.deepEqual(await waiting(), { "b.txt": ["another program", "b\n", "while closed\n"] });
    // Switched off here, nobody switches it on again.
    await all.switchOff();
    await close();
    open(ours);
    await all.restore();
    await all.adopt(theirs);
    all.tookOver();
    assert.deepEqual([all.isOn, all.notesOwn], [false, false]);
  });

  it("stays as it is in a window that has it on, when another one with it is gone", async () => {
    const [theirs, ours] = [join(base, "all-changes.json"), join(base, "ours.json")];
    await close();
    write("b.txt", "before it was switched on here\n");
    open(ours);
    assert.equal(await all.switchOn(), true);
    await all.adopt(theirs);
    assert.deepEqual([existsSync(theirs), await waiting()], [false, {}]);
  });

  it("answers while a program never ceases to write, with what was noticed before", async () => {
    beforeLook = () => void all.noticed();
    write("a.txt", "other\n");
    assert.deepEqual(await waiting(), { "a.txt": ["another program", "a\n", "other\n"] });
    beforeLook = () => undefined;
  });

  it("looks by itself while a program never ceases to write", async () => {
    write("a.txt", "other\n");
    const isLooked = all.noticed();
    const writer = setInterval(() => void all.noticed(), 20);
    await isLooked.finally(() => clearInterval(writer));
    assert.equal(book.isOpen(path("a.txt")), true);
  }).timeout(30_000);

  it("has what was noticed just before it is switched off, and nothing of it when it is switched on again", async () => {
    write("a.txt", "other\n");
    const noticed = all.noticed();
    await all.switchOff();
    await noticed;
    assert.deepEqual(Object.keys(await waiting()), ["a.txt"]);
    hasTurn = true;
    assert.equal(await all.switchOn(), true);
    all.edited({ path: path("b.txt"), before: "b\n", after: "chat\n" });
    await all.switchOff();
    hasTurn = false;
    assert.equal(await all.switchOn(), true);
    assert.deepEqual(Object.keys(await waiting()), ["a.txt"]);
  });

  it("keeps in a turn only the changes of documents that nobody has told of", async () => {
    const [a, b] = [path("a.txt"), path("b.txt")];
    hasTurn = true;
    all.edited({ path: a, before: "a\n", after: "agent\n" });
    book.agentChanged("tab", a, "a\n", "agent\n");
    all.edited({ path: b, before: "b\n", after: "chat\n" });
    await waiting();
    // The user reverts a change that was already reported. It isn't reported again.
    book.userChanged(a, "a\n");
    hasTurn = false;
    assert.deepEqual(await waiting(), { "b.txt": ["VS Code", "b\n", "chat\n"] });
  });
});
