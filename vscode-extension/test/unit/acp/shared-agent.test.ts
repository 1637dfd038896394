import assert from "node:assert/strict";
import { AgentFixture, scripted } from "./conversation-fixture.js";

describe("an agent that several tabs share", () => {
  it("is one process for tabs that are opened at once, each with its own session", async () => {
    await using agents = new AgentFixture();
    const [one, two] = [agents.tab({ tabId: "one" }), agents.tab({ tabId: "two" })];
    await Promise.all([one.ask("echo from one"), two.ask("echo from two")]);
    assert.equal(agents.starts, 1);
    assert.deepEqual([one.said, two.said], ["from one\n", "from two\n"]);
    assert.notDeepEqual(one.sessions, two.sessions);
  });

  it("is one process for each tab where its sessions would get each other's MCP servers", async () => {
    await using agents = new AgentFixture({ args: () => ["--name", "OpenCode"] });
    const [one, two] = [agents.tab({ tabId: "one" }), agents.tab({ tabId: "two" })];
    await Promise.all([one.ask("echo from one"), two.ask("echo from two")]);
    assert.deepEqual([agents.starts, one.said, two.said], [2, "from one\n", "from two\n"]);
  });

  it("is not shared with a tab whose configuration differs in anything that affects the process", async () => {
    await using agents = new AgentFixture();
    const others = [
      { ...scripted, agent: "scripted --other" },
      { ...scripted, proxies: ["ferris"] },
      { ...scripted, folder: "/" },
      { ...scripted, environment: { KEY: "value" } },
      { ...scripted, extraArgs: ["--log", "debug"] },
    ];
    const tabs = [scripted, ...others].map((configuration, at) => agents.tab({ tabId: `tab-${at}` }, configuration));
    for (const tab of tabs) await tab.conversation.start();
    assert.equal(agents.starts, tabs.length);
  });

  it("takes up the session of every tab again after one of them has restarted it", async () => {
    await using agents = new AgentFixture();
    const [one, two] = [agents.tab({ tabId: "one" }), agents.tab({ tabId: "two" })];
    await one.ask("echo one");
    await two.ask("echo two");
    await one.conversation.restart();
    await two.ask("echo two again");
    assert.deepEqual([two.said, two.all("notice"), agents.starts], ["two\ntwo again\n", [], 2]);
    assert.deepEqual(two.sessions, ["session-2"]);
  });

  it("tells a tab whose turn is ended by the restart that another asked for", async () => {
    await using agents = new AgentFixture();
    const [one, two] = [agents.tab({ tabId: "one" }), agents.tab({ tabId: "two" })];
    await one.ask("echo one");
    two.send("wait_for_cancel");
    await two.until(() => two.said === "waiting\n");
    await one.conversation.restart();
    await two.until(() => two.phase === "ready");
    assert.deepEqual(
      [two.all("notice").map(({ title }) => title), two.all("turn-end").map(({ stopReason }) => stopReason)],
      [["Scripted was restarted from another tab"], ["interrupted"]],
    );
    await two.ask("echo on");
    assert.match(two.said, /on\n$/);
  });

  it("tells every tab when it crashes, and goes on in all of them", async () => {
    await using agents = new AgentFixture();
    const [one, two] = [agents.tab({ tabId: "one" }), agents.tab({ tabId: "two" })];
    await two.ask("echo two");
    await one.ask("crash 3");
    await Promise.all(
      [one, two].map((tab) => tab.until(() => tab.phase === "ready" && tab.all("notice").length === 1)),
    );
    await Promise.all([one.ask("echo one on"), two.ask("echo two on")]);
    assert.deepEqual([one.said, two.said, agents.starts], ["one on\n", "two\ntwo on\n", 2]);
  });
});
