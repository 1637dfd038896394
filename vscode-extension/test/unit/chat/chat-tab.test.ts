import assert from "node:assert/strict";
import { newTabState, newTranscript } from "../../../protocol/index.js";
import { ChatTab } from "../../../src/features/chat/chat-tab.js";
import { ConversationFactory } from "../../../src/features/chat/conversation-factory.js";
import { type TabRecord, TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { Logger } from "@symposium-dev/core";
import { AgentFixture, scripted } from "../acp/conversation-fixture.js";

/** A window whose tabs talk to the scripted agent. */
class Window implements AsyncDisposable {
  isTrusted = true;
  extraArgs: readonly string[] = [];
  problem: Error | undefined;
  readonly ended: string[] = [];
  /** Calls of the window by a tab's start and turn. */
  readonly asked: string[] = [];
  readonly agents = new AgentFixture();
  readonly #factory = new ConversationFactory({
    askFirst: () => Promise.resolve(void this.asked.push("extensions")),
    configurationFor: () => {
      this.asked.push("configuration");
      return this.problem ? Promise.reject(this.problem) : Promise.resolve({ ...scripted, extraArgs: this.extraArgs });
    },
    agents: this.agents.agents,
    signIn: { signIn: () => Promise.resolve(false) },
    toBlocks: () => Promise.resolve([]),
    observers: [{ turnStarted: () => Promise.resolve(void this.asked.push("observer")) }],
    logger: Logger.silent,
    command: () => ({ command: "symposium-acp-agent", args: [], env: {} }),
    folders: () => [process.cwd()],
    chooseFolder: () => Promise.resolve(undefined),
    isTrusted: () => this.isTrusted,
    prepare: () => Promise.resolve(void this.asked.push("installation")),
    checkPlace: () => Promise.resolve(),
    turnEnded: (_tab, stopReason) => this.ended.push(stopReason),
  });

  tab(record: Partial<TabRecord> = {}): ChatTab {
    const transcript = new TabTranscript(newTranscript(newTabState({ id: "scripted", name: "Scripted" })));
    return new ChatTab(
      transcript,
      { tabId: "tab", createdAt: 1, ...record },
      {
        converse: (tab) => this.#factory.converse(tab),
        isUpToDate: (tab, conversation) => this.#factory.isUpToDate(tab, conversation),
        recordChanged: () => undefined,
      },
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.agents[Symbol.asyncDispose]();
  }
}

function until(tab: ChatTab, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!isSo()) return;
      subscription[Symbol.dispose]();
      resolve();
    };
    const subscription = tab.transcript.onChanges(check);
    check();
  });
}

function notices(tab: ChatTab): unknown[] {
  return tab.transcript.transcript.items.flatMap((item) =>
    item.kind === "notice" ? { title: item.title, actions: item.actions.map(({ id }) => id) } : [],
  );
}

const prompt = (text: string): Parameters<ChatTab["prompt"]>[0] => ({ messageId: text, text, attachments: [] });

describe("a tab in Restricted Mode", () => {
  it("starts nothing and says where the workspace is trusted, and goes on once it is", async () => {
    await using window = new Window();
    window.isTrusted = false;
    const tab = window.tab();
    await tab.prompt(prompt("echo hello"), "send");
    assert.deepEqual(notices(tab), [{ title: "Scripted could not be started", actions: ["manage-trust"] }]);
    assert.deepEqual([window.agents.starts, tab.state.queue.length, tab.state.phase], [0, 1, "failed"]);
    window.isTrusted = true;
    await tab.trusted();
    await until(tab, () => tab.transcript.transcript.items.some(({ kind }) => kind === "turn-end"));
    assert.deepEqual([notices(tab), window.ended], [[], ["end_turn"]]);
  });
});

