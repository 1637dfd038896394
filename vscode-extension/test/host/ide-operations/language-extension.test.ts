import assert from "node:assert/strict";
import type { WorkspaceEdit } from "@symposium-dev/core";
import * as vscode from "vscode";
import { IdeProject } from "./ide-project.js";

const file = "notes.txt";
const selector = { pattern: `**/${file}` };
const name = new vscode.Range(0, 0, 0, 4);

describe("IDE operations by a language extension", () => {
  let project: IdeProject;
  let owned: { dispose(): unknown }[];

  beforeEach(async () => {
    owned = [];
    project = await IdeProject.create({ [file]: "Node tree Leaf\n", "main.rs": "fn main() {}\n" });
  });
  afterEach(async () => {
    for (const one of owned) one.dispose();
    await project[Symbol.asyncDispose]();
  });

  /** Plain text has no extension: this makes it a language that one serves. */
  function serve(): void {
    const symbol = new vscode.DocumentSymbol("Node", "a node", vscode.SymbolKind.Class, name, name);
    owned.push(vscode.languages.registerDocumentSymbolProvider(selector, { provideDocumentSymbols: () => [symbol] }));
  }

  it("say which extension is missing where nobody serves the language", async () => {
    const { state, items } = await project.ask("definition", await project.at("main.rs", "main"));
    const reason =
      'No installed VS Code extension supports the language "rust". Install the extension rust-lang.rust-analyzer.';
    assert.deepEqual([state, items], [{ kind: "degraded", reason, isUnserved: true }, []]);
  });

  it("ask again while the extension is still reading the workspace", async () => {
    serve();
    let asked = 0;
    const location = new vscode.Location(vscode.Uri.file(project.path(file)), name);
    const provideDefinition = (): vscode.Location[] => (++asked > 2 ? [location] : []);
    owned.push(vscode.languages.registerDefinitionProvider(selector, { provideDefinition }));
    const { state, items } = await project.ask("definition", await project.at(file, "tree"));
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } };
    assert.deepEqual([state, items], [{ kind: "ready" }, [{ uri: project.uri(file), range }]]);
  });

  it("count the list of uses as ready when it stays the same", async () => {
    serve();
    let asked = 0;
    const uri = vscode.Uri.file(project.path(file));
    const places = [name, new vscode.Range(0, 5, 0, 9)].map((range) => new vscode.Location(uri, range));
    const provideReferences = (): vscode.Location[] => places.slice(0, ++asked);
    owned.push(vscode.languages.registerReferenceProvider(selector, { provideReferences }));
    const place = await project.at(file, "Node");
    const { state, total } = await project.ask("references", { ...place, includeDeclaration: true });
    assert.deepEqual([state, total], [{ kind: "ready" }, 2]);
  });

  it("are loading when a new extension goes on saying nothing", async () => {
    serve();
    const { state } = await project.ask("definition", await project.at(file, "tree"));
    assert.deepEqual(state, { kind: "loading" });
  });

  it("follow types in both directions", async () => {
    serve();
    const uri = vscode.Uri.file(project.path(file));
    const item = (text: string): vscode.TypeHierarchyItem =>
      new vscode.TypeHierarchyItem(vscode.SymbolKind.Interface, text, "", uri, name, name);
    owned.push(
      vscode.languages.registerTypeHierarchyProvider(selector, {
        prepareTypeHierarchy: () => item("Node"),
        provideTypeHierarchySupertypes: () => [item("Thing")],
        provideTypeHierarchySubtypes: () => [item("Leaf"), item("Branch")],
      }),
    );
    const place = await project.at(file, "Node");
    const [above, below] = [await project.ask("supertypes", place), await project.ask("subtypes", place)];
    const names = [above, below].map(({ items }) => items.map((found) => `${found.kind} ${found.name}`));
    assert.deepEqual(names, [["interface Thing"], ["interface Leaf", "interface Branch"]]);
  });

  it("keep the files that a rename moves, creates and deletes", async () => {
    serve();
    const at = (path: string): vscode.Uri => vscode.Uri.file(project.path(path));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(at(file), name, "Root");
    edit.renameFile(at(file), at("root.txt"));
    edit.createFile(at("index.txt"));
    edit.insert(at("index.txt"), new vscode.Position(0, 0), "root\n");
    edit.deleteFile(at("main.rs"));
    owned.push(vscode.languages.registerRenameProvider(selector, { provideRenameEdits: () => edit }));
    const answer = await project.ask("rename", { ...(await project.at(file, "Node")), newName: "Root" });
    const start = { line: 0, character: 0 };
    const text = (uri: string, end: number, newText: string): WorkspaceEdit["changes"][number] => ({
      kind: "edit",
      uri: project.uri(uri),
      edits: [{ range: { start, end: { line: 0, character: end } }, newText }],
    });
    assert.deepEqual(answer.edit?.changes, [
      text(file, 4, "Root"),
      { kind: "rename", from: project.uri(file), to: project.uri("root.txt") },
      { kind: "create", uri: project.uri("index.txt") },
      { kind: "delete", uri: project.uri("main.rs") },
      text("index.txt", 0, "root\n"),
    ]);
    const { isApplied, refusal } = await project.ask("applyEdit", { edit: answer.edit, label: "Rename" });
    assert.deepEqual([isApplied, refusal], [true, undefined]);
    assert.deepEqual([await project.read("root.txt"), await project.read("index.txt")], ["Root tree Leaf\n", "root\n"]);
    const reported = project.edited.map(({ path, before, after }) => [
      path.slice(project.folder.length + 1),
      before,
      after,
    ]);
    assert.deepEqual(reported.sort(), [
      ["index.txt", null, "root\n"],
      ["main.rs", "fn main() {}\n", null],
      [file, "Node tree Leaf\n", null],
      ["root.txt", null, "Root tree Leaf\n"],
    ]);
  });

  it("tell what an extension says by itself, once it has seen the edit", async () => {
    serve();
    const faults = vscode.languages.createDiagnosticCollection("notes");
    owned.push(faults);
    const judge = (document: vscode.TextDocument): void => {
      if (document.uri.fsPath !== project.path(file)) return;
      const fault = new vscode.Diagnostic(
        name,
        `${document.getText().split(" ").length} words`,
        vscode.DiagnosticSeverity.Warning,
      );
      fault.source = "counter";
      faults.set(document.uri, [fault]);
    };
    owned.push(
      vscode.workspace.onDidOpenTextDocument(judge),
      vscode.workspace.onDidChangeTextDocument(({ document }) => judge(document)),
    );
    const uri = project.uri(file);
    const said = async (): Promise<string[]> =>
      (await project.ask("diagnostics", { uri })).files.flatMap(({ diagnostics }) => diagnostics.map((d) => d.message));
    assert.deepEqual(await said(), ["3 words"]);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(vscode.Uri.file(project.path(file)), new vscode.Position(0, 0), "One more: ");
    await vscode.workspace.applyEdit(edit);
    assert.deepEqual(await said(), ["5 words"]);
    await vscode.workspace.saveAll();
  });

  it("refuse a format that nobody knows", async () => {
    const { edits, refusal } = await project.ask("format", { uri: project.uri(file) });
    assert.deepEqual([edits, refusal], [[], 'No installed extension formats the language "plaintext".']);
  });

  it("say that a code action is a command that has no edit", async () => {
    serve();
    const action = new vscode.CodeAction("Count the words", vscode.CodeActionKind.Refactor);
    action.command = { command: "notes.count", title: "Count" };
    owned.push(vscode.languages.registerCodeActionsProvider(selector, { provideCodeActions: () => [action] }));
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } };
    const { items } = await project.ask("codeActions", { uri: project.uri(file), range, only: ["refactor"] });
    const [offered] = items;
    assert.equal(offered?.title, "Count the words");
    const { edit, refusal } = await project.ask("resolveCodeAction", { id: offered.id });
    assert.deepEqual([edit, refusal], [null, "The action is an editor command and has no edit to preview."]);
  });
});
