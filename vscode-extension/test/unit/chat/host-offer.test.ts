import assert from "node:assert/strict";
import { ChatTabs } from "../../../src/features/chat/chat-tabs.js";
import { HostOffer } from "../../../src/features/chat/host-offer.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { noSettings } from "../../../webview/chat/state/chat-store.js";
import { emptyTranscript } from "./change-samples.js";

describe("the offer of the host", () => {
  /** Restores a tab for each stop reason; returns the number of offers and what the user's `yes` writes. */
  async function restored(
    stopReasons: readonly string[],
    { choice = "", isHosted = false } = {},
  ): Promise<readonly [number, readonly string[]]> {
    const memory = new Map<string, unknown>();
    const written: string[] = [];
    let offers = 0;
    const offer = new HostOffer({
      memory: { get: (key) => memory.get(key), update: (key, value) => Promise.resolve(void memory.set(key, value)) },
      choice: () => choice,
      notify: () => Promise.resolve(++offers > 0),
      turnOn: () => Promise.resolve(void written.push("on")),
    });
    const offered: Promise<void>[] = [];
    const nothing = (): void => undefined;
    const tabs = new ChatTabs({
      isHosted: () => isHosted,
      interrupted: () => offered.push(offer.interrupted()),
      store: { add: nothing, recordChanged: nothing, orderChanged: nothing, closed: () => Promise.resolve() },
      conversations: { converse: () => Promise.reject(new Error("none")), isUpToDate: () => Promise.resolve(true) },
      viewSettings: () => noSettings,
      agent: () => ({ id: "eliza", name: "Eliza" }),
      changed: nothing,
      closing: nothing,
      openInEditor: nothing,
    });
    for (const [index, stopReason] of stopReasons.entries()) {
      const transcript = new TabTranscript(emptyTranscript());
      transcript.publish({ op: "put", item: { kind: "turn-end", id: "end", stopReason } });
      tabs.restore({ record: { tabId: `tab-${index}`, createdAt: 1 }, transcript });
    }
    await Promise.all(offered);
    for (const id of [...tabs.tabIds]) await tabs.close(id);
    return [offers, written];
  }

  it("comes once, for a turn that was interrupted, and writes the setting", async () => {
    assert.deepEqual(await restored(["end_turn"]), [0, []]);
    assert.deepEqual(await restored(["interrupted", "interrupted"]), [1, ["on"]]);
  });

  it("does not come with a host, or if the user has chosen none", async () => {
    assert.deepEqual(await restored(["interrupted"], { choice: "off" }), [0, []]);
    assert.deepEqual(await restored(["interrupted"], { isHosted: true }), [0, []]);
  });
});
