import { quirksOf } from "../../src/agents/agent-quirks.js";
import assert from "node:assert/strict";
import { AgentConnection } from "../../src/models/agent-connection.js";
import { nobody } from "../../src/base/rpc/peer.js";

describe("the connection to an agent that is a language model", () => {
  it("is gone only when the chain is that was still being opened when it was to end", async () => {
    const events: string[] = [];
    let opened = (): void => undefined;
    const connection = new AgentConnection({
      quirksOf,
      clientInfo: { name: "test", title: "Test", version: "1" },
      open: async () => {
        await new Promise<void>((resolve) => (opened = resolve));
        events.push("opened");
        return {
          fromClient: nobody,
          [Symbol.asyncDispose]: () => {
            events.push("ended");
            return Promise.resolve();
          },
        };
      },
    });
    const ending = connection[Symbol.asyncDispose]().then(() => events.push("gone"));
    await new Promise((resolve) => setImmediate(resolve));
    opened();
    await ending;
    assert.deepEqual([events[0], events.indexOf("ended") > 0, events.at(-1)], ["opened", true, "gone"]);
    await assert.rejects(connection.ready, /closing/);
  });
});
