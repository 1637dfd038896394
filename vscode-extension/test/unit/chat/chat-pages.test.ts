import assert from "node:assert/strict";
import type { Position, ToWebview } from "../../../protocol/index.js";
import { ChatPages, type PagesSource } from "../../../src/features/chat/chat-pages.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { noSettings } from "../../../webview/chat/state/chat-store.js";
import { emptyTranscript } from "./change-samples.js";

/** A page that notes what it is told, in short. */
function page(): { readonly told: string[]; readonly post: (message: ToWebview) => Promise<boolean> } {
  const told: string[] = [];
  return {
    told,
    post: (message) => {
      if (message.type === "tabs") told.push(`tabs ${message.tabIds.join()} of which ${message.selected ?? "none"}`);
      else if (message.type === "snapshot") {
        const { tabId, draft, place } = message;
        told.push(["snapshot", tabId, draft?.text ?? [], place?.key ?? []].flat().join(" "));
      } else told.push(message.type);
      return Promise.resolve(true);
    },
  };
}

describe("the pages of the chat", () => {
  interface SampleTab {
    readonly tabId: string;
    readonly transcript: TabTranscript;
    draft: { text: string; attachments: [] } | undefined;
    place: Position | undefined;
    setEdited(): void;
  }
  const sample = (tabId: string): SampleTab => ({
    tabId,
    transcript: new TabTranscript(emptyTranscript()),
    draft: undefined,
    place: undefined,
    setEdited: () => undefined,
  });
  const sourceOf = (tabs: readonly SampleTab[], selectedInPanel: string): PagesSource => ({
    tabIds: tabs.map(({ tabId }) => tabId),
    tabs,
    selectedInPanel,
    settings: noSettings,
  });

  it("deliver what is told only once to the next page of a tab, where one is gone before it gets it", async () => {
    const pages = new ChatPages(sourceOf([sample("a")], "a"));
    const [gone, next] = [page(), page()];
    pages.panel.pageReady((message) => (message.type === "add-text" ? Promise.resolve(false) : gone.post(message)), {});
    const delivered = pages.deliver("a", { type: "add-text", tabId: "a", text: "words" });
    await new Promise((resolve) => setImmediate(resolve));
    pages.panel.pageReady(next.post, {});
    await delivered;
    assert.deepEqual(next.told.at(-1), "add-text");
  });

  it("deliver nothing to a tab that is closed", async () => {
    const pages = new ChatPages(sourceOf([], "a"));
    await pages.deliver("a", { type: "add-text", tabId: "a", text: "words" });
    assert.equal(pages.panel.hasPage, false);
  });

  it("show a tab that is moved on a page of its own, with its draft and place, and the panel's no longer", () => {
    const tabs = [sample("a"), sample("b")];
    const pages = new ChatPages(sourceOf(tabs, "a"));
    for (const tab of tabs) pages.add(tab);
    const [panel, editor] = [page(), page()];
    pages.panel.pageReady(panel.post, {});
    panel.told.length = 0;
    for (const tab of tabs)
      [tab.draft, tab.place] = [
        { text: "draft", attachments: [] },
        { key: "row", offset: 3 },
      ];
    pages.toEditor("b");
    pages.of("b").pageReady(editor.post, {});
    assert.deepEqual(
      [panel.told, editor.told],
      [["tabs a of which a"], ["settings", "tabs b of which b", "snapshot b draft row"]],
    );
    panel.told.length = 0;
    pages.toPanel("b");
    assert.deepEqual(panel.told, ["tabs a,b of which a", "snapshot b draft row"]);
    assert.equal(pages.of("b"), pages.panel);
  });

  it("never tell the panel of a selection that it does not have", () => {
    const tabs = [sample("a"), sample("b")];
    const pages = new ChatPages(sourceOf(tabs, "b"));
    for (const tab of tabs) pages.add(tab);
    const panel = page();
    pages.panel.pageReady(panel.post, {});
    panel.told.length = 0;
    pages.toEditor("b");
    assert.deepEqual(panel.told, ["tabs a of which none"]);
  });

  it("keep nobody waiting for an editor that is closed before its page loads", async () => {
    const tabs = [sample("a"), sample("b")];
    const pages = new ChatPages(sourceOf(tabs, "a"));
    for (const tab of tabs) pages.add(tab);
    const waits = tabs.map(({ tabId }) => {
      pages.toEditor(tabId);
      return pages.of(tabId).whenReady();
    });
    pages.toPanel("a");
    pages.remove("b");
    await Promise.all(waits);
  });

  it("tell each change to the page that shows its tab, and settings to all", () => {
    const tabs = [sample("a"), sample("b")];
    const pages = new ChatPages(sourceOf(tabs, "a"));
    for (const tab of tabs) pages.add(tab);
    pages.toEditor("b");
    const [panel, editor] = [page(), page()];
    pages.panel.pageReady(panel.post, {});
    pages.of("b").pageReady(editor.post, {});
    for (const { told } of [panel, editor]) told.length = 0;
    tabs[1]?.transcript.publish({ op: "tab", patch: { title: "B" } });
    tabs[1]?.transcript.flush();
    pages.sendSettings();
    assert.deepEqual([panel.told, editor.told], [["settings"], ["changes", "settings"]]);
  });

  it("keep a place for a tab that is still to be restored", () => {
    const tabs: SampleTab[] = [];
    const pages = new ChatPages(sourceOf(tabs, "a"));
    pages.toEditor("late");
    const editor = page();
    pages.of("late").pageReady(editor.post, {});
    const late = sample("late");
    tabs.push(late);
    pages.add(late);
    assert.equal(editor.told.at(-1), "snapshot late");
    pages.remove("late");
    assert.equal(pages.isInEditor("late"), false);
  });

  it("have a panel that was hidden meanwhile forget what it remembers of a tab that went and came back", () => {
    const tabs = [sample("a"), sample("b")];
    const pages = new ChatPages(sourceOf(tabs, "a"));
    for (const tab of tabs) pages.add(tab);
    pages.toEditor("b");
    pages.toPanel("b");
    const shown = (): string[] => {
      const panel = page();
      pages.panel.pageReady(panel.post, {});
      return panel.told.filter((told) => told.startsWith("tabs"));
    };
    assert.deepEqual(shown(), ["tabs a of which a", "tabs a,b of which a"]);
    pages.panel.pageGone();
    assert.deepEqual(shown(), ["tabs a,b of which a"]);
  });
});
