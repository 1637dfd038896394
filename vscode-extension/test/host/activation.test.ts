import assert from "node:assert/strict";
import * as vscode from "vscode";

describe("the extension", () => {
  const extension = vscode.extensions.getExtension("symposium-dev.symposium");

  it("is active in a window that shows its view", async () => {
    await vscode.commands.executeCommand("symposium.openChat");
    assert.equal(extension?.isActive, true);
  });

  it("registers every command that it contributes", async () => {
    await extension?.activate();
    const known = new Set(await vscode.commands.getCommands(true));
    const manifest: unknown = extension?.packageJSON;
    assert.deepEqual(
      commandsOf(manifest).filter((command) => !known.has(command)),
      [],
    );
  });
});

function commandsOf(manifest: unknown): readonly string[] {
  const { contributes } = manifest as { contributes: { commands: readonly { command: string }[] } };
  return contributes.commands.map(({ command }) => command);
}
