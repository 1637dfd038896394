import assert from "node:assert/strict";
import { PlayedAgent } from "../chain/chain-fixture.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { Notification, Outcome } from "../../../src/base/rpc/message.js";
import { ChainsStage, notFound, saidBy, settled, valuesOf } from "./chains-stage.js";

const stopped = { stopReason: "end_turn" };

describe("Chains, when a user chooses", () => {
  it("opens a session without a prompt in the new chain at once, with the same parameters, and ends the old one", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const sessionId = await stage.session();
    const outcome = await stage.choose(sessionId, "beta");
    await settled();
    assert.deepEqual(valuesOf(outcome.json.object?.["configOptions"]), {
      model: "small",
      verbose: false,
      "symposium.agent": "beta",
      "symposium.proxy.ferris": true,
    });
    const [initialize, opened] = stage.chain(1).received.received;
    assert.deepEqual(
      [initialize?.params?.object?.["protocolVersion"], opened?.params?.value],
      [1, { cwd: "/w", mcpServers: [] }],
    );
    assert.deepEqual(stage.saved, [{ kind: "agent", id: "beta" }]);
    assert.deepEqual(stage.chain(0).received.methods, ["initialize", "session/new", "session/close"]);
    assert.deepEqual([stage.chain(0).isDisposed, stage.chain(1).isDisposed], [true, false]);
    const { json } = await stage.prompt(sessionId, "echo from the new one");
    assert.deepEqual([json.value, stage.client.text], [stopped, "from the new one\n"]);
  });

  it("leaves a session that has begun where it is, says so, and opens new ones in the new chain", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const first = await stage.session();
    await stage.prompt(first, "echo begun");
    const outcome = await stage.choose(first, "beta");
    assert.equal(valuesOf(outcome.json.object?.["configOptions"])["symposium.agent"], "alpha");
    assert.match(
      stage.client.text,
      /Done: Beta answers in new sessions\. This session has already started and stays unchanged with Alpha/,
    );
    const second = await stage.session();
    await Promise.all([stage.prompt(first, "echo one"), stage.prompt(second, "echo two")]);
    const prompts = stage.opened.map(
      ({ received }) => received.methods.filter((method) => method === "session/prompt").length,
    );
    assert.deepEqual(
      [prompts, stage.opened.map(({ isDisposed }) => isDisposed)],
      [
        [2, 1],
        [false, false],
      ],
    );
  });

  it("tells sessions apart that two agents call the same", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const first = await stage.session();
    await stage.prompt(first, "echo begun");
    await stage.choose(first, "beta");
    const second = await stage.session();
    assert.notEqual(second, first);
    stage.client.received.splice(0);
    saidBy(stage.chain(0), "session-1", "for the first");
    saidBy(stage.chain(1), "session-1", "for the second");
    const heard = stage.client.received.map(({ params }) => params?.object?.["sessionId"]);
    assert.deepEqual(heard, [first, second]);
    const { json } = await stage.prompt(second, "echo hello");
    assert.deepEqual(json.value, stopped);
    const [prompt] = stage.chain(1).received.received.filter(({ method }) => method === "session/prompt");
    assert.equal(prompt?.params?.object?.["sessionId"], "session-1");
  });

  it("stops a sub-agent where it works, not where new sessions are", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const first = await stage.session();
    await stage.prompt(first, "echo begun");
    const update = { sessionUpdate: "subagent_update", sessionId: "child" };
    stage.chain(0).client.notify(Notification.of("session/update", { sessionId: first, update }));
    await stage.choose(first, "beta");
    await stage.session();
    stage.notify("session/cancel", { sessionId: "child" });
    const cancelled = stage.opened.map(({ received }) => received.methods.includes("session/cancel"));
    assert.deepEqual(cancelled, [true, false]);
  });

  it("tells a session apart from one that has moved and has its id for the client", async () => {
    let opened = 0;
    const beta = new PlayedAgent({
      "session/new": () => ({ sessionId: ["first", "session-1"][opened++] }),
      "session/prompt": { stopReason: "end_turn" },
    });
    const stage = new ChainsStage({ agents: { beta } });
    await stage.initialize();
    const moved = await stage.session();
    await stage.choose(moved, "beta");
    const later = await stage.session();
    assert.deepEqual([moved, moved === later], ["session-1", false]);
    for (const id of [moved, later]) await stage.prompt(id, "who?");
    const prompts = beta.peer.received.filter(({ method }) => method === "session/prompt");
    assert.deepEqual(
      prompts.map(({ params }) => params?.object?.["sessionId"]),
      ["first", "session-1"],
    );
  });

  it("lets a prompt wait until the session has arrived", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const sessionId = await stage.session();
    const choosing = stage.choose(sessionId, "beta");
    const prompting = stage.prompt(sessionId, "echo patient");
    assert.equal((await choosing).isError, false);
    assert.deepEqual((await prompting).json.value, stopped);
    assert.deepEqual(
      stage.opened.map(({ received }) => received.methods.includes("session/prompt")),
      [false, true],
    );
  });

  it("takes every other session without a prompt along, and tells its client", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const [asking, idle] = [await stage.session(), await stage.session()];
    await stage.choose(asking, "beta");
    await stage.client.waitFor("session/update");
    await settled();
    const told = stage.client.received
      .filter(({ params }) => params?.object?.["sessionId"] === idle)
      .map(({ params }) => (params?.object?.["update"] as { configOptions?: unknown }).configOptions)
      .filter((options) => options !== undefined)
      .map((options) => valuesOf(options)["symposium.agent"]);
    assert.deepEqual(told, ["beta"]);
    await stage.prompt(idle, "echo hello");
    assert.ok(stage.chain(1).received.methods.includes("session/prompt"));
  });

  it("logs why a session could not follow, and nothing of the agent's command", async () => {
    const answers = [Outcome.of({ sessionId: "theirs" }), Outcome.error(new RpcError(-32000, "Sign in first"))];
    const stage = new ChainsStage({ agents: { beta: new PlayedAgent({ "session/new": () => answers.shift() }) } });
    await stage.initialize();
    const [asking] = [await stage.session(), await stage.session()];
    await stage.choose(asking, "beta");
    await settled();
    assert.deepEqual(
      stage.events.map(({ event, fields }) => [event, fields]),
      [["couldn't move a session to the new agent", { message: "Sign in first." }]],
    );
  });

  it("keeps everything as it was when the agent is not known here, and says the remedy", async () => {
    const stage = new ChainsStage({ agents: { beta: notFound } });
    await stage.initialize();
    const sessionId = await stage.session();
    const error = (await stage.choose(sessionId, "beta")).json.object;
    const text = `Not changed: "Beta" can't be used. "beta" is not there. Install it.`;
    assert.deepEqual(error, { code: -32603, message: text, data: { details: text } });
    assert.equal(stage.client.text, `${text}\n\n`);
    assert.deepEqual(stage.saved, []);
    await stage.prompt(sessionId, "echo still here");
    assert.match(stage.client.text, /still here\n$/);
  });

  it("ends a chain whose agent refuses initialize, or speaks another version", async () => {
    for (const [answer, why] of [
      [Outcome.error(RpcError.internal("no licence")), /no licence/],
      [Outcome.of({ protocolVersion: 2 }), /uses ACP version 2, but this connection uses version 1/],
    ] as const) {
      const stage = new ChainsStage({ agents: { beta: new PlayedAgent({ initialize: answer }) } });
      await stage.initialize();
      const error = (await stage.choose(await stage.session(), "beta")).json.object;
      assert.match(String(error?.["message"]), why);
      assert.deepEqual(
        stage.opened.map(({ isDisposed }) => isDisposed),
        [false, true],
      );
    }
  });

  it("says how to sign in to an agent that asks for it", async () => {
    const refusal = Outcome.error(new RpcError(-32000, "Authentication required"));
    const stage = new ChainsStage({ agents: { beta: new PlayedAgent({ "session/new": refusal }) } });
    await stage.initialize();
    const error = (await stage.choose(await stage.session(), "beta")).json.object;
    assert.match(
      String(error?.["message"]),
      /Authentication required\. Sign in with `symposium-acp-agent sign-in --agent beta` in a terminal/,
    );
    assert.deepEqual(stage.saved, []);
  });

  it("says so in a new session, too, whose client knows only the first agent's sign-ins", async () => {
    const refusal = Outcome.error(new RpcError(-32000, "Authentication required"));
    const stage = new ChainsStage({ agents: { beta: new PlayedAgent({ "session/new": refusal }) } });
    await stage.initialize();
    const begun = await stage.session();
    await stage.prompt(begun, "echo begun");
    await stage.choose(begun, "beta");
    const error = await stage.error("session/new", { cwd: "/w", mcpServers: [] });
    const text =
      "Authentication required. Sign in with `symposium-acp-agent sign-in --agent beta` in a terminal, then try again.";
    assert.deepEqual(error, { code: -32603, message: text, data: { details: text } });
  });

  it("sends a sign-in to the agent that has offered it", async () => {
    const beta = new PlayedAgent({ initialize: { protocolVersion: 1, authMethods: [{ id: "own", name: "Own" }] } });
    const stage = new ChainsStage({ agents: { beta } });
    await stage.initialize();
    const begun = await stage.session();
    await stage.prompt(begun, "echo begun");
    await stage.choose(begun, "beta");
    await stage.result("authenticate", { methodId: "scripted" });
    await stage.ask("authenticate", { methodId: "own" });
    assert.deepEqual(
      stage.opened.map(({ received }) => received.methods.filter((method) => method === "authenticate").length),
      [1, 1],
    );
  });

  it("answers a prompt that waits for the session when it is cancelled, and the agent never sees it", async () => {
    for (const [cancel, expected] of [
      [true, { stopReason: "cancelled" }],
      [false, { code: -32800, message: "Request cancelled" }],
    ] as const) {
      const stage = new ChainsStage({ agents: { beta: new PlayedAgent({ initialize: () => undefined }) } });
      await stage.initialize();
      const sessionId = await stage.session();
      void stage.choose(sessionId, "beta");
      const stop = new AbortController();
      const prompting = stage.prompt(sessionId, "echo never", stop.signal);
      await settled();
      if (cancel) stage.notify("session/cancel", { sessionId });
      else stop.abort();
      assert.deepEqual((await prompting).json.value, expected);
      assert.equal(stage.chain(0).received.methods.includes("session/prompt"), false);
    }
  });

  it("takes a session along that was on its way to the old chain", async () => {
    const alpha = new PlayedAgent({ "session/new": () => undefined });
    const stage = new ChainsStage({ agents: { alpha } });
    await stage.initialize();
    const opening = stage.ask("session/new", { cwd: "/w", mcpServers: [] });
    const other = stage.ask("session/new", { cwd: "/w", mcpServers: [] });
    alpha.peer.open[1]?.reply(Outcome.of({ sessionId: "other" }));
    await stage.choose(String((await other).json.object?.["sessionId"]), "beta");
    alpha.peer.open[0]?.reply(Outcome.of({ sessionId: "late" }));
    assert.equal((await opening).isError, false);
    await settled();
    await stage.prompt("late", "echo arrived");
    assert.match(stage.client.text, /arrived\n$/);
    assert.deepEqual(
      stage.opened.map(({ isDisposed }) => isDisposed),
      [true, false],
    );
  });

  it("changes nothing when the choice cannot be saved", async () => {
    const stage = new ChainsStage({ save: () => Promise.reject(new Error("read-only")) });
    await stage.initialize();
    const sessionId = await stage.session();
    const error = (await stage.choose(sessionId, "beta")).json.object;
    assert.match(String(error?.["message"]), /read-only/);
    assert.deepEqual(
      stage.opened.map(({ isDisposed }) => isDisposed),
      [false, true],
    );
    await stage.prompt(sessionId, "echo still here");
    assert.ok(stage.chain(0).received.methods.includes("session/prompt"));
  });

  it("starts and writes nothing for a choice that is made already", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const sessionId = await stage.session();
    assert.equal((await stage.choose(sessionId, "alpha")).isError, false);
    assert.equal((await stage.choose(sessionId, true, "symposium.proxy.ferris")).isError, false);
    assert.deepEqual([stage.opened.length, stage.saved], [1, []]);
  });

  it("goes back to a chain that still runs", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const begun = await stage.session();
    await stage.prompt(begun, "echo begun");
    const sessionId = await stage.session();
    await stage.choose(sessionId, "beta");
    await stage.choose(sessionId, "alpha");
    await settled();
    assert.deepEqual(
      stage.opened.map(({ isDisposed }) => isDisposed),
      [false, true],
    );
    await stage.prompt(sessionId, "echo home");
    assert.match(stage.client.text, /home\n$/);
  });

  it("makes one change after the other", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const sessionId = await stage.session();
    const outcomes = await Promise.all([
      stage.choose(sessionId, "beta"),
      stage.choose(sessionId, false, "symposium.proxy.ferris"),
    ]);
    assert.deepEqual(
      outcomes.map(({ json }) => valuesOf(json.object?.["configOptions"])["symposium.proxy.ferris"]),
      [true, false],
    );
    await settled();
    assert.deepEqual(
      stage.opened.map(({ choice, isDisposed }) => [choice.agent, [...choice.proxies], isDisposed]),
      [
        ["alpha", ["ferris"], true],
        ["beta", ["ferris"], true],
        ["beta", [], false],
      ],
    );
  });

  it("drops what the old agent says of a session that has left it", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const [keeper, leaver] = [await stage.session(), await stage.session()];
    await stage.prompt(keeper, "echo begun");
    await stage.choose(leaver, "beta");
    stage.client.received.splice(0);
    saidBy(stage.chain(0), leaver, "too late");
    assert.deepEqual(stage.client.received, []);
  });

  it("drops what an agent says of a session that came to it and has left again", async () => {
    let opened = 0;
    const beta = new PlayedAgent({
      "session/new": () => ({ sessionId: `theirs-${++opened}` }),
      "session/prompt": { stopReason: "end_turn" },
    });
    const stage = new ChainsStage({ agents: { beta } });
    await stage.initialize();
    const [traveller, keeper] = [await stage.session(), await stage.session()];
    await stage.choose(traveller, "beta");
    await settled();
    await stage.prompt(keeper, "stay");
    await stage.choose(traveller, "alpha");
    stage.client.received.splice(0);
    saidBy(stage.chain(1), "theirs-1", "too late");
    saidBy(stage.chain(1), "theirs-2", "in time");
    assert.equal(stage.client.text, "in time");
  });

  it("ends a chain with its last session", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const first = await stage.session();
    await stage.prompt(first, "echo begun");
    await stage.choose(first, "beta");
    assert.equal(stage.chain(0).isDisposed, false);
    await stage.result("session/close", { sessionId: first });
    await settled();
    assert.deepEqual(
      stage.opened.map(({ isDisposed }) => isDisposed),
      [true, false],
    );
  });
});
