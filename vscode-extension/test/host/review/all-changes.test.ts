import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { Review } from "../../../src/features/review/review.js";
import { nameOfWriter } from "../../../src/features/review/turns/writer-id.js";
import { Snapshots } from "../../../src/features/snapshots/snapshots.js";
import { eventually } from "../eventually.js";

const before = Array.from({ length: 12 }, (_, line) => `line ${line}\r\n`).join("");
/** Two changes that are far apart, and no line end at the end. */
const after = before.replace("line 1\r\n", "LINE 1\r\n").replace("line 10\r\n", "").trimEnd();

describe("the review of all changes in a window", () => {
  let folder: string;
  let storage: string;
  let snapshots: Snapshots;
  let review: Review;

  beforeEach(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(workspace);
    folder = await realpath(await mkdtemp(join(workspace, "all-")));
    storage = await mkdtemp(join(tmpdir(), "all storage "));
    for (const name of ["a.txt", "b.txt"]) await writeFile(join(folder, name), before);
    open();
    await review.allChanges.toggle();
    assert.equal(review.allChanges.isOn, true);
  });
  afterEach(async () => {
    await close();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
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
      delivery: { tabFor: () => undefined, send: () => assert.fail("There are no comments.") },
      onProblem: (thrown) => assert.fail(String(thrown)),
    });
  }

  async function close(): Promise<void> {
    review.dispose();
    await review.flush();
    await snapshots[Symbol.asyncDispose]();
  }

  function at(name: string): string {
    return join(folder, name);
  }

  /** Another program, which is no agent of ours. */
  function runs(script: string): void {
    execFileSync(process.execPath, ["-e", `const fs = require("fs"); ${script}`], {
      cwd: folder,
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
    });
  }

  function git(...args: string[]): void {
    const config = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "core.autocrlf=false"];
    execFileSync("git", [...config, ...args], { cwd: folder, stdio: "pipe" });
  }

  /** Returns the writers of the files that wait for review, by file name. */
  function waiting(): Record<string, string> {
    const own = review.book.files().filter(({ path }) => path.startsWith(folder));
    return Object.fromEntries(
      own.map(({ path, tabIds }) => [basename(path), [...tabIds].map((id) => nameOfWriter(id) ?? "agent").join()]),
    );
  }

  it("undoes and keeps parts of what another program wrote, in a folder without a repository", async () => {
    runs(`fs.writeFileSync("a.txt", ${JSON.stringify(after)}); fs.writeFileSync("new.txt", "new\\n");`);
    await eventually(() => assert.deepEqual(waiting(), { "a.txt": "another program", "new.txt": "another program" }));
    const [first, second] = review.book.find(at("a.txt"))?.review.hunks ?? [];
    assert.ok(first && second);
    assert.equal(await review.undo(at("a.txt"), first.id), true);
    assert.equal(await review.keep(at("a.txt")), true);
    assert.equal(await readFile(at("a.txt"), "utf8"), after.replace("LINE 1", "line 1"));
    assert.equal(await review.undo(at("new.txt")), true);
    await assert.rejects(readFile(at("new.txt")), /ENOENT/);
    await review.allChanges.noticed();
    assert.deepEqual(waiting(), {});
  });

  it("undoes what a git checkout brought, in the files alone", async () => {
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    git("checkout", "-q", "-b", "other");
    await writeFile(at("b.txt"), after);
    git("commit", "-q", "-a", "-m", "other");
    git("checkout", "-q", "main");
    await review.allChanges.noticed();
    await review.answer("keep", undefined);
    git("checkout", "-q", "other");
    await eventually(() => assert.deepEqual(waiting(), { "b.txt": "git checkout" }));
    assert.equal(await review.undo(at("b.txt")), true);
    assert.equal(await readFile(at("b.txt"), "utf8"), before);
    await review.allChanges.noticed();
    assert.deepEqual(waiting(), {});
  });

  it("leaves out what the user types and saves, and finds what another program adds", async () => {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(at("a.txt")));
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "mine\r\n"));
    await editor.document.save();
    await review.allChanges.noticed();
    assert.deepEqual(waiting(), {});
    runs(`fs.appendFileSync("a.txt", "theirs\\n");`);
    await eventually(() => assert.deepEqual(waiting(), { "a.txt": "another program" }));
    assert.equal(await review.undo(at("a.txt")), true);
    assert.equal(await readFile(at("a.txt"), "utf8"), `mine\r\n${before}`);
  });

  it("tells of what VS Code changes in a file that the user does not type in, until it is undone", async () => {
    const other = await vscode.workspace.openTextDocument(at("b.txt"));
    await vscode.window.showTextDocument(vscode.Uri.file(at("a.txt")));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(other.uri, new vscode.Position(0, 0), "of a chat\r\n");
    assert.equal(await vscode.workspace.applyEdit(edit), true);
    await eventually(() => assert.deepEqual(waiting(), { "b.txt": "VS Code" }));
    await other.save();
    await review.allChanges.noticed();
    assert.deepEqual(waiting(), { "b.txt": "VS Code" });
    assert.equal(await review.undo(at("b.txt")), true);
    assert.equal(await readFile(at("b.txt"), "utf8"), before);
  });

  it("leaves out what VS Code changes outside of the window's folders, such as its settings", async () => {
    const file = join(storage, "settings.json");
    await writeFile(file, "{}\n");
    const settings = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(vscode.Uri.file(at("a.txt")));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(settings.uri, new vscode.Position(1, 0), "// by VS Code\n");
    assert.equal(await vscode.workspace.applyEdit(edit), true);
    assert.equal(await settings.save(), true);
    await review.allChanges.noticed();
    assert.deepEqual(
      review.book.paths().filter((path) => path === file),
      [],
    );
  });

  it("tells an agent's own changes from those of other programs in the same turn", async () => {
    const command = { id: "command", kind: "execute", paths: [], edits: [] };
    await review.promptStarted("tab", "prompt", [folder]);
    runs(`fs.appendFileSync("b.txt", "theirs\\n");`);
    await eventually(() => assert.deepEqual(waiting(), { "b.txt": "another program" }));
    review.toolCall("tab", { ...command, status: "in_progress" });
    await writeFile(at("a.txt"), after);
    await review.allChanges.noticed();
    assert.deepEqual(waiting(), { "b.txt": "another program" });
    review.toolCall("tab", { ...command, status: "completed" });
    await review.turnEnded("tab");
    await review.allChanges.noticed();
    assert.deepEqual(waiting(), { "a.txt": "agent", "b.txt": "another program" });
    await review.answer("undo", undefined);
    assert.deepEqual([await readFile(at("a.txt"), "utf8"), await readFile(at("b.txt"), "utf8")], [before, before]);
  });

  it("goes on in the next window, with what changed in between", async () => {
    runs(`fs.writeFileSync("a.txt", ${JSON.stringify(after)});`);
    await eventually(() => assert.deepEqual(waiting(), { "a.txt": "another program" }));
    await close();
    runs(`fs.writeFileSync("b.txt", ${JSON.stringify(after)});`);
    open();
    await review.restore();
    assert.equal(review.allChanges.isOn, true);
    await eventually(() => assert.deepEqual(waiting(), { "a.txt": "another program", "b.txt": "another program" }));
    await review.answer("undo", undefined);
    assert.deepEqual([await readFile(at("a.txt"), "utf8"), await readFile(at("b.txt"), "utf8")], [before, before]);
  });
});
