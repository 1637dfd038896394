import assert from "node:assert/strict";
import { Logger } from "@symposium-dev/core";
import { SessionObservers } from "../../../src/acp/session-observers.js";
import { AgentFixture } from "./conversation-fixture.js";

describe("a conversation", () => {
  it("opens a session at the first prompt and shows the answer with the end of its turn", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    await tab.ask("echo Hello there");
    assert.deepEqual(tab.items, [
      { kind: "user", id: "prompt-1", text: "echo Hello there", attachments: [], sentAt: 1_000 },
      { kind: "text", id: "tab-1-id-1", text: "Hello there\n" },
      { kind: "turn-end", id: "tab-1-id-2", stopReason: "end_turn", durationMs: 0 },
    ]);
    assert.deepEqual(tab.sessions, ["session-1"]);
    assert.equal(tab.phase, "ready");
  });

  it("keeps a prompt that comes while a turn runs, and sends it afterwards", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    tab.send("wait_for_cancel");
    await tab.until(() => tab.said === "waiting\n");
    const next = tab.send("echo next");
    assert.deepEqual(tab.transcript.transcript.state.queue, [next]);
    tab.conversation.sendNow(next.messageId);
    await tab.until(() => tab.all("turn-end").length === 2 && tab.phase === "ready");
    assert.deepEqual(
      tab.all("turn-end").map(({ stopReason }) => stopReason),
      ["cancelled", "end_turn"],
    );
    assert.match(tab.said, /cancelled by session\/cancel\nnext\n$/);
    assert.deepEqual(tab.transcript.transcript.state.queue, []);
  });

  it("holds the queue when the user stops a turn, until the user sends something", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    tab.send("wait_for_cancel");
    await tab.until(() => tab.said === "waiting\n");
    tab.send("echo queued");
    tab.conversation.cancel();
    await tab.until(() => tab.phase === "ready");
    assert.equal(tab.transcript.transcript.state.queue.length, 1);
    tab.send("echo first");
    await tab.until(() => tab.all("turn-end").length === 3 && tab.phase === "ready");
    assert.match(tab.said, /first\nqueued\n$/);
  });

  it("sends what the user sends next before what was held, also while the stopped turn is still wound up", async () => {
    await using agents = new AgentFixture();
    let windUp = (): void => undefined;
    const woundUp = new Promise<void>((resolve) => (windUp = resolve));
    const observers = new SessionObservers([{ turnEnded: () => woundUp }], Logger.silent);
    const tab = agents.tab({ observers });
    tab.send("wait_for_cancel");
    await tab.until(() => tab.said === "waiting\n");
    tab.send("echo queued");
    tab.conversation.cancel();
    await tab.until(() => tab.phase === "ready");
    tab.send("echo first");
    tab.send("echo last");
    windUp();
    await tab.until(() => tab.all("turn-end").length === 4 && tab.phase === "ready");
    assert.match(tab.said, /first\nqueued\nlast\n$/);
  });

  it("ignores a prompt whose id it has seen", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    await tab.ask("echo once");
    tab.conversation.prompt({ messageId: "prompt-1", text: "echo twice", attachments: [] }, "send");
    await tab.ask("echo other");
    assert.equal(tab.said, "once\nother\n");
  });

  it("shows an agent's error with its code and lets the user try again", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    await tab.ask("error -32603 The model is tired");
    const [notice] = tab.all("notice");
    assert.equal(notice?.title, "Scripted could not answer");
    assert.equal(notice.text, "The model is tired (error -32603)");
    assert.deepEqual(
      notice.actions.map(({ id }) => id),
      ["retry", "continue-with", "open-log"],
    );
    assert.equal(tab.phase, "ready");
    await tab.ask("echo meanwhile");
    tab.conversation.retry(notice.id);
    await tab.until(() => tab.all("turn-end").length === 3 && tab.phase === "ready");
    assert.equal(tab.all("user").at(-1)?.text, "error -32603 The model is tired");
    assert.deepEqual(
      tab.all("notice").map(({ actions }) => actions.map(({ id }) => id)),
      [
        ["continue-with", "open-log"],
        ["retry", "continue-with", "open-log"],
      ],
    );
  });

  it("starts a crashed agent again, takes the session up, and says what happened", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    await tab.ask("echo before");
    await tab.ask("crash 7");
    await tab.until(() => tab.phase === "ready" && agents.starts === 2);
    const [notice] = tab.all("notice");
    assert.equal(notice?.severity, "info");
    assert.equal(notice.text, "Scripted exited with code 7. It was restarted and remembers this conversation.");
    assert.match(notice.details ?? "", /scripted crash with code 7/);
    assert.equal(tab.all("turn-end").at(-1)?.stopReason, "interrupted");
    await tab.ask("echo after");
    assert.equal(tab.said, "before\nafter\n");
    assert.deepEqual(tab.sessions, ["session-1"]);
  });

  it("leaves an agent that keeps crashing to the user, and starts it when asked to", async () => {
    await using agents = new AgentFixture({ args: (start) => (start === 1 ? ["--die-at-initialize", "9"] : []) });
    const tab = agents.tab();
    await tab.ask("crash 7");
    await tab.until(() => tab.phase === "failed");
    const notice = tab.all("notice").at(-1);
    assert.equal(notice?.title, "Scripted could not be started");
    assert.equal(notice.text, "Scripted exited with code 9.");
    assert.equal(notice.details, "scripted death at initialize");
    await tab.conversation.restart();
    await tab.ask("echo again");
    assert.equal(tab.said, "again\n");
  });

  it("starts a crashed agent once, also when the user was faster", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    // Every crash but the first is followed by a prompt that does not wait for the restart.
    for (const code of [1, 2, 3, 4]) await tab.ask(`crash ${code}`);
    const last = tab.all("notice").at(-1);
    assert.equal(last?.text, "Scripted exited with code 4. It stopped too often to be restarted automatically.");
    assert.deepEqual([tab.phase, agents.starts], ["failed", 4]);
    await tab.ask("echo on");
    assert.equal(tab.said, "on\n");
    const { text, actions } = tab.all("notice").at(-1) ?? {};
    assert.equal(text, "Scripted exited with code 4. It was restarted and remembers this conversation.");
    assert.deepEqual(
      actions?.map(({ id }) => id),
      ["retry", "continue-with", "open-log"],
    );
  });

  it("tells the user when an agent does not stop, and a restart ends the turn", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab({ stopTimeoutMs: 20 });
    tab.send("hang");
    await tab.until(() => tab.phase === "running");
    tab.conversation.cancel();
    await tab.until(() => tab.all("notice").length === 1);
    assert.equal(tab.all("notice")[0]?.title, "Scripted hasn't stopped yet");
    await tab.conversation.restart();
    await tab.until(() => tab.phase === "ready" && tab.all("turn-end").length === 1);
    assert.deepEqual(tab.all("notice"), []);
  });
});
