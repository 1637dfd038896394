import assert from "node:assert/strict";
import { MessageHub } from "../../../src/features/pages/message-hub.js";
import { Logger } from "../../../src/features/log/logger.js";

function hub(): { readonly hub: MessageHub; readonly logged: string[] } {
  const logged: string[] = [];
  return {
    hub: new MessageHub(new Logger({ write: ({ level, message }) => logged.push(`${level}: ${message}`) })),
    logged,
  };
}

describe("messages of the page", () => {
  it("go to the feature that owns their type", async () => {
    const { hub: messages } = hub();
    const seen: unknown[] = [];
    messages.on("cancel", ({ tabId }) => void seen.push(tabId));
    await messages.receive({ type: "cancel", tabId: "one" });
    assert.deepEqual(seen, ["one"]);
  });

  it("are logged and go no further when they cannot be read", async () => {
    const { hub: messages, logged } = hub();
    messages.on("cancel", () => assert.fail("It has no tab."));
    for (const bad of [undefined, null, "cancel", { type: "cancel" }, { type: "cancel", tabId: "" }, { type: "fly" }])
      await messages.receive(bad);
    assert.deepEqual(new Set(logged), new Set(["warn: ignored an unreadable message from the view"]));
    assert.equal(logged.length, 6);
  });

  it("do no harm when nobody takes them, or their feature fails", async () => {
    const { hub: messages, logged } = hub();
    messages.on("cancel", () => Promise.reject(new Error("It broke.")));
    await messages.receive({ type: "cancel", tabId: "one" });
    await messages.receive({ type: "show-history" });
    assert.deepEqual(logged, [
      "error: a message from the view failed",
      "warn: no feature handles this message from the view",
    ]);
  });
});
