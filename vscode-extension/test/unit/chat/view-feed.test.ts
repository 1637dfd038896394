import assert from "node:assert/strict";
import fc from "fast-check";
import type { Change, ToWebview } from "../../../protocol/index.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { type FedTab, type FeedSource, ViewFeed } from "../../../src/features/chat/view-feed.js";
import { noSettings } from "../../../webview/chat/state/chat-store.js";
import { anyChange, emptyTranscript } from "./change-samples.js";
import { Page } from "./page.js";

interface Chat {
  readonly feed: ViewFeed;
  readonly transcript: TabTranscript;
  /** Ids of the queued prompts that pages edit, as the feed reports them to the tab. */
  readonly edited: readonly (string | undefined)[];
}

/** A feed with one tab of the id `tab`. */
function chat(): Chat {
  const transcript = new TabTranscript(emptyTranscript());
  const edited: (string | undefined)[] = [];
  const setEdited = (messageId: string | undefined): number => edited.push(messageId);
  const tab: FedTab = { tabId: "tab", transcript, draft: undefined, place: undefined, setEdited };
  const source: FeedSource = { tabIds: ["tab"], selected: "tab", tabs: [tab], settings: noSettings };
  const feed = new ViewFeed(source);
  feed.add(tab);
  return { feed, transcript, edited };
}

const put = (id: string, text: string): Change => ({ op: "put", item: { kind: "text", id, text } });

/** Terminals are sent with the items that show them; without such items only the items count. */
function shown(page: Page): unknown {
  const tab = page.tabs.get("tab");
  return tab && { items: tab.transcript.items, state: tab.transcript.state, index: tab.index };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("the feed of the chat page", () => {
  it("ends what was edited in the queue when the page goes, is loaded anew or shows the tab no longer", () => {
    const { feed, edited } = chat();
    const page = new Page();
    feed.pageReady(page.post, {});
    const loaded = edited.length;
    feed.pageReady(page.post, { tab: 0 });
    const asked = edited.length;
    feed.pageGone();
    const gone = edited.length;
    feed.remove("tab");
    assert.deepEqual([loaded, asked, gone, edited], [1, 1, 2, [undefined, undefined, undefined]]);
  });

  it("brings a page to the state of the transcript, whenever the page comes and however changes are batched", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyChange, { maxLength: 40 }),
        fc.nat(40),
        fc.array(fc.nat(40), { maxLength: 4 }),
        fc.boolean(),
        async (changes, arrival, flushes, isSlow) => {
          const { feed, transcript } = chat();
          const page = new Page(isSlow);
          for (const [at, change] of changes.entries()) {
            if (at === arrival) feed.pageReady(page.post, {});
            transcript.publish(change);
            if (flushes.includes(at)) transcript.flush();
          }
          if (arrival >= changes.length) feed.pageReady(page.post, {});
          transcript.flush();
          for (let round = 0; round < 4; round++) {
            page.take();
            await settle();
          }
          const { items, state } = transcript.transcript;
          assert.deepEqual(shown(page), { items, state, index: transcript.index });
        },
      ),
      { numRuns: 200 },
    );
  });

  it("tells a page its settings, its tabs, and then each tab", () => {
    const { feed } = chat();
    const page = new Page();
    feed.pageReady(page.post, {});
    assert.deepEqual(
      page.messages.map(({ type }) => type),
      ["settings", "tabs", "snapshot"],
    );
  });

  it("sends nothing while there is no page, and all of it when there is one again", async () => {
    const { feed, transcript } = chat();
    const first = new Page();
    feed.pageReady(first.post, {});
    feed.pageGone();
    transcript.publish(put("a", "while hidden"));
    transcript.flush();
    assert.equal(first.messages.length, 3);
    const second = new Page();
    feed.pageReady(second.post, {});
    await settle();
    assert.deepEqual(second.tabs.get("tab")?.transcript.items, transcript.transcript.items);
  });

  it("sends a page everything although the one before never answered its last batch", async () => {
    const { feed, transcript } = chat();
    const first = new Page();
    const never = new Promise<boolean>(() => undefined);
    feed.pageReady((message) => (message.type === "changes" ? never : first.post(message)), {});
    transcript.publish(put("a", "lost with its page"));
    transcript.flush();
    feed.pageGone();
    const second = new Page();
    feed.pageReady(second.post, {});
    transcript.publish(put("b", "after it"));
    transcript.flush();
    await settle();
    assert.deepEqual(second.tabs.get("tab")?.transcript.items, transcript.transcript.items);
  });

  it("sends a page that still shows a tab only what it has missed", async () => {
    const { feed, transcript } = chat();
    const page = new Page();
    feed.pageReady(page.post, {});
    transcript.publish(put("a", "seen"));
    transcript.flush();
    await settle();
    const { lastSeen } = page;
    feed.pageGone();
    transcript.publish({ op: "append", id: "a", text: ", missed" });
    transcript.flush();
    feed.pageReady(page.post, lastSeen);
    await settle();
    assert.deepEqual(page.messages.at(-1), {
      type: "changes",
      tabId: "tab",
      index: 2,
      changes: [{ op: "append", id: "a", text: ", missed" }],
    });
  });

  it("waits for a slow page and merges what comes meanwhile into one message", async () => {
    const { feed, transcript } = chat();
    const page = new Page(true);
    feed.pageReady(page.post, {});
    page.take();
    for (const text of ["a", "b", "c", "d"]) {
      transcript.publish(put(text, text));
      transcript.flush();
    }
    for (let round = 0; round < 3; round++) {
      page.take();
      await settle();
    }
    const batches = page.messages.filter((message) => message.type === "changes");
    assert.deepEqual(
      batches.map(({ index, changes }) => [index, changes.length]),
      [
        [1, 1],
        [4, 3],
      ],
    );
  });

  it("gives a page up that no longer takes messages", async () => {
    const { feed, transcript } = chat();
    const taken: ToWebview[] = [];
    feed.pageReady((message) => {
      taken.push(message);
      return Promise.resolve(false);
    }, {});
    await settle();
    transcript.publish(put("a", ""));
    transcript.flush();
    assert.equal(feed.hasPage, false);
    assert.equal(taken.length, 3);
  });

  it("sends the last 200 items first, and older ones as they are when they are asked for", async () => {
    const { feed, transcript } = chat();
    for (let at = 0; at < 500; at++) transcript.publish(put(`item-${at}`, "old"));
    const page = new Page();
    feed.pageReady(page.post, {});
    const snapshot = page.tabs.get("tab");
    assert.deepEqual([snapshot?.transcript.items.length, snapshot?.total], [200, 500]);
    transcript.publish(put("item-0", "changed meanwhile"));
    transcript.flush();
    await settle();
    assert.deepEqual(shown(page), {
      items: transcript.transcript.items.slice(-200),
      state: transcript.transcript.state,
      index: transcript.index,
    });
    feed.sendOlder("tab", "item-300", 300);
    const older = page.messages.at(-1);
    assert.ok(older?.type === "older-items");
    assert.equal(older.items.length, 300);
    assert.deepEqual(older.items[0], { kind: "text", id: "item-0", text: "changed meanwhile" });
  });
});
