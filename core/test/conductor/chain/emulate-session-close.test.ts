import assert from "node:assert/strict";
import { pingServer } from "../../../testing/ping-server.js";
import { offering } from "../../../testing/scripted-proxies.js";
import { Outcome } from "../../../src/base/rpc/message.js";
import { onStage, PlayedAgent, settled } from "./chain-fixture.js";

const agentWith = (capabilities: object): PlayedAgent =>
  new PlayedAgent({
    initialize: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true }, ...capabilities } },
    "session/load": {},
    "session/close": {},
    "session/prompt": () => undefined,
  });

describe("a session that is closed, of an agent that cannot close sessions", () => {
  it("is let go of by the chain, ends its turn, and takes no prompt until it is loaded", async () => {
    const agent = agentWith({});
    await onStage({ proxies: [offering(pingServer("ping"))], agent }, async (stage) => {
      const sessionId = await stage.session();
      const prompt = { sessionId, prompt: [] };
      const turn = stage.result("session/prompt", prompt);
      assert.deepEqual(await stage.result("session/close", { sessionId }), {});
      await settled();
      assert.deepEqual(stage.bridge.log, ["http ping", "withdrawn ping"]);
      assert.equal(agent.peer.received.at(-1)?.method, "session/cancel");
      agent.peer.open[0]?.reply(Outcome.of({ stopReason: "cancelled" }));
      assert.deepEqual(await turn, { stopReason: "cancelled" });
      assert.match(JSON.stringify(await stage.error("session/prompt", prompt)), /is closed/);
      await stage.result("session/load", { sessionId, cwd: "/w", mcpServers: [] });
      const again = stage.result("session/prompt", prompt);
      await settled();
      agent.peer.open[0]?.reply(Outcome.of({ stopReason: "end_turn" }));
      assert.deepEqual(await again, { stopReason: "end_turn" });
      assert.equal(agent.peer.methods.includes("session/close"), false);
    });
  });

  for (const [name, capabilities] of [
    ["cannot", {}],
    ["can, and answers that first", { sessionCapabilities: { close: {} } }],
  ] as const) {
    it(`is let go of where it is closed while it is loaded, by an agent that ${name}`, async () => {
      const agent = new PlayedAgent({
        initialize: { protocolVersion: 1, agentCapabilities: capabilities },
        "session/load": () => undefined,
        "session/close": {},
      });
      await onStage({ proxies: [offering(pingServer("ping"))], agent }, async (stage) => {
        await stage.initialize();
        const loaded = stage.result("session/load", { sessionId: "s", cwd: "/w", mcpServers: [] });
        await settled();
        const closed = stage.result("session/close", { sessionId: "s" });
        await settled();
        agent.peer.open[0]?.reply(Outcome.of({}));
        await Promise.all([loaded, closed]);
        await settled();
        assert.equal(stage.bridge.log.at(-1), "withdrawn ping");
      });
    });
  }

  it("is closed by the agent itself where it can", async () => {
    const agent = agentWith({ sessionCapabilities: { close: {} } });
    await onStage({ agent }, async (stage) => {
      await stage.result("session/close", { sessionId: await stage.session() });
      assert.equal(agent.peer.methods.at(-1), "session/close");
    });
  });
});
