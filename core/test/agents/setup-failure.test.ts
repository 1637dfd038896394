import assert from "node:assert/strict";
import { Outcome, Request } from "../../src/base/rpc/message.js";
import { RpcError } from "../../src/base/rpc/rpc-error.js";
import type { Answer } from "../../testing/recording-peer.js";
import { SetupStage, unanswered } from "./setup-stage.js";

const remedy = "Fix the problem and type `retry`, or choose another agent.\n\nWhich agent would you like to use?";

async function chosen(
  inner: Readonly<Record<string, Answer>>,
): Promise<{ stage: SetupStage; id: string; text: string }> {
  const stage = new SetupStage({ inner });
  const id = await stage.open();
  const { text } = await stage.answer(id, "2");
  return { stage, id, text };
}

describe("the setup agent and a chosen agent that fails", () => {
  it("repeats the agent's own error when it cannot start, and asks again", async () => {
    const error = RpcError.internal('"beta" is not on PATH: install it.');
    const { stage, id, text } = await chosen({ initialize: Outcome.error(error) });
    assert.equal(text.includes(`Beta could not be started: "beta" is not on PATH: install it.\n\n${remedy}`), true);
    assert.deepEqual([stage.saved, stage.chain.isDisposed], [["beta acp"], true]);
    await stage.answer(id, "1");
    assert.deepEqual(stage.saved, ["beta acp", "npx -y alpha"]);
  });

  it("asks for a number, and tries nothing by itself, after a failed start", async () => {
    const { stage, id } = await chosen({ initialize: Outcome.error(RpcError.internal("no")) });
    stage.found = "ok";
    const { text } = await stage.answer(id, "fix my code");
    assert.equal(text.startsWith("That isn't in the list."), true);
    assert.equal(stage.chains.length, 1);
  });

  it("starts what is saved again on retry", async () => {
    const { stage, id } = await chosen({ initialize: Outcome.error(RpcError.internal("no")) });
    stage.found = "ok";
    const { text } = await stage.answer(id, "retry");
    assert.equal(text.startsWith("The configured agent could not be started: no"), true);
    assert.deepEqual([stage.chains.length, stage.chain.chosen, stage.saved], [2, undefined, ["beta acp"]]);
  });

  it("asks again when the chain fails before it has answered", async () => {
    const stage = new SetupStage({ inner: { initialize: unanswered } });
    const id = await stage.open();
    const turn = stage.prompt(id, "2");
    (await stage.chainOpened()).fail("The agent was stopped by SIGKILL.");
    assert.deepEqual((await turn).json.value, { stopReason: "end_turn" });
    assert.equal(
      stage.client.text.includes(`Beta could not be started: The agent was stopped by SIGKILL.\n\n${remedy}`),
      true,
    );
  });

  it("asks again when starting the chain throws", async () => {
    const stage = new SetupStage({
      open: () => {
        throw new Error("no such extension");
      },
    });
    const id = await stage.open();
    const { text } = await stage.answer(id, "2");
    assert.equal(text.includes("Beta could not be started: no such extension"), true);
  });

  it("refuses an agent that speaks another version of ACP", async () => {
    const { text } = await chosen({ initialize: { protocolVersion: 2 } });
    assert.equal(
      text.includes("Beta could not be started: It uses ACP version 2, but this connection uses version 1."),
      true,
    );
  });

  for (const [answer, why] of [
    [Outcome.error(RpcError.invalidParams("two servers are called x")), "Invalid params: two servers are called x"],
    [{ noSessionId: 1 }, "its answer to session/new has no session id."],
  ] as const) {
    it(`asks again when the agent opens no session: ${why}`, async () => {
      const { stage, text } = await chosen({ "session/new": answer });
      assert.equal(text.includes(`Beta did not open a session: ${why}\n\n${remedy}`), true);
      assert.equal(stage.chain.isDisposed, true);
    });
  }

  it("keeps the agent of the others when it refuses one session, which can be tried again", async () => {
    let isRefusing = false;
    const stage = new SetupStage({
      inner: {
        "session/new": () => (isRefusing ? Outcome.error(RpcError.internal("busy")) : { sessionId: "inner-1" }),
      },
    });
    const [first, second] = [await stage.open(), await stage.open()];
    await stage.answer(first, "2");
    isRefusing = true;
    assert.deepEqual(await stage.answer(second, "work"), {
      text: "Beta did not open a session: busy\n\nFix the problem and type `retry`.\n\n",
      stopReason: "end_turn",
    });
    isRefusing = false;
    assert.equal((await stage.answer(second, "retry")).text, "You are now talking to Beta.\n\n");
    assert.equal(stage.chain.isDisposed, false);
  });

  it("answers what waits for an agent that ends, and takes the session back", async () => {
    const { stage, id } = await chosen({ "session/prompt": unanswered });
    const turn = stage.prompt(id, "work");
    const { chain } = stage;
    chain.fail("The agent was stopped by SIGKILL.");
    assert.deepEqual((await turn).json.value, { code: -32603, message: "The agent was stopped by SIGKILL." });
    const { text } = await stage.answer(id, "1");
    assert.equal(
      text.startsWith(
        "Beta is no longer running: The agent was stopped by SIGKILL.\n\nType `retry` to start it again, or choose an agent.\n\nWhich agent",
      ),
      true,
    );
    assert.deepEqual([chain.isDisposed, stage.saved], [true, ["beta acp"]]);
    stage.found = "ok";
    assert.equal((await stage.answer(id, "retry")).text, "You are now talking to Inner Agent.\n\n");
    void stage.prompt(id, "1");
    assert.equal(stage.chain.fromClient.methods.at(-1), "session/prompt");
  });

  it("says of sessions that only the ended agent knew what became of them", async () => {
    const { stage } = await chosen({});
    stage.chain.fail("The agent exited with code 1.");
    await stage.chain.failed;
    assert.deepEqual((await stage.prompt("inner-9", "work")).json.value, {
      code: -32603,
      message: "Beta is no longer running: The agent exited with code 1. Open a new session.",
      data: { sessionId: "inner-9" },
    });
  });

  it("refuses what an ended agent still asks and drops what it still says", async () => {
    const { stage } = await chosen({});
    const { chain } = stage;
    chain.fail("gone");
    await chain.failed;
    stage.client.received.splice(0);
    chain.say("late");
    let isRefused = false;
    chain.client.request(Request.of("session/request_permission", { sessionId: "inner-1" }), (outcome) => {
      isRefused = outcome.isError;
    });
    assert.deepEqual([isRefused, stage.client.received], [true, []]);
  });
});
