import assert from "node:assert/strict";
import { relative } from "node:path";
import * as vscode from "vscode";
import { TabDriver } from "../chat/chat-driver.js";
import { eventually } from "../eventually.js";
import { IdeProject } from "../ide-operations/ide-project.js";

const pyright = process.env["SYMPOSIUM_TEST_PYRIGHT"];
const limitMs = 120_000;

describe(`language features for Python without an extension for Python${absence()}`, function () {
  this.timeout(2 * limitMs);
  let project: IdeProject;

  before(async function () {
    if (pyright === undefined) this.skip();
    assert.equal(vscode.extensions.getExtension("ms-python.python"), undefined);
    project = await IdeProject.create({ "shapes.py": "", "main.py": "from shapes import area\n" });
    // A login shell may replace the PATH of the extension host.
    const server = { command: process.execPath, args: [pyright, "--stdio"], readiness: "none" };
    const options = { languageServers: { pyright: server } };
    await set("extensions", [{ id: "ide-operations", _enabled: true, _source: "built-in", options }]);
    await set("languageFeatures", "missing");
    // Nothing of this is on disk.
    await type("shapes.py", "def area(side: int) -> int:\n    return side * side\n");
    await type("main.py", 'print(area("x"))\n');
  });
  after(async function () {
    if (pyright === undefined) return;
    await set("languageFeatures", "off");
    await set("extensions", undefined);
    await project[Symbol.asyncDispose]();
  });

  async function set(key: string, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration("symposium").update(key, value, vscode.ConfigurationTarget.Global);
  }

  async function type(name: string, text: string): Promise<void> {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(project.path(name)), { preview: false });
    const { lineCount } = editor.document;
    await editor.edit((edit) => edit.insert(new vscode.Position(lineCount, 0), text));
  }

  /** Asks VS Code's providers about the call in main.py. */
  async function ask<T>(command: string, ...more: readonly unknown[]): Promise<T> {
    const at = new vscode.Position(1, 7);
    return vscode.commands.executeCommand<T>(command, vscode.Uri.file(project.path("main.py")), at, ...more);
  }

  function shown({ uri, range }: vscode.Location): string {
    return `${relative(project.folder, uri.fsPath)}:${range.start.line}:${range.start.character}`;
  }

  it("find the definition and the uses in text that isn't saved", async () => {
    await eventually(async () => {
      const definitions = await ask<vscode.Location[]>("vscode.executeDefinitionProvider");
      assert.deepEqual(definitions.map(shown), ["shapes.py:0:4"]);
    }, limitMs);
    const uses = await ask<vscode.Location[]>("vscode.executeReferenceProvider");
    assert.deepEqual(uses.map(shown).sort(), ["main.py:0:19", "main.py:1:6", "shapes.py:0:4"]);
  });

  it("explain the symbol and report the problem", async () => {
    const [hover] = await ask<vscode.Hover[]>("vscode.executeHoverProvider");
    const [content] = hover?.contents ?? [];
    assert.match(content instanceof vscode.MarkdownString ? content.value : "", /def area\(side: int\) -> int/);
    await eventually(() => {
      const [problem, ...others] = vscode.languages.getDiagnostics(vscode.Uri.file(project.path("main.py")));
      assert.deepEqual([problem?.source, problem?.range.start.line, others], ["Pyright", 1, []]);
    }, limitMs);
  });

  it("refuse to rename a keyword before the user types a name", async () => {
    const main = vscode.Uri.file(project.path("main.py"));
    const prepare = (column: number): Thenable<{ readonly placeholder: string }> =>
      vscode.commands.executeCommand("vscode.prepareRename", main, new vscode.Position(0, column));
    assert.equal((await prepare(20)).placeholder, "area");
    await assert.rejects(async () => prepare(1), /nothing to rename/);
  });

  it("rename the symbol in all files", async () => {
    const edit = await ask<vscode.WorkspaceEdit>("vscode.executeDocumentRenameProvider", "surface");
    const changed = edit.entries().map(([uri, edits]) => [relative(project.folder, uri.fsPath), edits.length]);
    assert.deepEqual(changed.sort(), [
      ["main.py", 2],
      ["shapes.py", 1],
    ]);
  });

  it("leave agents to the same server, which reports each problem once", async () => {
    const [root] = vscode.workspace.workspaceFolders ?? [];
    const file = relative(root?.uri.fsPath ?? "", project.path("main.py"));
    const tab = await TabDriver.open("eliza");
    await tab.send(`use tool ide-operations::diagnostics with ${JSON.stringify({ file })}`);
    await eventually(async () => assert.equal((await tab.items("turn-end")).length, 1), limitMs);
    const answer = (await tab.items("text")).at(-1)?.text ?? "";
    await tab.close();
    assert.match(answer, /by Symposium's pyright/);
    assert.equal(answer.match(/cannot be assigned/g)?.length, 1, answer);
  });

  it("end when the setting is off", async () => {
    await set("languageFeatures", "off");
    await eventually(async () => assert.deepEqual(await ask("vscode.executeDefinitionProvider"), []), limitMs);
    assert.deepEqual(vscode.languages.getDiagnostics(vscode.Uri.file(project.path("main.py"))), []);
  });
});

function absence(): string {
  return pyright === undefined ? ` (skipped: ${process.env["SYMPOSIUM_TEST_NO_PYRIGHT"] ?? "pyright is missing"})` : "";
}
