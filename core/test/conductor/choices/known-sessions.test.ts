import assert from "node:assert/strict";
import { type KnownSession, KnownSessions } from "../../../src/conductor/choices/known-sessions.js";
import { Outcome } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { PlayedAgent } from "../chain/chain-fixture.js";
import { ChainsStage, notFound, settled, valuesOf } from "./chains-stage.js";

const where = { cwd: "/w", mcpServers: [] };

describe("KnownSessions", () => {
  it("keeps the latest ones, in both directions", () => {
    const kept: KnownSession[] = [];
    const known = new KnownSessions([["first", "a", "eliza"]], {
      keep: (session) => kept.push(session),
      forget: () => undefined,
    });
    for (let index = 0; index < 500; index++) known.add(`client-${index}`, `agent-${index}`, "eliza");
    known.add("client-7", "elsewhere", "codex");
    known.add("same", "same", "codex");
    assert.deepEqual(
      [kept.length, kept.at(-2), known.agentOf("first"), known.clientIdOf("a")],
      [502, ["client-7", "elsewhere", "codex"], undefined, undefined],
    );
    assert.deepEqual([known.clientIdOf("elsewhere"), known.clientIdOf("agent-7")], ["client-7", undefined]);
    assert.deepEqual(
      [known.agentOf("same"), known.agentIdOf("same"), known.clientIdOf("same")],
      ["codex", undefined, undefined],
    );
  });
});

describe("Chains, with sessions that moved", () => {
  it("remember them", async () => {
    const beta = new PlayedAgent({ "session/new": { sessionId: "theirs" } });
    const stage = new ChainsStage({ agents: { beta } });
    await stage.initialize();
    const sessionId = await stage.session();
    await stage.choose(sessionId, "beta");
    assert.deepEqual(stage.known, [[sessionId, "theirs", "beta"]]);
  });

  it("load one again by the client's id, its history included", async () => {
    const stage = new ChainsStage({ known: [["mine", "theirs", "alpha"]] });
    await stage.initialize();
    await stage.result("session/load", { sessionId: "mine", ...where });
    const load = stage.chain(0).received.received.at(-1);
    assert.equal(load?.params?.object?.["sessionId"], "theirs");
    assert.match(stage.client.text, /An earlier answer/);
    const ids = new Set(stage.client.received.map(({ params }) => params?.object?.["sessionId"]));
    assert.deepEqual(ids, new Set(["mine"]));
    await stage.prompt("mine", "echo again");
    assert.match(stage.client.text, /again\n$/);
  });

  it("know nothing of one that the agent has lost", async () => {
    const refusal = Outcome.error(new RpcError(-32002, "Session not found"));
    const alpha = new PlayedAgent({ "session/load": refusal, "session/prompt": { stopReason: "end_turn" } });
    const stage = new ChainsStage({ agents: { alpha }, known: [["mine", "theirs", "alpha"]] });
    await stage.initialize();
    assert.equal((await stage.error("session/load", { sessionId: "mine", ...where }))["code"], -32002);
    await stage.prompt("mine", "echo who");
    assert.equal(alpha.peer.received.at(-1)?.params?.object?.["sessionId"], "mine");
  });

  it("fork one that is not open", async () => {
    const alpha = new PlayedAgent({ "session/fork": { sessionId: "copy" } });
    const stage = new ChainsStage({ agents: { alpha }, known: [["mine", "theirs", "alpha"]] });
    await stage.initialize();
    assert.equal((await stage.result("session/fork", { sessionId: "mine", ...where }))["sessionId"], "copy");
    assert.equal(alpha.peer.received.at(-1)?.params?.object?.["sessionId"], "theirs");
  });

  it("delete one that is not open, and forget it", async () => {
    const alpha = new PlayedAgent({ "session/delete": {} });
    const stage = new ChainsStage({ agents: { alpha }, known: [["mine", "theirs", "alpha"]] });
    await stage.initialize();
    await stage.result("session/delete", { sessionId: "mine" });
    assert.equal(alpha.peer.received.at(-1)?.params?.object?.["sessionId"], "theirs");
    assert.deepEqual(stage.known, []);
  });

  it("list them by the ids that the client knows", async () => {
    const sessions = [
      { sessionId: "theirs", cwd: "/w", title: "Moved" },
      { sessionId: "other", cwd: "/w" },
    ];
    const alpha = new PlayedAgent({ "session/list": { sessions, nextCursor: "more" } });
    const stage = new ChainsStage({ agents: { alpha }, known: [["mine", "theirs", "alpha"]] });
    await stage.initialize();
    assert.deepEqual(await stage.result("session/list", {}), {
      sessions: [{ ...sessions[0], sessionId: "mine" }, sessions[1]],
      nextCursor: "more",
    });
  });
});

