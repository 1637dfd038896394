import assert from "node:assert/strict";
import { Outcome } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { PlayedAgent } from "../chain/chain-fixture.js";
import { ChainsStage, ended, settled, valuesOf } from "./chains-stage.js";

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

  it("opens a session of the one that has failed again with its own agent, started anew", async () => {
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
    assert.deepEqual(
      stage.opened.map(({ choice, received }) => [choice.agent, received.methods.includes("session/load")]),
      [
        ["alpha", false],
        ["beta", false],
        ["alpha", true],
      ],
    );
  });

  it("deletes a session of the one that has failed with its own agent, started anew", async () => {
    const alpha = new PlayedAgent({
      initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
      "session/new": { sessionId: "first" },
      "session/prompt": { stopReason: "end_turn" },
      "session/delete": {},
    });
    const stage = new ChainsStage({ agents: { alpha } });
    await stage.initialize();
    await stage.prompt(await stage.session(), "hello");
    await stage.choose("first", "beta");
    stage.chain(0).hooks.onFailure(ended);
    await stage.result("session/delete", { sessionId: "first" });
    await settled();
    assert.deepEqual(
      stage.opened.map(({ choice, received }) => [choice.agent, received.methods.includes("session/delete")]),
      [
        ["alpha", false],
        ["beta", false],
        ["alpha", true],
      ],
    );
    assert.deepEqual([stage.chain(2).isDisposed, stage.known], [true, []]);
  });

  it("opens a new session with the agent that was chosen while the one for new sessions had failed", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const first = await stage.session();
    await stage.prompt(first, "echo begun");
    await stage.choose(first, "beta");
    stage.chain(1).hooks.onFailure(ended);
    const choosing = stage.choose(first, "alpha");
    const opening = stage.result("session/new", { cwd: "/w", mcpServers: [] });
    assert.equal((await choosing).isError, false);
    assert.equal(valuesOf((await opening)["configOptions"])["symposium.agent"], "alpha");
    assert.equal(stage.opened.length, 2);
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

  it("tries a choice that has failed again in each new session, where nobody waits for it or reads of it again", async () => {
    let isThere = false;
    const refusal = (): Outcome => Outcome.error(RpcError.internal("no licence"));
    const beta = new PlayedAgent({ initialize: () => (isThere ? undefined : refusal()) });
    const stage = new ChainsStage({ agents: { beta } });
    await stage.initialize();
    const first = await stage.session();
    assert.equal((await stage.choose(first, "beta")).isError, true);
    assert.match(stage.client.text, /"Beta" can't be used\. no licence/);
    const second = await stage.session();
    assert.equal((await stage.choose(second, "beta")).isError, true);
    assert.equal(stage.client.text, "");
    isThere = true;
    const third = await stage.session();
    const unasked = [stage.choose(third, "beta"), stage.choose(third, true, "symposium.proxy.ferris")];
    await stage.prompt(third, "echo at once");
    assert.equal(stage.client.text, "at once\n");
    await settled();
    beta.peer.open.at(-1)?.reply(refusal());
    assert.deepEqual(
      (await Promise.all(unasked)).map(({ isError }) => isError),
      [true, false],
    );
  });

  it("says why a choice fails to whoever makes it again, and when the reason is another one", async () => {
    const reasons = ["no licence", "no licence", "no licence", "no network"];
    const initialize = (): Outcome => Outcome.error(RpcError.internal(reasons.shift() ?? ""));
    const stage = new ChainsStage({ agents: { beta: new PlayedAgent({ initialize }) } });
    await stage.initialize();
    await stage.choose(await stage.session(), "beta");
    const second = await stage.session();
    await stage.choose(second, "beta");
    await stage.choose(second, "beta");
    assert.match(stage.client.text, /^Not changed: [^\n]*no licence\n\n$/);
    await stage.choose(await stage.session(), "beta");
    assert.match(stage.client.text, /no network/);
  });

  it("lets a session wait again for a choice that has been made after all", async () => {
    const refusals = [Outcome.error(RpcError.internal("no licence"))];
    const initialize = (): unknown => refusals.shift() ?? { protocolVersion: 1 };
    const beta = new PlayedAgent({ initialize, "session/prompt": { stopReason: "end_turn" } });
    const stage = new ChainsStage({ agents: { beta } });
    await stage.initialize();
    const first = await stage.session();
    await stage.choose(first, "beta");
    assert.equal((await stage.choose(first, "beta")).isError, false);
    assert.equal((await stage.choose(first, "alpha")).isError, false);
    const choosing = stage.choose(first, "beta");
    await stage.prompt(first, "patient");
    assert.equal((await choosing).isError, false);
    const asked = stage.opened.filter(({ received }) => received.methods.includes("session/prompt"));
    assert.deepEqual(
      asked.map(({ choice }) => choice.agent),
      ["beta"],
    );
  });

  it("fails with the last one", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    stage.chain(0).hooks.onFailure(ended);
    assert.deepEqual(stage.failures, [ended]);
  });
});
