import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileUri } from "@symposium-dev/core";
import * as vscode from "vscode";
import { eventually } from "../eventually.js";
import { IdeProject } from "./ide-project.js";

describe("IDE operations on the window", () => {
  let project: IdeProject;

  beforeEach(async () => {
    project = await IdeProject.create({ "one.txt": "one\ntwo\n", "two.txt": "2\n" });
  });
  afterEach(() => project[Symbol.asyncDispose]());

  const open = (name: string): Thenable<vscode.TextEditor> =>
    vscode.window.showTextDocument(vscode.Uri.file(project.path(name)), { preview: false });

  it("tell what is selected", async () => {
    assert.deepEqual((await project.ask("selection", {})).selection, null);
    const editor = await open("one.txt");
    editor.selection = new vscode.Selection(0, 1, 1, 2);
    assert.deepEqual((await project.ask("selection", {})).selection, {
      uri: project.uri("one.txt"),
      range: { start: { line: 0, character: 1 }, end: { line: 1, character: 2 } },
      text: "ne\ntw",
    });
  });

  it("tell which files are open, and which text is not saved", async () => {
    const editor = await open("one.txt");
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "un"));
    await open("two.txt");
    // VS Code tells a little later that the file of the test before is closed.
    await eventually(async () => {
      assert.deepEqual((await project.ask("openFiles", {})).files, [
        { uri: project.uri("one.txt"), isActive: false, isUnsaved: true },
        { uri: project.uri("two.txt"), isActive: true, isUnsaved: false },
      ]);
    });
    assert.equal((await project.ask("readDocument", { uri: project.uri("one.txt") })).text, "unone\ntwo\n");
  });

  it("tell of a text that is typed in a comparison", async () => {
    const [left, right] = ["two.txt", "one.txt"].map((name) => vscode.Uri.file(project.path(name)));
    await vscode.commands.executeCommand("vscode.diff", left, right);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(vscode.Uri.file(project.path("one.txt")), new vscode.Position(0, 0), "un");
    await vscode.workspace.applyEdit(edit);
    // VS Code tells a little later that the file of the test before is closed.
    await eventually(async () => {
      const { files } = await project.ask("openFiles", {});
      assert.deepEqual(files, [{ uri: project.uri("one.txt"), isActive: false, isUnsaved: true }]);
    });
  });

  it("read no file outside of the folder, and edit none", async () => {
    const outside = await mkdtemp(join(tmpdir(), "outside-"));
    try {
      const secret = join(outside, "secret.txt");
      await writeFile(secret, "secret");
      await symlink(outside, project.path("link"));
      for (const uri of [fileUri(secret), project.uri("link/secret.txt")]) {
        assert.equal((await project.ask("readDocument", { uri })).text, null);
        const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 6 } };
        const edit = { changes: [{ kind: "edit", uri, edits: [{ range, newText: "gone" }] }] } as const;
        const { isApplied, refusal } = await project.ask("applyEdit", { edit, label: "" });
        assert.deepEqual([isApplied, refusal], [false, `Tools can't edit ${uri}.`]);
      }
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it("save an edited file, unless it had unsaved text before", async () => {
    const editor = await open("one.txt");
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "un"));
    const start = { line: 0, character: 0 };
    const edits = [{ range: { start, end: start }, newText: "new " }];
    const changes = ["one.txt", "two.txt"].map((name) => ({ kind: "edit", uri: project.uri(name), edits }) as const);
    const { isApplied } = await project.ask("applyEdit", { edit: { changes }, label: "Test" });
    assert.deepEqual(
      [isApplied, editor.document.getText(), await project.read("one.txt"), await project.read("two.txt")],
      [true, "new unone\ntwo\n", "one\ntwo\n", "new 2\n"],
    );
  });

  it("name the extension for each language of the folder", async () => {
    await project.write("a.rs", "fn main() {}\n");
    await project.write("b.ts", "export {};\n");
    const { servers } = await project.ask("status", {});
    assert.deepEqual(
      servers.map(({ name, state, uri }) => [name.replace(/: .*TypeScript.*/, ": TypeScript"), state.kind, uri]),
      [
        ["rust: no extension", "degraded", project.uri("a.rs")],
        ["typescript: TypeScript", "ready", project.uri("b.ts")],
      ],
    );
  });

  it("say which file cannot be opened", async () => {
    const uri = project.uri("none.ts");
    await assert.rejects(project.ask("documentSymbols", { uri }), (failure: Error) => {
      assert.match(failure.message, /VS Code can't open file:.*none\.ts/);
      return true;
    });
  });
});
