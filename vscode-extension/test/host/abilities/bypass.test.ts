import assert from "node:assert/strict";
import * as vscode from "vscode";
import { VsCodeBypass } from "../../../src/features/permissions/vscode-bypass.js";

describe("the bypass of permissions", () => {
  const bypass = new VsCodeBypass();
  const set = (name: string, value: unknown): Thenable<void> =>
    vscode.workspace.getConfiguration("symposium").update(name, value, vscode.ConfigurationTarget.Global);

  afterEach(async () => {
    await set("bypassPermissions", undefined);
    await set("agents", undefined);
  });

  it("is kept in the user's settings", async () => {
    assert.equal(bypass.has("eliza"), false);
    await bypass.add("eliza");
    assert.deepEqual([bypass.has("eliza"), bypass.has("other"), bypass.agentIds], [true, false, ["eliza"]]);
    await bypass.remove("eliza");
    assert.equal(bypass.has("eliza"), false);
  });

  it("is a member of an agent's own settings too", async () => {
    await set("agents", { mine: { command: "mine", bypassPermissions: true }, other: { command: "other" } });
    assert.deepEqual([bypass.has("mine"), bypass.has("other")], [true, false]);
  });
});
