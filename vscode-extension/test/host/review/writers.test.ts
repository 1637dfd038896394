import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, lstat, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { Documents } from "../../../src/features/documents/documents.js";
import { vsCodeOpenDocuments } from "../../../src/features/documents/vscode-open-documents.js";
import { restoreUnasked } from "../../../src/features/review/restore/restore-checkpoint.js";
import { Review } from "../../../src/features/review/review.js";
import { Snapshots } from "../../../src/features/snapshots/snapshots.js";
import { RecordingSession } from "../../unit/permissions/recording-session.js";
import { eventually } from "../eventually.js";

const lines = Array.from({ length: 12 }, (_, line) => `line ${line}\r\n`);
const before = lines.join("");
/** Two changes that are far apart, and no line end at the end. */
const after = before.replace("line 1\r\n", "LINE 1\r\n").replace("line 10\r\n", "").trimEnd();
const image = Uint8Array.of(137, 80, 78, 71, 0, 1, 2, 255);

/** `fs/write` of the editor, the agent's own tool, and a command that says nothing of files. */
const writers = ["editor", "own", "shell"] as const;

describe("the review of every kind of writer", () => {
  let folder: string;
  let storage: string;
  let snapshots: Snapshots;
  let review: Review;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "writers-")));
    storage = await mkdtemp(join(tmpdir(), "writers storage "));
    for (const writer of writers) await writeFile(fileOf(writer), before);
    await writeFile(join(folder, "image.png"), image);
    open();
  });
  afterEach(async () => {
    await close();
    for (const one of [folder, storage]) await rm(one, { recursive: true, maxRetries: 10, retryDelay: 100 });
  });

  function open(): void {
    const extension = vscode.extensions.getExtension("symposium-dev.symposium");
    snapshots = new Snapshots({
      stores: join(storage, "snapshots"),
      script: join(extension?.extensionPath ?? "", "dist", "snapshot-worker.cjs"),
      isWanted: () => true,
      included: () => [],
      onProblem: (reason) => assert.fail(reason),
    });
    review = new Review({
      place: { file: join(storage, "review.json"), isLocked: true, eachLeft: () => Promise.resolve() },
      adoptBeside: () => Promise.resolve(),
      snapshots,
      messages: { on: () => ({ dispose: () => undefined }) },
      isMarked: () => true,
      showsRemoved: () => true,
      onChangedFiles: () => undefined,
      onProblem: (thrown) => assert.fail(String(thrown)),
      delivery: { tabFor: () => undefined, send: () => assert.fail("nothing is sent") },
    });
  }

  async function close(): Promise<void> {
    review.dispose();
    await review.flush();
    await snapshots[Symbol.asyncDispose]();
  }

  function fileOf(writer: (typeof writers)[number]): string {
    return join(folder, `${writer}.txt`);
  }

  function git(...args: string[]): void {
    const config = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "core.autocrlf=false"];
    execFileSync("git", [...config, ...args], { cwd: folder });
  }

  /** Runs a turn in which each writer writes `after` into its file. The shell also writes an image. */
  async function turn(messageId: string): Promise<void> {
    await review.promptStarted("tab", messageId, [folder]);
    await writeFile(fileOf("editor"), after);
    review.written("tab", fileOf("editor"), before, after);
    const own = fileOf("own");
    const edits = [{ path: own, oldText: before, newText: after }];
    const edit = { id: "edit", kind: "edit", paths: [own], edits };
    review.toolCall("tab", { ...edit, status: "in_progress" });
    await writeFile(own, after);
    review.toolCall("tab", { ...edit, status: "completed" });
    const command = { id: "command", kind: "execute", paths: [], edits: [] };
    review.toolCall("tab", { ...command, status: "in_progress" });
    await writeFile(fileOf("shell"), after);
    await writeFile(join(folder, "image.png"), Uint8Array.of(0));
    review.toolCall("tab", { ...command, status: "completed" });
    await review.turnEnded("tab");
  }

  function contents(): Promise<Buffer[]> {
    return Promise.all([...writers.map(fileOf), join(folder, "image.png")].map((file) => readFile(file)));
  }

  /** Goes back to a prompt as its button does. */
  async function goBackTo(messageId: string): Promise<void> {
    const { files, refusals } = await review.answers.planRestore(
      review.checkpoints.since("tab", messageId) ?? new Map(),
    );
    assert.deepEqual([...refusals, ...(await review.restored.restore("tab", messageId, files))], []);
  }

  it("is undone in parts, gone back behind, and that undone, byte for byte, in a folder without a repository", async () => {
    const asked = await contents();
    await turn("prompt");
    const written = await contents();
    assert.equal(review.changedFiles("tab").length, 4);
    for (const writer of writers) {
      const [first, second] = review.book.find(fileOf(writer))?.review.hunks ?? [];
      assert.ok(first && second);
      await review.undo(fileOf(writer), first.id);
      assert.equal(await readFile(fileOf(writer), "utf8"), after.replace("LINE 1", "line 1"));
    }
    const partly = await contents();
    await goBackTo("prompt");
    assert.deepEqual(await contents(), asked);
    assert.equal(review.restored.promptOf("tab"), "prompt");
    assert.deepEqual(await review.restored.undo("tab"), []);
    assert.deepEqual(await contents(), partly);
    assert.equal(review.restored.promptOf("tab"), undefined);
    assert.notDeepEqual(partly, written);
  });

  it("is undone with the byte order mark that the agent left out", async () => {
    const files = [fileOf("own"), fileOf("shell"), join(folder, "removed.txt")];
    for (const file of files) await writeFile(file, `\ufeff${before}`);
    const edits = [{ path: fileOf("own"), oldText: before, newText: after }];
    const edit = { id: "edit", kind: "edit", paths: [fileOf("own")], edits };
    await commandRuns(async () => {
      review.toolCall("tab", { ...edit, status: "in_progress" });
      await review.answers.learn(fileOf("own"));
      for (const file of files.slice(0, 2)) await writeFile(file, after);
      await rm(join(folder, "removed.txt"));
      review.toolCall("tab", { ...edit, status: "completed" });
    });
    await review.turnEnded("tab");
    for (const file of files) {
      assert.equal((await review.answers.undo(file)).isUndone, true);
      assert.equal(await readFile(file, "utf8"), `\ufeff${before}`);
    }
  });

  it("is undone with its line ends, whichever they were, where the file is open and where it is not", async () => {
    const mixed = before.replace("line 3\r\n", "line 3\n");
    const files = [fileOf("own"), fileOf("shell"), fileOf("editor")];
    const texts = [before, before.replaceAll("\r\n", "\n"), mixed];
    for (const isOpen of [true, false]) {
      for (const [index, file] of files.entries()) await writeFile(file, texts[index] ?? "");
      if (isOpen)
        for (const file of files) await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
      await commandRuns(async () => {
        await writeFile(files[0] ?? "", before.replaceAll("\r\n", "\n"));
        for (const file of files.slice(1)) await writeFile(file, before.replace("line 5", "LINE 5"));
      });
      await review.turnEnded("tab");
      assert.deepEqual(
        review
          .changedFiles("tab")
          .flatMap(({ label, note }) => (note === undefined ? [] : [label.endsWith("own.txt"), note])),
        [true, "line endings changed to LF"],
      );
      for (const [index, file] of files.entries()) {
        assert.equal((await review.answers.undo(file)).isUndone, true);
        assert.equal(await readFile(file, "utf8"), texts[index]);
      }
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    }
  });

  it("is undone where it is that a file may be run, and its text is left", async function () {
    if (process.platform === "win32") this.skip();
    await chmod(fileOf("own"), 0o644);
    await commandRuns(() => chmod(fileOf("own"), 0o755));
    await review.turnEnded("tab");
    assert.deepEqual(
      review.changedFiles("tab").map(({ added, removed, note }) => ({ added, removed, note })),
      [{ added: 0, removed: 0, note: "made executable" }],
    );
    assert.equal(await review.undo(fileOf("own")), true);
    assert.deepEqual([(await lstat(fileOf("own"))).mode & 0o777, review.changedFiles("tab")], [0o644, []]);
    assert.equal(await readFile(fileOf("own"), "utf8"), before);
  });

  it("leaves what another program wrote in between, in every file", async () => {
    await turn("prompt");
    for (const writer of writers) await writeFile(fileOf(writer), after.replace("line 5", "others 5"));
    await goBackTo("prompt");
    for (const writer of writers)
      assert.equal(await readFile(fileOf(writer), "utf8"), before.replace("line 5", "others 5"));
  });

  it("leaves what a git checkout brought in between", async () => {
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    git("checkout", "-q", "-b", "other");
    for (const writer of writers) await writeFile(fileOf(writer), before.replace("line 5", "other 5"));
    git("commit", "-q", "-a", "-m", "other");
    git("checkout", "-q", "main");
    await turn("prompt");
    git("commit", "-q", "-a", "-m", "of the agent");
    git("merge", "-q", "--no-edit", "other");
    const merged = await readFile(fileOf("shell"), "utf8");
    assert.equal(merged, after.replace("line 5", "other 5"));
    await goBackTo("prompt");
    for (const writer of writers)
      assert.equal(await readFile(fileOf(writer), "utf8"), before.replace("line 5", "other 5"));
  });

  /** A turn of a command, which does `work`. */
  async function commandRuns(work: () => Promise<unknown>): Promise<void> {
    const command = { id: "command", kind: "execute", paths: [], edits: [] };
    await review.promptStarted("tab", "prompt", [folder]);
    review.toolCall("tab", { ...command, status: "in_progress" });
    await work();
    review.toolCall("tab", { ...command, status: "completed" });
  }

  it("is found by the next window when this one closes during the turn, but for what the user changed", async () => {
    await commandRuns(async () => {
      await writeFile(fileOf("shell"), after);
      const document = await vscode.workspace.openTextDocument(fileOf("own"));
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), "mine ");
      await vscode.workspace.applyEdit(edit);
      await document.save();
    });
    review.detach();
    await review.turnEnded("tab");
    await close();
    open();
    await review.restore();
    assert.deepEqual(
      review.book.files().map(({ path }) => path),
      [fileOf("shell")],
    );
    await review.answers.undo(fileOf("shell"));
    assert.equal(await readFile(fileOf("shell"), "utf8"), before);
  });

  it("is undone and restored in the unsaved text alone, where a file has some, and a notification saves it", async () => {
    const path = fileOf("own");
    const answers = {
      undo: () => review.answer("undo", "tab", vscode.Uri.file(path).toString()),
      restore: () => restoreUnasked(review, "tab", "restore"),
    };
    for (const [messageId, answer] of Object.entries(answers)) {
      await turn(messageId);
      const { document } = await vscode.window.showTextDocument(vscode.Uri.file(path));
      await eventually(() => assert.equal(document.getText(), after));
      const typed = new vscode.WorkspaceEdit();
      typed.insert(document.uri, new vscode.Position(6, 0), "mine\r\n");
      await vscode.workspace.applyEdit(typed);
      await answer();
      const undone = before.replace("line 6", "mine\r\nline 6");
      assert.deepEqual([messageId, document.getText(), document.isDirty], [messageId, undone, true]);
      assert.equal(await readFile(path, "utf8"), after);
      await eventually(async () => {
        await vscode.commands.executeCommand("notification.acceptPrimaryAction");
        assert.ok(!document.isDirty);
      });
      assert.equal(await readFile(path, "utf8"), undone);
      await review.answer("keep", "tab");
      for (const writer of writers) await writeFile(fileOf(writer), before);
      await eventually(() => assert.equal(document.getText(), before));
    }
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("is under review where a command and then the editor write a file with unsaved text, whichever text the user takes", async () => {
    const path = fileOf("shell");
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(path));
    const typed = new vscode.WorkspaceEdit();
    typed.insert(document.uri, new vscode.Position(6, 0), "mine\r\n");
    await vscode.workspace.applyEdit(typed);
    const session = new RecordingSession([folder]);
    const documents = new Documents({
      open: vsCodeOpenDocuments,
      permissions: { allows: () => Promise.resolve(false), hasGranted: () => false },
      written: (file) => review.written("tab", file.path, file.before ?? null, file.after, file.wasUnsaved),
    });
    await review.promptStarted("tab", "prompt", [folder]);
    const command = { id: "command", kind: "execute", paths: [], edits: [] };
    review.toolCall("tab", { ...command, status: "in_progress" });
    await writeFile(path, before.replace("line 1\r\n", "command\r\n"));
    review.toolCall("tab", { ...command, status: "completed" });
    const content = document.getText().replace("line 10\r\n", "editor\r\n");
    const write = documents.requests["fs/write_text_file"](session.call({ path, content }));
    await assert.rejects(write, /has the new text in the editor but couldn't be saved/);
    await review.turnEnded("tab");
    const changes = (): unknown => review.book.find(path)?.review.hunks.map(({ removed, added }) => [removed, added]);
    assert.deepEqual([document.getText(), changes()], [content, [[["line 10\r\n"], ["editor\r\n"]]]]);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await eventually(() => assert.deepEqual(changes(), [[["line 1\r\n"], ["command\r\n"]]]));
    await review.answer("undo", "tab");
    assert.equal(await readFile(path, "utf8"), before);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("is undone nowhere else where the agent makes a link of a folder afterwards", async () => {
    const [inside, outside] = [join(folder, "sub"), join(storage, "elsewhere")];
    await mkdir(inside);
    await writeFile(join(inside, "x.txt"), before);
    await commandRuns(() => writeFile(join(inside, "x.txt"), after));
    await review.turnEnded("tab");
    await rename(inside, outside);
    await symlink(outside, inside);
    const { isUndone, refusal } = await review.answers.undo(join(inside, "x.txt"));
    assert.deepEqual([isUndone, refusal?.reason], [false, "changing"]);
    assert.equal(await readFile(join(outside, "x.txt"), "utf8"), after);
  });

  it("is undone where it was when the agent has put a link in the place of a file that it changed", async () => {
    const secret = join(storage, "secret.txt");
    await writeFile(secret, after);
    await commandRuns(async () => {
      await writeFile(fileOf("editor"), after);
      review.written("tab", fileOf("editor"), before, after);
      await rm(fileOf("editor"));
      await symlink(secret, fileOf("editor"));
    });
    await review.turnEnded("tab");
    const { isUndone, refusal } = await review.answers.undo(fileOf("editor"));
    assert.deepEqual([isUndone, refusal], [true, undefined]);
    assert.equal(await readFile(fileOf("editor"), "utf8"), before);
    assert.equal((await lstat(fileOf("editor"))).isSymbolicLink(), false);
    assert.equal(await readFile(secret, "utf8"), after);
  });
});
