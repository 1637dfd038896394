import assert from "node:assert/strict";
import type { Continuing } from "../../../src/conductor/choices/chain-selection.js";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { withMember } from "../../../src/base/rpc/json-edit.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Outcome } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { PlayedAgent } from "../chain/chain-fixture.js";
import { ChainsStage, settled } from "./chains-stage.js";

/** Records the requested continuations and the number of completed ones. */
class Kept {
  readonly wanted: unknown[] = [];
  done = 0;
  readonly continuing: Continuing = (opening, wanted) => {
    this.wanted.push(wanted);
    return Promise.resolve({ opening: withMember(opening, ["_meta"], Json.of("on")), done: () => (this.done += 1) });
  };
}

async function begun(
  options: ConstructorParameters<typeof ChainsStage>[0] = {},
): Promise<readonly [stage: ChainsStage, sessionId: string]> {
  const stage = new ChainsStage(options);
  await stage.initialize();
  const sessionId = await stage.session();
  await stage.prompt(sessionId, "echo begun");
  stage.client.received.splice(0);
  return [stage, sessionId];
}

function failing(error: RpcError): PlayedAgent {
  return new PlayedAgent({ "session/new": { sessionId: "other" }, "session/prompt": Outcome.error(error) });
}

describe("/symposium:continue", () => {
  it("has another agent go on, and lets the session before go once that has answered", async () => {
    const kept = new Kept();
    const [stage, sessionId] = await begun({ continuing: kept.continuing });
    const { json } = await stage.prompt(sessionId, "/symposium:continue Beta");
    assert.deepEqual(json.value, { stopReason: "end_turn" });
    assert.match(
      stage.client.text,
      /Done: Beta continues this conversation.* Alpha's session stays open until the new agent answers\./,
    );
    assert.deepEqual(
      [kept.wanted, kept.done],
      [[{ session: sessionId, agent: "alpha", isFresh: false, named: undefined }], 1],
    );
    const [, opened] = stage.chain(1).received.received;
    assert.deepEqual(opened?.params?.value, { _meta: "on", cwd: "/w", mcpServers: [] });
    assert.equal(stage.chain(0).received.methods.includes("session/close"), false);
    await stage.prompt(sessionId, "echo from the new one");
    await settled();
    assert.match(stage.client.text, /from the new one/);
    assert.equal(stage.chain(0).received.methods.at(-1), "session/close");
    assert.deepEqual(stage.saved, []);
  });

  it("brings the session back where the first prompt fails, and says why", async () => {
    const agents = { beta: failing(RpcError.internal("no money left")) };
    const [stage, sessionId] = await begun({ continuing: new Kept().continuing, agents });
    await stage.prompt(sessionId, "/symposium:continue beta");
    const failed = await stage.prompt(sessionId, "go on");
    assert.equal(failed.isError, true);
    assert.match(stage.client.text, /Beta did not answer: No money left\. This conversation is back with Alpha\./);
    await stage.prompt(sessionId, "echo still here");
    assert.match(stage.client.text, /still here/);
    assert.equal(stage.chain(0).received.methods.includes("session/close"), false);
  });

  it("leaves everything as it was where the conversation is not kept, or the agent does not start", async () => {
    const continuing: Continuing = () => Promise.reject(new SymposiumError("invalid-arguments", "It is not kept."));
    const [stage, sessionId] = await begun({ continuing });
    await stage.prompt(sessionId, "/symposium:continue beta");
    assert.match(stage.client.text, /Not changed: Beta can't continue this conversation\. It is not kept\./);
    const [other, otherId] = await begun({ continuing: new Kept().continuing, agents: { beta: new Error("gone") } });
    await other.prompt(otherId, "/symposium:continue beta");
    assert.match(other.client.text, /Beta can't continue this conversation\. gone/i);
    await other.prompt(otherId, "echo still here");
    assert.match(other.client.text, /still here/);
  });

  it("goes on with another conversation in a session without a prompt, with the same agent, too", async () => {
    const kept = new Kept();
    const stage = new ChainsStage({ continuing: kept.continuing });
    await stage.initialize();
    const sessionId = await stage.session();
    await stage.prompt(sessionId, "/symposium:continue alpha 1f2e");
    assert.deepEqual(kept.wanted, [{ session: sessionId, agent: undefined, isFresh: true, named: "1f2e" }]);
    await stage.prompt(sessionId, "echo on");
    assert.match(stage.client.text, /Alpha continues this conversation[^]*on\n/);
    await stage.prompt(sessionId, "/symposium:continue beta 1f2e");
    assert.match(stage.client.text, /This session has already started\. Continue "1f2e" in a new session\./);
  });

  it("names the agents without one, and what is none", async () => {
    const [stage, sessionId] = await begun({ continuing: new Kept().continuing });
    await stage.prompt(sessionId, "/symposium:continue");
    assert.match(stage.client.text, /\*\*alpha\*\* \(Alpha\), has this session: the first/);
    await stage.prompt(sessionId, "/symposium:continue gamma");
    assert.match(stage.client.text, /"gamma" is no agent\. There are: `alpha`, `beta`\./);
  });
});

describe("A prompt that fails", () => {
  const said = async (error: RpcError): Promise<string> => {
    const stage = new ChainsStage({ continuing: new Kept().continuing, agents: { alpha: failing(error) } });
    await stage.initialize();
    const sessionId = await stage.session();
    await stage.prompt(sessionId, "one");
    await stage.prompt(sessionId, "two");
    return stage.client.text;
  };

  it("has the user offered other agents once, with the reason", async () => {
    const offered =
      "Use `/symposium:continue NAME` to continue with another agent, here or in a new session. It gets the history of this conversation. Agents: `beta`.";
    const reasons = [
      [RpcError.internal("You have hit your usage limit."), "has reached a limit"],
      [new RpcError(-32000, "Sign in"), "is not signed in"],
      [RpcError.internal("The agent exited."), "did not answer"],
    ] as const;
    for (const [error, reason] of reasons) assert.equal(await said(error), `Alpha ${reason}. ${offered}\n\n`);
  });

  it("offers nothing where what was sent is wrong", async () => {
    assert.equal(await said(new RpcError(-32602, "Bad block")), "");
  });
});
