import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatTabHooks } from "../../../src/features/chat/chat-tab.js";
import { ChatTabs, type StoredTab } from "../../../src/features/chat/chat-tabs.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { AgentFixture } from "../acp/conversation-fixture.js";
import { noSettings } from "../../../webview/chat/state/chat-store.js";
import { emptyTranscript } from "./change-samples.js";

describe("the tabs of a window", () => {
  /** Tabs that need no agent; `phases` gets the phase of each tab whenever they say that something has changed. */
  function tabsOf(
    phases: string[],
    converse: ChatTabHooks["converse"] = () => Promise.reject(new Error("No agent is needed here.")),
  ): ChatTabs {
    const nothing = (): void => undefined;
    const tabs: ChatTabs = new ChatTabs({
      store: { add: nothing, recordChanged: nothing, orderChanged: nothing, closed: () => Promise.resolve() },
      conversations: {
        converse,
        isUpToDate: () => Promise.resolve(true),
      },
      viewSettings: () => noSettings,
      agent: () => ({ id: "eliza", name: "Eliza" }),
      changed: () => phases.push(tabs.tabs.map(({ state }) => state.phase).join()),
      closing: nothing,
      openInEditor: (tabId) => tabs.toEditor(tabId),
    });
    return tabs;
  }

  it("say when a turn begins and when it ends, and nothing of a tab that was closed", async () => {
    const phases: string[] = [];
    const tabs = tabsOf(phases);
    const transcript = new TabTranscript(emptyTranscript());
    tabs.restore({ record: { tabId: "tab", createdAt: 1 }, transcript });
    phases.length = 0;
    for (const phase of ["running", "ready"]) {
      transcript.publish({ op: "tab", patch: { phase } });
      transcript.publish({ op: "put", item: { kind: "text", id: phase, text: "…" } });
      transcript.flush();
      transcript.publish({ op: "append", id: phase, text: "more" });
      transcript.flush();
    }
    await tabs.close("tab");
    transcript.publish({ op: "tab", patch: { phase: "running" } });
    transcript.flush();
    assert.deepEqual(phases, ["running", "ready", ""]);
  });

  it("are closed without sending the waiting prompt that is being edited", async () => {
    await using agents = new AgentFixture();
    const tabs = tabsOf([], ({ transcript: target }) => Promise.resolve(agents.tab({ target }).conversation));
    const tab = tabs.restore({
      record: { tabId: "tab", createdAt: 1 },
      transcript: new TabTranscript(emptyTranscript()),
    });
    await tab.start();
    const edited = { messageId: "edited", text: "echo half", attachments: [] };
    tab.setEdited(edited.messageId);
    await tab.prompt(edited, "send");
    const { items, state } = tab.transcript.transcript;
    assert.deepEqual([items, state.phase, state.queue], [[], "ready", [edited]]);
    await tabs.close("tab");
    assert.deepEqual([tab.transcript.transcript.items, tab.state.queue], [[], [edited]]);
  });

  it("start their agent at once if it works in the host", async () => {
    const started: string[] = [];
    const tabs = tabsOf([], ({ tabId }) => {
      started.push(tabId);
      return Promise.reject(new Error("No agent is needed here."));
    });
    for (const [tabId, runsInHost] of [
      ["running", true],
      ["over", false],
    ] as const) {
      const transcript = new TabTranscript(emptyTranscript());
      tabs.restore({ record: { tabId, createdAt: 1 }, transcript, runsInHost });
      await tabs.close(tabId);
    }
    assert.deepEqual(started, ["running"]);
  });

  it("are there once, however often one is asked for", async () => {
    const tabs = tabsOf([]);
    const stored = (): StoredTab => ({
      record: { tabId: "tab", createdAt: 1 },
      transcript: new TabTranscript(emptyTranscript()),
    });
    assert.equal(tabs.restore(stored()), tabs.restore(stored()));
    await tabs.close("tab");
  });

  it("fork at once, and from a session that knows what was said", async () => {
    const tabs = tabsOf([]);
    const transcript = new TabTranscript(emptyTranscript());
    const branch = { sessionId: "before", isWhole: true, options: [] };
    const told = { tabId: "told", createdAt: 1, sessionId: "session" };
    const from = tabs.restore({ record: { ...told, branch }, transcript });
    transcript.publish({ op: "put", item: { kind: "user", id: "asked", text: "Ask", attachments: [] } });
    transcript.publish({ op: "put", item: { kind: "turn-end", id: "end", stopReason: "end_turn" } });
    tabs.fork(from, 1, "untold fork");
    from.told();
    tabs.fork(from, 1, "fork");
    assert.deepEqual(
      tabs.tabs.map(({ record }) => record.branch?.sessionId),
      [undefined, "session", undefined],
    );
    const [, ...forks] = tabs.tabs;
    for (const tabId of ["told", "untold fork", "fork"]) await tabs.close(tabId);
    // Their agent was asked for.
    assert.deepEqual(
      forks.map(({ state }) => state.phase),
      ["failed", "failed"],
    );
  });

  it("go back to before a prompt, which waits in the new tab, and leave the old one as it is", async () => {
    const tabs = tabsOf([]);
    const transcript = new TabTranscript(emptyTranscript());
    const from = tabs.restore({ record: { tabId: "old", createdAt: 1, sessionId: "session" }, transcript });
    for (const id of ["first", "second"])
      transcript.publish({ op: "put", item: { kind: "user", id, text: `Ask ${id}`, attachments: [] } });
    tabs.goBack(from, "second", "new");
    const back = tabs.tab("new");
    assert.deepEqual(
      [back?.draft?.text, back?.transcript.transcript.items.map(({ id }) => id), back?.record.branch?.sessionId],
      ["Ask second", ["first"], "session"],
    );
    assert.deepEqual(
      from.transcript.transcript.items.map(({ id }) => id),
      ["first", "second"],
    );
    assert.equal(tabs.selected, "new");
    for (const tabId of ["old", "new"]) await tabs.close(tabId);
  });

  it("name the folder of an earlier conversation, also where nothing of it is left before the prompt", async () => {
    const tabs = tabsOf([]);
    const transcript = new TabTranscript(emptyTranscript());
    const folder = join(tmpdir(), "elsewhere");
    const from = tabs.restore({ record: { tabId: "old", createdAt: 1, sessionId: "session", folder }, transcript });
    transcript.publish({ op: "put", item: { kind: "user", id: "first", text: "Ask", attachments: [] } });
    tabs.goBack(from, "first", "new");
    assert.deepEqual(
      tabs.tabs.map(({ state, transcript: { transcript: shown } }) => [state.folder, shown.items.length]),
      [
        ["elsewhere", 1],
        ["elsewhere", 0],
      ],
    );
    for (const tabId of ["old", "new"]) await tabs.close(tabId);
  });

  describe("in editors", () => {
    function three(): ChatTabs {
      const tabs = tabsOf([]);
      for (const tabId of ["a", "b", "c"])
        tabs.restore({ record: { tabId, createdAt: 1 }, transcript: new TabTranscript(emptyTranscript()) });
      tabs.select("b");
      return tabs;
    }
    const state = ({ selected, selectedInPanel }: ChatTabs): unknown => [selected, selectedInPanel];

    it("leave the panel to a neighbour, and come back to their place", () => {
      const tabs = three();
      tabs.toEditor("b");
      tabs.select("b");
      const moved = state(tabs);
      tabs.toPanel("b");
      assert.deepEqual(
        [moved, state(tabs), tabs.tabIds],
        [
          ["b", "c"],
          ["c", "c"],
          ["a", "b", "c"],
        ],
      );
    });

    it("are what commands are about while the user was in them last, and the panel's tab after that", () => {
      const tabs = three();
      tabs.toEditor("a");
      const seen = [state(tabs)];
      for (const page of ["a", undefined, "a", "gone"]) {
        tabs.focused(page);
        seen.push(state(tabs));
      }
      assert.deepEqual(seen, [
        ["b", "b"],
        ["a", "b"],
        ["b", "b"],
        ["a", "b"],
        ["a", "b"],
      ]);
    });

    it("are selected in the panel when they come back to an empty one", () => {
      const tabs = three();
      for (const tabId of ["a", "b", "c"]) tabs.toEditor(tabId);
      const empty = state(tabs);
      tabs.toPanel("c");
      assert.deepEqual(
        [empty, state(tabs)],
        [
          [undefined, undefined],
          ["c", "c"],
        ],
      );
    });

    it("are closed without another change of the panel", async () => {
      const tabs = three();
      tabs.toEditor("a");
      tabs.select("a");
      await tabs.close("a");
      assert.deepEqual(
        [state(tabs), tabs.tabIds],
        [
          ["b", "b"],
          ["b", "c"],
        ],
      );
    });

    it("have what goes on from them in editors, too", async () => {
      const tabs = three();
      const from = tabs.tab("a");
      from?.transcript.publish({ op: "put", item: { kind: "user", id: "asked", text: "Ask", attachments: [] } });
      tabs.toEditor("a");
      if (from) tabs.goBack(from, "asked", "back");
      assert.deepEqual([tabs.tabIds, tabs.pages.isInEditor("back")], [["a", "back", "b", "c"], true]);
      for (const tabId of ["a", "back"]) await tabs.close(tabId);
    });

    it("are awaited by their editors before they are restored", () => {
      const tabs = tabsOf([]);
      tabs.toEditor("a");
      tabs.announce(["a", "b"], "a");
      assert.deepEqual(
        [tabs.tabIds, state(tabs)],
        [
          ["a", "b"],
          ["a", "b"],
        ],
      );
    });

    it("do not take the commands from the tab that the user is in while others are still to be restored", () => {
      const tabs = three();
      tabs.toEditor("late");
      tabs.announce(["late"], "late");
      assert.deepEqual(state(tabs), ["b", "b"]);
    });
  });
});
