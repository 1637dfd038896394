import assert from "node:assert/strict";
import { ChatTabs } from "../../../src/features/chat/chat-tabs.js";
import { HostOffer } from "../../../src/features/chat/host-offer.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { noSettings } from "../../../webview/chat/state/chat-store.js";
import { emptyTranscript } from "./change-samples.js";

describe("the offer of the host", () => {
  /** Restores a tab for each end of its last turn; returns the number of offers and what the user's `yes` leads to. */
  async function restored(
    ends: readonly { readonly stopReason: string; readonly durationMs?: number }[],
    { choice = "", isHosted = false, turnOn = (): Promise<string> => Promise.resolve("on") } = {},
  ): Promise<readonly [number, readonly string[]]> {
    const memory = new Map<string, unknown>();
    const written: string[] = [];
    let offers = 0;
    const offer = new HostOffer({
      memory: { get: (key) => memory.get(key), update: (key, value) => Promise.resolve(void memory.set(key, value)) },
      choice: () => choice,
      notify: () => Promise.resolve(++offers > 0),
      turnOn: async () => void written.push(await turnOn()),
      failed: (text) => written.push(text),
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
    for (const [index, end] of ends.entries()) {
      const transcript = new TabTranscript(emptyTranscript());
      transcript.publish({ op: "put", item: { kind: "turn-end", id: "end", ...end } });
      tabs.restore({ record: { tabId: `tab-${index}`, createdAt: 1 }, transcript });
    }
    await Promise.all(offered);
    for (const id of [...tabs.tabIds]) await tabs.close(id);
    return [offers, written];
  }

  const closed = { stopReason: "interrupted" };

  it("comes once, for a turn in which the window was closed, and writes the setting", async () => {
    assert.deepEqual(await restored([{ stopReason: "end_turn" }]), [0, []]);
    assert.deepEqual(await restored([closed, closed]), [1, ["on"]]);
  });

  it("does not come for a turn that the agent's crash ended", async () => {
    assert.deepEqual(await restored([{ ...closed, durationMs: 5 }]), [0, []]);
  });

  it("does not come with a host, or if the user has chosen none", async () => {
    assert.deepEqual(await restored([closed], { choice: "off" }), [0, []]);
    assert.deepEqual(await restored([closed], { isHosted: true }), [0, []]);
  });

  it("says why the setting could not be written", async () => {
    const turnOn = (): Promise<string> => Promise.reject(new Error("The file is read-only."));
    assert.deepEqual(await restored([closed], { turnOn }), [1, ["Couldn't turn the host on: The file is read-only."]]);
  });
});
