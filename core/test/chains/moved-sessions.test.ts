import assert from "node:assert/strict";
import { type MovedSession, MovedSessions } from "../../src/chains/moved-sessions.js";
import { Outcome } from "../../src/rpc/message.js";
import { RpcError } from "../../src/rpc/rpc-error.js";
import { PlayedAgent } from "../conductor/chain-fixture.js";
import { ChainsStage } from "./chains-stage.js";

const where = { cwd: "/w", mcpServers: [] };

describe("MovedSessions", () => {
  it("keeps the latest ones, in both directions", () => {
    let kept: readonly MovedSession[] = [];
    const moved = new MovedSessions([["first", "a"]], (all) => (kept = all));
    for (let index = 0; index < 500; index++) moved.add(`client-${index}`, `agent-${index}`);
    moved.add("client-7", "elsewhere");
    assert.deepEqual(
      [kept.length, kept.at(-1), moved.agentIdOf("first"), moved.clientIdOf("a")],
      [500, ["client-7", "elsewhere"], undefined, undefined],
    );
    assert.deepEqual([moved.clientIdOf("elsewhere"), moved.clientIdOf("agent-7")], ["client-7", undefined]);
  });
});

describe("Chains, with sessions that moved", () => {
  it("remember them", async () => {
    const beta = new PlayedAgent({ "session/new": { sessionId: "theirs" } });
    const stage = new ChainsStage({ agents: { beta } });
    await stage.initialize();
    const sessionId = await stage.session();
    await stage.choose(sessionId, "beta");
    assert.deepEqual(stage.moved, [[sessionId, "theirs"]]);
  });

  it("load one again by the client's id, its history included", async () => {
    const stage = new ChainsStage({ moved: [["mine", "theirs"]] });
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
    const stage = new ChainsStage({ agents: { alpha }, moved: [["mine", "theirs"]] });
    await stage.initialize();
    assert.equal((await stage.error("session/load", { sessionId: "mine", ...where }))["code"], -32002);
    await stage.prompt("mine", "echo who");
    assert.equal(alpha.peer.received.at(-1)?.params?.object?.["sessionId"], "mine");
  });

  it("list them by the ids that the client knows", async () => {
    const sessions = [
      { sessionId: "theirs", cwd: "/w", title: "Moved" },
      { sessionId: "other", cwd: "/w" },
    ];
    const alpha = new PlayedAgent({ "session/list": { sessions, nextCursor: "more" } });
    const stage = new ChainsStage({ agents: { alpha }, moved: [["mine", "theirs"]] });
    await stage.initialize();
    assert.deepEqual(await stage.result("session/list", {}), {
      sessions: [{ ...sessions[0], sessionId: "mine" }, sessions[1]],
      nextCursor: "more",
    });
  });
});