describe("Chains, with sessions of another agent than that of new ones", () => {
  it("remember whose a session is once somebody has talked in it", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const sessionId = await stage.session();
    await stage.prompt(sessionId, "/symposium:config");
    assert.deepEqual(stage.known, []);
    await stage.prompt(sessionId, "echo hello");
    assert.deepEqual(stage.known, [[sessionId, sessionId, "alpha"]]);
  });

  it("remember none of an agent that could not open it again", async () => {
    const alpha = new PlayedAgent({ "session/prompt": { stopReason: "end_turn" } });
    const stage = new ChainsStage({ agents: { alpha } });
    await stage.initialize();
    await stage.prompt(await stage.session(), "hello");
    assert.deepEqual(stage.known, []);
  });

  it("load one in a chain with its own agent, and let it be talked in there", async () => {
    const stage = new ChainsStage({ known: [["old", "old", "beta"]] });
    await stage.initialize();
    const { configOptions } = await stage.result("session/load", { sessionId: "old", ...where });
    assert.equal(valuesOf(configOptions)["symposium.agent"], "beta");
    assert.match(stage.client.text, /An earlier answer/);
    await stage.prompt("old", "echo again");
    assert.match(stage.client.text, /again\n$/);
    assert.deepEqual(
      stage.opened.map(({ choice, received }) => [choice.agent, received.methods.includes("session/load")]),
      [
        ["alpha", false],
        ["beta", true],
      ],
    );
    assert.equal(valuesOf((await stage.result("session/new", where))["configOptions"])["symposium.agent"], "alpha");
  });

  it("end that chain again when the agent has lost the session, and say so", async () => {
    const refusal = Outcome.error(new RpcError(-32002, "Session not found"));
    const beta = new PlayedAgent({ "session/load": refusal });
    const stage = new ChainsStage({ agents: { beta }, known: [["old", "old", "beta"]] });
    await stage.initialize();
    assert.equal((await stage.error("session/load", { sessionId: "old", ...where }))["code"], -32002);
    await settled();
    assert.deepEqual(
      stage.opened.map(({ isDisposed }) => isDisposed),
      [false, true],
    );
  });

  it("say why an agent cannot be started that a session is with", async () => {
    const stage = new ChainsStage({ agents: { beta: notFound }, known: [["old", "old", "beta"]] });
    await stage.initialize();
    const error = await stage.error("session/load", { sessionId: "old", ...where });
    assert.match(String(error["message"]), /"beta" is not there/);
  });

  it("have its own agent delete one, end that chain again and forget the session", async () => {
    const beta = new PlayedAgent({ "session/delete": {} });
    const stage = new ChainsStage({ agents: { beta }, known: [["old", "theirs", "beta"]] });
    await stage.initialize();
    await stage.result("session/delete", { sessionId: "old" });
    await settled();
    assert.deepEqual(beta.peer.received.map(({ method, params }) => [method, params?.object?.["sessionId"]]).at(-1), [
      "session/delete",
      "theirs",
    ]);
    assert.deepEqual(
      stage.opened.map(({ isDisposed }) => isDisposed),
      [false, true],
    );
    assert.deepEqual(stage.known, []);
  });

  it("remember one that its agent has not deleted", async () => {
    const refusal = Outcome.error(new RpcError(-32002, "Session is locked"));
    const beta = new PlayedAgent({ "session/delete": refusal });
    const stage = new ChainsStage({ agents: { beta }, known: [["old", "old", "beta"]] });
    await stage.initialize();
    assert.equal((await stage.error("session/delete", { sessionId: "old" }))["code"], -32002);
    assert.deepEqual(stage.known, [["old", "old", "beta"]]);
  });

  it("look for one whose agent is not offered any more where new ones are", async () => {
    const stage = new ChainsStage({ known: [["old", "old", "gone"]] });
    await stage.initialize();
    await stage.result("session/load", { sessionId: "old", ...where });
    assert.equal(stage.opened.length, 1);
  });
});
