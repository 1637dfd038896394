import assert from "node:assert/strict";
import * as vscode from "vscode";
import { logged, offerScriptedAgent, resetSettings, setting, TabDriver, until } from "./chat-driver.js";

describe("the chat in VS Code", () => {
  const opened: TabDriver[] = [];

  const open = async (agentId = "scripted"): Promise<TabDriver> => {
    const tab = await TabDriver.open(agentId);
    opened.push(tab);
    return tab;
  };

  before(offerScriptedAgent);
  after(resetSettings);
  afterEach(async () => {
    for (const tab of opened.splice(0)) await tab.close();
  });

  it("answers with Eliza, where nothing has been set up", async () => {
    const tab = await open("eliza");
    assert.match(await tab.ask("I feel tired today."), /tired/);
  });

  it("shows what an agent wrote to stderr before it crashed, and goes on with the same session", async () => {
    const tab = await open();
    await tab.ask("echo before\ncrash 7");
    assert.equal(await tab.ask("echo after"), "after\n");
    const [notice] = await tab.items("notice");
    assert.match(notice?.details ?? "", /scripted crash with code 7/);
    assert.match(notice?.text ?? "", /It was restarted and remembers this conversation\.$/);
  });

  it("starts one process for two tabs that are opened at once", async () => {
    const events = await logged(async () => {
      const [one, two] = await Promise.all([open(), open()]);
      assert.deepEqual(await Promise.all([one.ask("echo one"), two.ask("echo two")]), ["one\n", "two\n"]);
    });
    const starts = events.filter(({ message }) => message === "initialized");
    assert.ok(starts.length <= 1, JSON.stringify(starts));
  });

  it("offers a restart when a setting concerns the agent that runs, and goes on after it", async () => {
    const tab = await open();
    await tab.ask("echo before");
    await setting("agentLogLevel", "debug");
    await until(async () => (await tab.items("notice")).length === 1);
    const [notice] = await tab.items("notice");
    assert.equal(notice?.title, "Settings changed");
    await TabDriver.dispatch({ type: "action", tabId: tab.tabId, itemId: notice.id, actionId: "restart" });
    assert.equal(await tab.ask("echo after"), "after\n");
    assert.deepEqual(await tab.items("notice"), []);
    await setting("agentLogLevel", undefined);
  });

  it("shows a change of a tool call in the editor's own diff", async () => {
    const tab = await open();
    await tab.ask("tool_calls");
    const path = "/project/main.ts";
    await TabDriver.dispatch({ type: "open-diff", tabId: tab.tabId, toolCallId: "call-edit", path });
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputTextDiff);
    const sides = await Promise.all(
      [input.original, input.modified].map((uri) => vscode.workspace.openTextDocument(uri)),
    );
    assert.deepEqual(
      sides.map((document) => document.getText()),
      ["let a = 1;\n", "const a = 1;\n"],
    );
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  });

  it("has a command be about the tab that was selected when it was given, not about one that is selected in the same tick", async () => {
    const tabs = [await open("eliza"), await open("eliza")];
    for (const [at, { tabId }] of tabs.entries())
      await TabDriver.dispatch({ type: "rename-tab", tabId, title: `Tab ${at}` });
    await TabDriver.dispatch({ type: "select-tab", tabId: tabs[0]?.tabId });
    const moving = vscode.commands.executeCommand("symposium.openInEditor");
    await TabDriver.dispatch({ type: "select-tab", tabId: tabs[1]?.tabId });
    await moving;
    const labels = vscode.window.tabGroups.all.flatMap(({ tabs: shown }) => shown.map(({ label }) => label));
    assert.deepEqual(labels, ["Tab 0"]);
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  });

  it("says which agent there is not, and what to do", async () => {
    const tab = await open("nobody");
    await until(async () => (await tab.items("notice")).length === 1);
    const [notice] = await tab.items("notice");
    assert.match(notice?.text ?? "", /There is no agent called "nobody"\..*symposium\.agents/);
  });

  it("ignores messages that it cannot read, and logs them", async () => {
    const events = await logged(async () => {
      await TabDriver.dispatch({ type: "prompt", tabId: "one" });
      await TabDriver.dispatch("nonsense");
    });
    assert.deepEqual(
      events.map(({ level, message }) => [level, message]),
      Array.from({ length: 2 }, () => ["warn", "ignored an unreadable message from the view"]),
    );
  });

  it("logs what happens, and nothing of what is said", async () => {
    const tab = await open();
    const events = await logged(async () => {
      await tab.ask("echo strawberry");
    });
    assert.doesNotMatch(JSON.stringify(events), /strawberry/);
  });

  it("lists the tabs that are open", async () => {
    const [one, two] = [await open("eliza"), await open("eliza")];
    assert.deepEqual((await TabDriver.tabIds()).slice(-2), [one.tabId, two.tabId]);
    await one.close();
    assert.deepEqual((await TabDriver.tabIds()).slice(-1), [two.tabId]);
  });
});
