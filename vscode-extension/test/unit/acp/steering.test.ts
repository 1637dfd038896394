import assert from "node:assert/strict";
import type { SeenRequest } from "./agent-in-process.js";
import { startInProcess } from "./agent-in-process.js";
import { AgentFixture, type TabFixture } from "./conversation-fixture.js";

const steering = { args: () => ["--steering"] };
const listening = (tab: TabFixture) => tab.until(() => tab.said.includes("listening\n"));
const queueOf = (tab: TabFixture) => tab.transcript.transcript.state.queue;

describe("what is said into a running turn", () => {
  it("reaches the agent at once, stands in the transcript, and the turn goes on to its end", async () => {
    await using agents = new AgentFixture(steering);
    const tab = agents.tab();
    tab.send("wait_for_steering");
    await listening(tab);
    tab.send("also add tests");
    assert.deepEqual(
      queueOf(tab).map(({ isSteering }) => isSteering),
      [true],
    );
    await tab.until(() => tab.phase === "ready");
    assert.equal(tab.said, "listening\nheard also add tests\n");
    assert.deepEqual(
      tab.all("user").map(({ text, isSteered = false }) => [text, isSteered]),
      [
        ["wait_for_steering", false],
        ["also add tests", true],
      ],
    );
    assert.deepEqual([tab.all("turn-end").map(({ stopReason }) => stopReason), queueOf(tab)], [["end_turn"], []]);
  });

  it("always asks for a prompt where no turn runs, and goes in the form in which prompts do", async () => {
    const seen: SeenRequest[] = [];
    await using agents = new AgentFixture({ startProcess: startInProcess({ takesSteering: true }, seen) });
    const tab = agents.tab();
    tab.send("wait_for_steering");
    await listening(tab);
    tab.send("hear this");
    await tab.until(() => tab.phase === "ready");
    assert.deepEqual(seen.find(({ method }) => method === "_session/steering")?.params, {
      sessionId: "session-1",
      prompt: [{ type: "text", text: "hear this" }],
      _meta: { steering: { idleBehavior: "promptRequired" } },
    });
  });

  it("waits for the next turn where the agent cannot be told, or the user wants it so", async () => {
    for (const args of [[], ["--steering"]]) {
      await using agents = new AgentFixture({ args: () => args });
      const tab = agents.tab();
      tab.send("wait_for_cancel");
      await tab.until(() => tab.said === "waiting\n");
      const later = tab.send("echo later", args.length === 0 ? "send" : "later");
      assert.deepEqual(queueOf(tab), [later]);
    }
  });

  it("is sent as a prompt of its own where the turn was over before the agent heard it", async () => {
    let answer: (() => void) | undefined;
    const start = startInProcess({ takesSteering: true }, [], (method, send) => {
      // The turn's end is still on its way when the agent is told.
      if (method === "session/prompt" && !answer) answer = send;
      else send();
    });
    await using agents = new AgentFixture({ startProcess: start });
    const tab = agents.tab();
    tab.send("echo first");
    await tab.until(() => tab.said === "first\n" && answer !== undefined);
    tab.send("echo second");
    await tab.until(() => queueOf(tab)[0]?.isSteering === undefined);
    answer?.();
    await tab.until(() => tab.all("turn-end").length === 2);
    assert.equal(tab.said, "first\nsecond\n");
    assert.deepEqual(
      tab.all("user").map(({ isSteered }) => isSteered),
      [undefined, undefined],
    );
  });

  it("waits in the queue, with the reason, where the agent refuses it, and is sent after the turn", async () => {
    await using agents = new AgentFixture(steering);
    const tab = agents.tab();
    tab.send("wait_for_steering");
    await listening(tab);
    tab.send("refuse this");
    await tab.until(() => queueOf(tab)[0]?.note !== undefined);
    assert.equal(queueOf(tab)[0]?.note, "The agent didn't accept this message into its turn: It was told to refuse.");
    tab.send("go on");
    await tab.until(() => tab.all("turn-end").length === 2);
    assert.deepEqual(
      tab.all("user").map(({ text }) => text),
      ["wait_for_steering", "go on", "refuse this"],
    );
  });

  for (const [how, script, end] of [
    ["ends", "wait_for_steering silently\ncrash 7", () => undefined],
    ["is stopped", "wait_for_cancel", (tab: TabFixture) => tab.conversation.cancel()],
  ] as const) {
    it(`comes back into the queue where the agent ${how} before it has read it`, async () => {
      await using agents = new AgentFixture(steering);
      const tab = agents.tab();
      tab.send(`echo begun\n${script}`);
      await tab.until(() => tab.said.startsWith("begun\n"));
      tab.send("important");
      await tab.until(() => queueOf(tab)[0]?.isSteering !== true);
      end(tab);
      await tab.until(() => tab.all("turn-end").length === 1);
      assert.deepEqual(
        queueOf(tab).map(({ text, note }) => [text, note]),
        [["important", "The turn ended before the agent read this message."]],
      );
      assert.deepEqual(tab.all("user").length, 1);
    });
  }

  it("can be sent together with the prompt that is stopped for it", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    tab.send("echo begun\nwait_for_cancel");
    await tab.until(() => tab.said.includes("waiting\n"));
    tab.send("echo and this", "together");
    await tab.until(() => tab.all("user").length === 2 && tab.said.endsWith("waiting\n"));
    assert.equal(tab.all("user")[1]?.text, "echo begun\nwait_for_cancel\n\necho and this");
    tab.conversation.cancel();
    await tab.until(() => tab.phase === "ready");
  });

  it("is sent after the turn where the agent took it while that was stopped for another prompt", async () => {
    let heard: (answer: () => void) => void = () => undefined;
    const isHeard = new Promise<() => void>((resolve) => (heard = resolve));
    const start = startInProcess({ takesSteering: true }, [], (method, send) => {
      if (method === "_session/steering") heard(send);
      else send();
    });
    await using agents = new AgentFixture({ startProcess: start });
    const tab = agents.tab();
    tab.send("wait_for_cancel");
    await tab.until(() => tab.said === "waiting\n");
    tab.send("echo important");
    const answer = await isHeard;
    tab.send("echo both", "together");
    answer();
    await tab.until(() => tab.all("user").length === 3);
    assert.deepEqual(
      tab.all("user").map(({ text, isSteered = false }) => [text, isSteered]),
      [
        ["wait_for_cancel", false],
        ["echo important", false],
        ["wait_for_cancel\n\necho both", false],
      ],
    );
  });

  it("waits in the queue after the turn where the agent never answers, and so does what was said after it", async () => {
    let heard: () => void = () => undefined;
    const isHeard = new Promise<void>((resolve) => (heard = resolve));
    const start = startInProcess({ takesSteering: true }, [], (method, send) => {
      if (method === "_session/steering") heard();
      else send();
    });
    await using agents = new AgentFixture({ startProcess: start });
    const tab = agents.tab({ lateAnswerMs: 1 });
    tab.send("wait_for_cancel");
    await tab.until(() => tab.said === "waiting\n");
    tab.send("echo first");
    tab.send("echo second");
    await isHeard;
    tab.conversation.cancel();
    await tab.until(() => tab.all("turn-end").length === 1);
    const note = "The turn ended before the agent read this message.";
    assert.deepEqual(queueOf(tab), [
      { messageId: "prompt-2", text: "echo first", attachments: [], note },
      { messageId: "prompt-3", text: "echo second", attachments: [], note },
    ]);
    await tab.ask("echo third");
    await tab.until(() => tab.all("turn-end").length === 4);
    assert.deepEqual(
      tab.all("user").map(({ text }) => text),
      ["wait_for_cancel", "echo third", "echo first", "echo second"],
    );
  });

  it("is followed by a card that stops the turn, where the agent stays silent", async () => {
    await using agents = new AgentFixture(steering);
    const tab = agents.tab({ quietMs: 1 });
    tab.send("wait_for_cancel");
    await tab.until(() => tab.said === "waiting\n");
    tab.send("hello?");
    await tab.until(() => tab.all("notice").length === 1);
    const [notice] = tab.all("notice");
    assert.deepEqual(
      [notice?.title, notice?.actions.map(({ id }) => id)],
      ["Scripted hasn't responded since your message", ["stop-turn"]],
    );
    tab.conversation.cancel();
    await tab.until(() => tab.phase === "ready");
    assert.deepEqual(tab.all("notice"), []);
  });
});
