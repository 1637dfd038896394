import assert from "node:assert/strict";
import * as vscode from "vscode";

describe("Discuss in Symposium", () => {
  before(() => vscode.extensions.getExtension("symposium-dev.symposium")?.activate());
  afterEach(() => vscode.commands.executeCommand("workbench.action.closeAllEditors"));

  async function offeredFor(range: vscode.Range): Promise<string[]> {
    const document = await vscode.workspace.openTextDocument({ content: "one two\n" });
    await vscode.window.showTextDocument(document);
    const actions = await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      document.uri,
      range,
    );
    return actions.map(({ title }) => title).filter((title) => title.includes("Symposium"));
  }

  it("is in the light bulb of a selection and nowhere else", async () => {
    assert.deepEqual(await offeredFor(new vscode.Range(0, 0, 0, 3)), ["Discuss in Symposium"]);
    assert.deepEqual(await offeredFor(new vscode.Range(0, 2, 0, 2)), []);
  });
});
