import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, readlink, realpath, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { ChangedFile } from "../../../protocol/index.js";
import { Review } from "../../../src/features/review/review.js";
import { ReviewStore } from "../../../src/features/review/store/review-store.js";
import { Snapshots } from "../../../src/features/snapshots/snapshots.js";
import { reviewCommands } from "../../../src/features/review/review-commands.js";
import { eventually } from "../eventually.js";

const before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const after = "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

function extensionPath(): string {
  const extension = vscode.extensions.getExtension("symposium-dev.symposium");
  assert.ok(extension);
  return extension.extensionPath;
}

describe("the review in VS Code", () => {
  let folder: string;
  let storage: string;
  let snapshots: Snapshots;
  let path: string;
  let review: Review;
  let isMarked: boolean;
  let lists: (readonly ChangedFile[])[];

  const newSnapshots = (): Snapshots =>
    new Snapshots({
      stores: join(storage, "snapshots"),
      script: join(extensionPath(), "dist", "snapshot-worker.cjs"),
      isWanted: () => true,
      included: () => [],
      onProblem: (reason) => assert.fail(reason),
    });
  const newReview = (): Review =>
    new Review({
      place: { file: join(storage, "review.json"), isLocked: true, eachLeft: () => Promise.resolve() },
      adoptBeside: () => Promise.resolve(),
      snapshots,
      messages: { on: () => ({ dispose: () => undefined }) },
      isMarked: () => isMarked,
      showsRemoved: () => true,
      onChangedFiles: (_tabId, files) => lists.push(files),
      onProblem: (thrown) => assert.fail(String(thrown)),
      delivery: { tabFor: () => undefined, send: () => assert.fail("nothing is sent") },
    });

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "review-")));
    storage = await mkdtemp(join(tmpdir(), "review storage "));
    path = join(folder, "numbers.txt");
    await writeFile(path, before);
    isMarked = true;
    lists = [];
    snapshots = newSnapshots();
    review = newReview();
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    review.dispose();
    await review.flush();
    await snapshots[Symbol.asyncDispose]();
    for (const one of [folder, storage]) await rm(one, { recursive: true, maxRetries: 10, retryDelay: 100 });
  });

  /** Simulates a turn in which the agent writes with its own tools and reports the edit. */
  async function agentWrites(file: string, old: string | null, text: string): Promise<void> {
    await review.promptStarted("tab", "prompt", [folder]);
    const edits = [{ path: file, oldText: old, newText: text }];
    const call = { id: "call", kind: "edit", status: "in_progress", paths: [file], edits };
    review.toolCall("tab", call);
    await writeFile(file, text);
    review.toolCall("tab", { ...call, status: "completed" });
    await review.turnEnded("tab");
  }

  /** Resolves when the document has the text of the disk, as it has shortly after others wrote the file. */
  async function shows(document: vscode.TextDocument, text: string): Promise<void> {
    if (document.getText() === text) return;
    await new Promise<void>((resolve) => {
      const listening = vscode.workspace.onDidChangeTextDocument(() => {
        if (document.getText() !== text) return;
        listening.dispose();
        resolve();
      });
    });
  }

  it("leaves unsaved words unsaved where it puts a merged text, or one from before a prompt, around them", async () => {
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(path));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(2, 0), "mine\n");
    await vscode.workspace.applyEdit(edit);
    const now = before.replace("three", "mine\nthree");
    const text = after.replace("three", "mine\nthree");
    assert.deepEqual(await review.answers.restore("tab", [{ path, now, text, hasOthers: true }]), []);
    assert.deepEqual([document.getText(), document.isDirty, await readFile(path, "utf8")], [text, true, before]);
    await review.answers.undo(path, review.book.find(path)?.review.hunks[0]?.id);
    const undone = text.replace("ONE", "one");
    assert.deepEqual([document.getText(), document.isDirty, await readFile(path, "utf8")], [undone, true, before]);
    await document.save();
    assert.equal(await readFile(path, "utf8"), undone);
    const hunks = review.book.find(path)?.review.hunks ?? [];
    assert.deepEqual(
      hunks.map(({ added }) => added),
      [["eight\n"]],
    );
  });

  /** Resolves when VS Code watches the folder, which begins some time after the request. Both watchers share one watch. */
  async function watchedByVsCode(): Promise<Disposable> {
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), "*"));
    let isHeard = false;
    const hears = (): void => void (isHeard = true);
    watcher.onDidCreate(hears);
    watcher.onDidChange(hears);
    await eventually(async () => {
      await writeFile(join(folder, "probe.txt"), "heard\n");
      assert.ok(isHeard);
    });
    return { [Symbol.dispose]: () => void watcher.dispose() };
  }

  it("has changes under review again that are taken away and put back, as by git stash", async () => {
    const other = join(folder, "other.txt");
    using _watched = await watchedByVsCode();
    await agentWrites(path, before, after);
    await agentWrites(other, null, "new\n");
    const open = (): string[] => review.book.files().map((file) => file.path);
    await rm(other);
    await writeFile(path, before);
    await eventually(() => assert.deepEqual(open(), []));
    // Renamed, so that nobody sees the file while it is empty.
    const aside = join(storage, "aside");
    await writeFile(aside, "new\n");
    await rename(aside, other);
    await writeFile(path, after);
    await eventually(() => assert.deepEqual(open().sort(), [other, path].sort()));
    assert.equal(review.book.find(other)?.review.state, "created");
  });

  it("closes the editor with several files' changes when all of them are answered", async () => {
    const other = join(folder, "other.txt");
    await agentWrites(path, before, after);
    await agentWrites(other, null, "new\n");
    await review.changesEditor.open(review.book.files());
    const labels = (): string[] => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));
    const isOpen = (): boolean => labels().some((label) => label.startsWith("Changes to Review"));
    await eventually(() => assert.ok(isOpen()));
    await review.answer("keep", "tab", vscode.Uri.file(other).toString());
    assert.equal(isOpen(), true);
    await review.answer("undo", "tab", vscode.Uri.file(path).toString());
    await eventually(() => assert.ok(!isOpen()));
  });

  it("leaves unsaved words unsaved when a change beside them is undone", async () => {
    await agentWrites(path, before, after);
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(path));
    await shows(document, after);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(2, 0), "mine\n");
    await vscode.workspace.applyEdit(edit);
    const { isUndone, refusal } = await review.answers.undo(path, review.book.find(path)?.review.hunks[0]?.id);
    assert.deepEqual([isUndone, refusal], [true, undefined]);
    const undone = after.replace("three", "mine\nthree").replace("ONE", "one");
    assert.deepEqual([document.getText(), document.isDirty, await readFile(path, "utf8")], [undone, true, after]);
  });

  it("has on disk, when its window is closed, what an agent had just said and what was just answered", async () => {
    const other = join(folder, "other.txt");
    await agentWrites(path, before, after);
    const call = {
      id: "late",
      kind: "edit",
      paths: [other],
      edits: [{ path: other, oldText: null, newText: "late\n" }],
    };
    await review.promptStarted("tab", "second", [folder]);
    review.toolCall("tab", { ...call, status: "in_progress" });
    await writeFile(other, "late\n");
    review.toolCall("tab", { ...call, status: "completed" });
    const undone = review.answers.undo(path, review.book.find(path)?.review.hunks[0]?.id);
    review.detach();
    await review.flush();
    const { reviews } = await new ReviewStore(join(storage, "review.json"), (thrown) =>
      assert.fail(String(thrown)),
    ).load();
    const stored = reviews.map(({ path: file, baseline, current }) => [file, baseline, current]);
    assert.deepEqual(stored.sort(), [
      [path, before, after.replace("ONE", "one")],
      [other, null, "late\n"],
    ]);
    assert.equal(await readFile(path, "utf8"), after.replace("ONE", "one"));
    assert.equal((await undone).isUndone, true);
  });

  async function lensTitles(): Promise<string[]> {
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      "vscode.executeCodeLensProvider",
      vscode.Uri.file(path),
    );
    return lenses.map(({ range, command }) => `${range.start.line}: ${command?.title ?? ""}`);
  }

  it("offers to keep and to undo each change above its first line", async () => {
    await agentWrites(path, before, after);
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(path));
    await shows(document, after);
    assert.deepEqual(await lensTitles(), [
      "0: $(check)  Keep",
      "0: $(discard)  Undo",
      "0: $(comment)  Comment",
      "0: Change 1 of 2, +1 −1",
      "7: $(check)  Keep",
      "7: $(discard)  Undo",
      "7: $(comment)  Comment",
      "7: Change 2 of 2, +1 −0",
    ]);
  });

  it("undoes the change at the cursor and leaves the other one", async () => {
    await agentWrites(path, before, after);
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(path));
    await shows(editor.document, after);
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await reviewCommands(review).undoHunk(undefined);
    assert.equal(await readFile(path, "utf8"), after.replace("ONE", "one"));
    assert.deepEqual(await lensTitles(), [
      "7: $(check)  Keep",
      "7: $(discard)  Undo",
      "7: $(comment)  Comment",
      "7: Change 1 of 1, +1 −0",
    ]);
  });

  it("undoes a whole file around what the user typed meanwhile", async () => {
    await agentWrites(path, before, after);
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(path));
    await shows(editor.document, after);
    await editor.edit((edit) => edit.insert(new vscode.Position(3, 0), "mine\n"));
    await reviewCommands(review).undoFile(undefined);
    assert.equal(editor.document.getText(), before.replace("four", "mine\nfour"));
  });

  it("tells the tab which files changed, and that nothing is left once all is kept", async () => {
    await agentWrites(path, before, after);
    assert.deepEqual(lists.at(-1), [
      { uri: vscode.Uri.file(path).toString(), label: path, added: 2, removed: 1, state: "modified" },
    ]);
    await review.answer("keep", "tab");
    assert.deepEqual(lists.at(-1), []);
    assert.equal(await readFile(path, "utf8"), after);
  });

  it("removes a file that the agent created when its creation is undone", async () => {
    const created = join(folder, "new.txt");
    await agentWrites(created, null, "new\n");
    await review.undo(created);
    await assert.rejects(readFile(created), { code: "ENOENT" });
  });

  it("compares a file with what it was before the agent", async () => {
    await agentWrites(path, before, after);
    await reviewCommands(review).openFile({ path });
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    const input = activeTab?.input;
    assert.ok(input instanceof vscode.TabInputTextDiff);
    const original = await vscode.workspace.openTextDocument(input.original);
    assert.deepEqual([original.getText(), input.modified.fsPath], [before, path]);
  });

  it("goes on where it was after the window has been closed", async () => {
    await agentWrites(path, before, after);
    await review.flush();
    review.dispose();
    review = newReview();
    await review.restore();
    assert.deepEqual(
      review.changedFiles("tab").map(({ added, removed }) => [added, removed]),
      [[2, 1]],
    );
    await review.undo(path);
    assert.equal(await readFile(path, "utf8"), before);
  });

  it("knows of a turn that began while the one before was still looked through", async () => {
    await review.promptStarted("tab", "first", [folder]);
    const ending = review.turnEnded("tab");
    await review.promptStarted("tab", "second", [folder]);
    await ending;
    const isSecondRunning = review.isRunning("tab");
    await review.turnEnded("tab");
    assert.deepEqual([isSecondRunning, review.isRunning("tab")], [true, false]);
  });

  it("marks nothing for those who switched it off, and still lists the files", async () => {
    isMarked = false;
    await agentWrites(path, before, after);
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(path));
    await shows(document, after);
    assert.deepEqual([await lensTitles(), review.changedFiles("tab").length], [[], 1]);
  });

  /** A turn in which a command of the agent's writes, and says nothing of it. */
  async function commandDoes(work: () => Promise<void>): Promise<void> {
    await review.promptStarted("tab", "prompt", [folder]);
    const call = { id: "command", kind: "execute", paths: [], edits: [] };
    review.toolCall("tab", { ...call, status: "in_progress" });
    await work();
    review.toolCall("tab", { ...call, status: "completed" });
    await review.turnEnded("tab");
  }

  it("takes back, byte for byte, what a command did in a folder without a repository", async () => {
    const bytes = Uint8Array.of(137, 80, 78, 71, 0, 1, 2, 255);
    const names = ["numbers.txt", "image.png", "script.sh", "crlf.txt"].map((name) => join(folder, name));
    const [, image = "", script = "", crlf = ""] = names;
    await writeFile(image, bytes);
    await writeFile(script, "#!/bin/sh\n", { mode: 0o755 });
    await chmod(script, 0o755);
    await writeFile(crlf, "one\r\ntwo\n");
    await symlink("numbers.txt", join(folder, "link"));
    const asked = await Promise.all(names.map((name) => readFile(name)));
    await commandDoes(async () => {
      await writeFile(path, after);
      await writeFile(image, Uint8Array.of(0, 1));
      await rm(script);
      await writeFile(crlf, "one\ntwo\n");
      await writeFile(join(folder, "new.bin"), Uint8Array.of(0));
      await rm(join(folder, "link"));
      await symlink("crlf.txt", join(folder, "link"));
    });
    const states = review.changedFiles("tab").map(({ uri, state }) => [uri.split("/").at(-1), state]);
    assert.deepEqual(states.sort(), [
      ["crlf.txt", "modified"],
      ["image.png", "modified"],
      ["link", "modified"],
      ["new.bin", "created"],
      ["numbers.txt", "modified"],
      ["script.sh", "deleted"],
    ]);
    await review.answer("undo", "tab");
    assert.deepEqual(await Promise.all(names.map((name) => readFile(name))), asked);
    assert.equal((await stat(script)).mode & 0o777, 0o755);
    assert.equal(await readlink(join(folder, "link")), "numbers.txt");
    await assert.rejects(readFile(join(folder, "new.bin")), { code: "ENOENT" });
    assert.deepEqual(review.changedFiles("tab"), []);
  });

  it("has what a turn changed whose end the window did not live to see", async () => {
    await review.promptStarted("tab", "prompt", [folder]);
    review.toolCall("tab", { id: "command", kind: "execute", status: "in_progress", paths: [], edits: [] });
    await writeFile(path, after);
    // As the system ends a process: nobody tells the review.
    await review.flush();
    review.dispose();
    review = newReview();
    await review.restore();
    assert.equal(review.changedFiles("tab").length, 1);
    assert.deepEqual([...(review.checkpoints.since("tab", "prompt")?.get(path) ?? [])], [{ before, after }]);
    await review.undo(path);
    assert.equal(await readFile(path, "utf8"), before);
  });

  it("leaves what others wrote between a command and the next prompt", async () => {
    await commandDoes(() => writeFile(path, after));
    await writeFile(path, after.replace("four", "others"));
    await commandDoes(() => writeFile(join(folder, "other.txt"), "other"));
    await review.answer("undo", "tab");
    assert.equal(await readFile(path, "utf8"), before.replace("four", "others"));
  });
});
