import assert from "node:assert/strict";
import { Logger } from "@symposium-dev/core";
import { newTabState, newTranscript } from "../../../protocol/index.js";
import type { AbilitySession, ClientAbility } from "../../../src/acp/client-abilities.js";
import { type ObservedToolCall, SessionObservers } from "../../../src/acp/session-observers.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { type SeenRequest, startInProcess } from "./agent-in-process.js";
import { AgentFixture } from "./conversation-fixture.js";

describe("prompts that wait", () => {
  it("are sent in the order in which they came, also those that came before the agent was there", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    for (const text of ["echo one", "echo two", "echo three"]) tab.send(text);
    await tab.until(() => tab.all("turn-end").length === 3);
    assert.equal(tab.said, "one\ntwo\nthree\n");
  });

  it("are not sent by themselves where they come from an earlier window, and follow what the user sends", async () => {
    await using agents = new AgentFixture();
    const target = new TabTranscript(newTranscript(newTabState({ id: "scripted", name: "Scripted" })));
    target.publish({ op: "tab", patch: { queue: [{ messageId: "old", text: "echo old", attachments: [] }] } });
    const tab = agents.tab({ target, isQueueHeld: true });
    await tab.conversation.start();
    assert.deepEqual([tab.items, target.transcript.state.queue.length], [[], 1]);
    tab.send("echo new");
    await tab.until(() => tab.all("turn-end").length === 2);
    assert.equal(tab.said, "new\nold\n");
  });

  it("can be changed and taken back before they are sent", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    tab.send("wait_for_cancel");
    await tab.until(() => tab.said === "waiting\n");
    const [first, second] = [tab.send("echo first"), tab.send("echo second")];
    tab.conversation.queue.edit(first.messageId, "echo changed");
    tab.conversation.queue.remove(second.messageId);
    assert.deepEqual(tab.transcript.transcript.state.queue, [{ ...first, text: "echo changed" }]);
    tab.conversation.sendNow(first.messageId);
    await tab.until(() => tab.all("turn-end").length === 2 && tab.phase === "ready");
    assert.match(tab.said, /cancelled by session\/cancel\nchanged\n$/);
  });

  it("wait while one is edited, with those behind it, and not what the user sends meanwhile", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    const ends = (count: number) => tab.until(() => tab.all("turn-end").length === count && tab.phase === "ready");
    tab.send("wait_for_cancel");
    await tab.until(() => tab.said === "waiting\n");
    const edited = tab.send("echo edited");
    tab.send("echo behind");
    tab.conversation.setEdited(edited.messageId);
    tab.send("echo now", "now");
    await ends(2);
    assert.equal(tab.transcript.transcript.state.queue.length, 2);
    tab.send("echo meanwhile");
    await ends(3);
    tab.conversation.queue.edit(edited.messageId, "echo saved");
    tab.conversation.setEdited(undefined);
    await ends(5);
    assert.match(tab.said, /now\nmeanwhile\nsaved\nbehind\n$/);
  });

  it("go behind what the user sends while one is edited, also while the last turn is still wound up", async () => {
    await using agents = new AgentFixture();
    let windUp = (): void => undefined;
    const woundUp = new Promise<void>((resolve) => (windUp = resolve));
    const tab = agents.tab({ observers: new SessionObservers([{ turnEnded: () => woundUp }], Logger.silent) });
    tab.send("echo one");
    const edited = tab.send("echo edited");
    tab.conversation.setEdited(edited.messageId);
    await tab.until(() => tab.all("turn-end").length === 1 && tab.phase === "ready");
    const meanwhile = tab.send("echo meanwhile");
    assert.deepEqual(tab.transcript.transcript.state.queue, [meanwhile, edited]);
    windUp();
    await tab.until(() => tab.all("turn-end").length === 2 && tab.phase === "ready");
    assert.equal(tab.said, "one\nmeanwhile\n");
  });

  it("go before the others, and end the running turn, when the user wants one sent now", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    tab.send("wait_for_cancel");
    await tab.until(() => tab.said === "waiting\n");
    tab.send("echo later");
    tab.send("echo now", "now");
    await tab.until(() => tab.all("turn-end").length === 3 && tab.phase === "ready");
    assert.match(tab.said, /cancelled by session\/cancel\nnow\nlater\n$/);
  });
});