describe("a tab whose agent cannot be had", () => {
  it("shows the latest reason only, and keeps the prompt for when it can", async () => {
    await using window = new Window();
    const tab = window.tab();
    window.problem = new Error("There is no such agent.");
    await tab.prompt(prompt("echo hello"), "send");
    await tab.restart();
    assert.deepEqual(notices(tab), [
      { title: "Scripted could not be started", actions: ["restart", "continue-with", "open-log"] },
    ]);
    window.problem = undefined;
    await tab.restart();
    await until(tab, () => tab.transcript.transcript.items.some(({ kind }) => kind === "turn-end"));
    assert.deepEqual([notices(tab), tab.state.queue], [[], []]);
  });
});

describe("a tab on another machine", () => {
  it("asks for no extension, settings or installation here, and hides its work from what watches this machine", async () => {
    await using window = new Window();
    const tab = window.tab({ machine: { on: "ssh:build", folder: "/srv" } });
    await tab.prompt(prompt("echo hello"), "send");
    await until(tab, () => window.ended.length === 1);
    assert.deepEqual([tab.conversation?.configuration.machine?.on, window.asked], ["ssh:build", []]);
    await window.tab().start();
    assert.deepEqual(window.asked, ["extensions", "configuration", "installation"]);
  });
});

describe("a tab of a session in the host", () => {
  it("runs in the host even if new tabs don't", async () => {
    await using window = new Window();
    const tab = window.tab({ isHosted: true });
    await tab.start();
    assert.equal(tab.conversation?.configuration.isHosted, true);
  });
});

describe("a tab that comes back", () => {
  it("has its agent started when the user begins to write", async () => {
    await using window = new Window();
    const tab = window.tab({ sessionId: "session-old" });
    tab.transcript.publish({ op: "tab", patch: { phase: "ready" } });
    tab.setDraft({ text: "ec", attachments: [] });
    await until(tab, () => window.agents.starts === 1 && tab.state.phase === "ready");
    assert.equal(window.agents.starts, 1);
  });
});

describe("a tab whose settings change", () => {
  it("offers a restart, takes the offer back, and restarts as the settings say", async () => {
    await using window = new Window();
    const tab = window.tab();
    await tab.start();
    window.extraArgs = ["--log", "debug"];
    await tab.checkSettings();
    await tab.checkSettings();
    assert.deepEqual(notices(tab), [{ title: "Settings changed", actions: ["restart"] }]);
    window.extraArgs = [];
    await tab.checkSettings();
    assert.deepEqual(notices(tab), []);
    window.extraArgs = ["--log", "debug"];
    await tab.checkSettings();
    await tab.restart();
    assert.deepEqual([notices(tab), window.agents.starts], [[], 2]);
    assert.deepEqual(tab.conversation?.configuration.extraArgs, ["--log", "debug"]);
  });
});

describe("a prompt that is sent while its tab is restarted", () => {
  for (const extraArgs of [[], ["--log", "debug"]]) {
    it(`is answered by the agent that comes up, with settings that are ${extraArgs.length === 0 ? "the same" : "others"}`, async () => {
      await using window = new Window();
      const tab = window.tab();
      await tab.start();
      window.extraArgs = extraArgs;
      await Promise.all([tab.restart(), tab.prompt(prompt("echo hello"), "send")]);
      await until(tab, () => window.ended.length > 0);
      assert.deepEqual([window.ended, window.agents.starts, tab.state.queue], [["end_turn"], 2, []]);
      assert.deepEqual(tab.conversation?.configuration.extraArgs, extraArgs);
    });
  }
});

describe("the title of a tab", () => {
  it("is the first prompt's first line, until the agent or the user says better", async () => {
    await using window = new Window();
    const tab = window.tab();
    await tab.prompt(prompt("echo one\necho two"), "send");
    const titles = [tab.state.title];
    tab.setAgentTitle("About echoes");
    titles.push(tab.state.title);
    tab.rename("  Mine ");
    tab.setAgentTitle("Not mine");
    assert.deepEqual([...titles, tab.state.title], ["echo one", "About echoes", "Mine"]);
  });
});
