import assert from "node:assert/strict";
import { Outcome } from "../../src/rpc/message.js";
import { PlayedAgent } from "../conductor/chain-fixture.js";
import { ChainsStage, ended, settled } from "./chains-stage.js";

describe("Chains, when one fails", () => {
  it("goes on with the others, and starts the one for new sessions again", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const first = await stage.session();
    await stage.prompt(first, "echo begun");
    await stage.choose(first, "beta");
    stage.chain(1).hooks.onFailure(ended);
    assert.deepEqual(stage.failures, []);
    await stage.prompt(first, "echo still here");
    assert.match(stage.client.text, /still here\n$/);
    const second = await stage.session();
    await stage.prompt(second, "echo again");
    assert.deepEqual([stage.opened.length, stage.client.text], [3, "again\n"]);
  });

  it("opens a session of the one that has failed again in the one for new sessions", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const first = await stage.session();
    await stage.prompt(first, "echo begun");
    await stage.choose(first, "beta");
    stage.chain(0).hooks.onFailure(ended);
    await stage.result("session/load", { sessionId: first, cwd: "/w", mcpServers: [] });
    assert.match(stage.client.text, /An earlier answer/);
    await stage.prompt(first, "echo back again");
    assert.match(stage.client.text, /back again\n$/);
    assert.ok(stage.chain(1).received.methods.includes("session/prompt"));
  });

  it("answers a session/new that waits for it to be started again when it is cancelled", async () => {
    const initialize = [Outcome.of({ protocolVersion: 1 })];
    const beta = new PlayedAgent({ initialize: () => initialize.shift() });
    const stage = new ChainsStage({ agents: { beta } });
    await stage.initialize();
    const first = await stage.session();
    await stage.prompt(first, "echo begun");
    await stage.choose(first, "beta");
    stage.chain(1).hooks.onFailure(ended);
    const stop = new AbortController();
    const opening = stage.ask("session/new", { cwd: "/w", mcpServers: [] }, stop.signal);
    await settled();
    stop.abort();
    assert.deepEqual((await opening).json.value, { code: -32800, message: "Request cancelled" });
  });

  it("lets a choice go whose agent never opens the session, also when that comes late after all", async () => {
    const beta = new PlayedAgent({ "session/new": () => undefined });
    const stage = new ChainsStage({ agents: { beta } });
    await stage.initialize();
    const sessionId = await stage.session();
    const stop = new AbortController();
    const params = { sessionId, configId: "symposium.agent", value: "beta" };
    const choosing = stage.ask("session/set_config_option", params, stop.signal);
    await settled();
    stop.abort();
    const isError = (await choosing).isError;
    beta.peer.open[0]?.reply(Outcome.of({ sessionId: "late" }));
    await stage.prompt(sessionId, "echo still here");
    assert.deepEqual([isError, stage.saved, stage.client.text], [true, [], "still here\n"]);
  });

  it("fails with the last one", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    stage.chain(0).hooks.onFailure(ended);
    assert.deepEqual(stage.failures, [ended]);
  });
});