describe("a request of the agent that waits for the user", () => {
  it("is answered as cancelled when the turn is stopped, and the turn ends", async () => {
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const permissions: ClientAbility = {
      capabilities: {},
      requests: {
        "session/request_permission": ({ signal }) => {
          asked();
          return new Promise((resolve) =>
            signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } })),
          );
        },
      },
    };
    await using agents = new AgentFixture({ abilities: [permissions] });
    const tab = agents.tab();
    tab.send("permission");
    await isAsked;
    tab.conversation.cancel();
    await tab.until(() => tab.phase === "ready");
    assert.deepEqual(
      [tab.all("turn-end").map(({ stopReason }) => stopReason), tab.all("tool").map(({ status }) => status)],
      [["cancelled"], ["failed"]],
    );
  });

  it("does not count as the agent's time, nor does what the prompt waited for", async () => {
    let [now, answered] = [0, 0];
    const permissions: ClientAbility = {
      capabilities: {},
      requests: {
        "session/request_permission": ({ session }) => {
          now += 20;
          session?.publish({ op: "tab", patch: { waiting: 1 } });
          now += 3_000;
          session?.publish({ op: "tab", patch: { waiting: 0 } });
          now += 1;
          answered++;
          return Promise.resolve({ outcome: { outcome: "cancelled" } });
        },
      },
    };
    await using agents = new AgentFixture({ abilities: [permissions] });
    const setUp = { turnStarted: () => void (now += 60_000) };
    const observers = new SessionObservers([setUp], Logger.silent);
    const tab = agents.tab({ now: () => now, observers });
    await tab.ask("permission");
    assert.deepEqual([answered, tab.all("turn-end").map(({ durationMs }) => durationMs)], [1, [21]]);
  });

  it("never hangs when nobody here knows it", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    await tab.ask("callbacks");
    assert.deepEqual(
      tab.all("turn-end").map(({ stopReason }) => stopReason),
      ["end_turn"],
    );
    assert.match(tab.said, /-32601/);
  });
});

describe("what the session lets the user choose", () => {
  it("is changed at the agent, and shown as it answers", async () => {
    const seen: SeenRequest[] = [];
    await using agents = new AgentFixture({ startProcess: startInProcess({}, seen) });
    const tab = agents.tab();
    await tab.conversation.start();
    await tab.conversation.setOption("model", "large");
    await tab.conversation.setOption("symposium:mode", "code");
    const { options } = tab.transcript.transcript.state;
    assert.deepEqual(
      options.map(({ id, value }) => [id, value]),
      [
        ["symposium:mode", "code"],
        ["model", "large"],
        ["verbose", false],
      ],
    );
    assert.deepEqual(
      seen.filter(({ method }) => method.startsWith("session/set")).map(({ method, params }) => [method, params]),
      [
        ["session/set_config_option", { sessionId: "session-1", configId: "model", value: "large" }],
        ["session/set_mode", { sessionId: "session-1", modeId: "code" }],
      ],
    );
  });

  it("stays as it was when the agent refuses, which is said", async () => {
    await using agents = new AgentFixture({ startProcess: startInProcess({}) });
    const tab = agents.tab();
    await tab.conversation.start();
    await tab.conversation.setOption("gone", "x");
    assert.deepEqual(
      tab.all("notice").map(({ title, text }) => [title, text]),
      [["gone could not be changed", "The agent no longer offers it."]],
    );
  });
});

describe("a prompt that the agent refuses until the user signs in", () => {
  it("is sent once more after the sign-in, and no third time", async () => {
    const seen: SeenRequest[] = [];
    await using agents = new AgentFixture({ startProcess: startInProcess({}, seen) });
    let signIns = 0;
    const tab = agents.tab({ signIn: { signIn: () => Promise.resolve(++signIns > 0) } });
    await tab.ask("error -32000 Please sign in");
    assert.equal(signIns, 1);
    assert.equal(seen.filter(({ method }) => method === "session/prompt").length, 2);
    assert.deepEqual(
      tab.all("notice").map(({ title }) => title),
      ["Scripted could not answer"],
    );
  });
});

describe("features that follow a session", () => {
  it("hear of its turns, tool calls and end, and hinder nothing when they fail", async () => {
    await using agents = new AgentFixture();
    const heard: string[] = [];
    const failing = (): never => {
      throw new Error("It broke.");
    };
    const broken = { turnStarted: failing, toolCall: failing, turnEnded: failing, sessionEnded: failing };
    const following = {
      turnStarted: (_session: AbilitySession, itemId: string) => void heard.push(`started ${itemId}`),
      toolCall: (_session: AbilitySession, { id, status }: ObservedToolCall) => void heard.push(`${id} ${status}`),
      turnEnded: () => void heard.push("ended"),
      sessionEnded: ({ sessionId }: AbilitySession) => void heard.push(`${sessionId} is over`),
    };
    const tab = agents.tab({ observers: new SessionObservers([broken, following], Logger.silent) });
    await tab.ask("permission");
    await tab.conversation.close();
    assert.deepEqual(tab.all("notice"), []);
    assert.deepEqual(heard, [
      "started prompt-1",
      "call-permission pending",
      "call-permission failed",
      "ended",
      "session-1 is over",
    ]);
  });
});

describe("a turn that breaks the rules", () => {
  it("goes on through lines that are no messages", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    await tab.ask("garbage");
    assert.equal(tab.said, "before the garbage\nafter the garbage\n");
  });

  it("ends with its answer where the agent sends everything that there is, each part shown", async () => {
    await using agents = new AgentFixture();
    const tab = agents.tab();
    await tab.ask("updates\ncontent\ntool_calls\nplan\nusage\necho done");
    assert.match(tab.said, /done\n$/);
    const kinds = new Set(tab.items.map(({ kind }) => kind));
    for (const kind of ["text", "thought", "content", "tool", "plan", "notice", "unknown", "turn-end"] as const)
      assert.ok(kinds.has(kind), kind);
    const { inputTokens, outputTokens } = tab.all("turn-end")[0] ?? {};
    assert.deepEqual({ inputTokens, outputTokens }, { inputTokens: 20, outputTokens: 10 });
    assert.deepEqual(tab.transcript.transcript.state.usage?.size, 200_000);
  });
});
