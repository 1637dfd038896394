import assert from "node:assert/strict";
import { Outcome } from "../../src/base/rpc/message.js";
import { RpcError } from "../../src/base/rpc/rpc-error.js";
import { received, SetupStage, unanswered } from "./setup-stage.js";

const refused = Outcome.error(new RpcError(-32000, "Authentication required"));

describe("sessions of the setup agent", () => {
  it("do not greet once the configured agent has them", async () => {
    let finishReload: (found: "ok") => void = () => undefined;
    const slowReload = new Promise<"ok">((resolve) => {
      finishReload = resolve;
    });
    let reloads = 0;
    const stage = new SetupStage({ reload: () => (++reloads === 1 ? slowReload : Promise.resolve("ok")) });
    const opened = await stage.ask("session/new", { cwd: "/", mcpServers: [] });
    // The greeting waits for its reading of the file while the prompt overtakes it.
    await Promise.resolve();
    await stage.prompt(String(opened.json.object?.["sessionId"]), "work");
    finishReload("ok");
    await stage.ask("session/prompt", { sessionId: "another", prompt: [] });
    assert.deepEqual(stage.client.updates, []);
  });

  it("lose their alias when they are closed", async () => {
    const stage = new SetupStage({ inner: { "session/close": {} } });
    const id = await stage.open();
    await stage.prompt(id, "2");
    await stage.ask("session/close", { sessionId: id });
    await stage.ask("session/prompt", { sessionId: id, prompt: [] });
    assert.deepEqual(received(stage.chain.fromClient).at(-1), ["session/prompt", { sessionId: id, prompt: [] }]);
  });

  it("stop the agent when the last one that waits for sign-in is closed", async () => {
    const stage = new SetupStage({ inner: { "session/new": refused } });
    const id = await stage.open();
    await stage.prompt(id, "2");
    assert.equal(stage.chain.isDisposed, false);
    await stage.ask("session/close", { sessionId: id });
    assert.equal(stage.chain.isDisposed, true);
  });

  it("stay at the sign-in question when another attempt is cancelled", async () => {
    let isFirst = true;
    const stage = new SetupStage({
      inner: {
        "session/new": () => {
          if (!isFirst) return undefined;
          isFirst = false;
          return refused;
        },
      },
    });
    const id = await stage.open();
    await stage.prompt(id, "2");
    // A cancellation that comes late for the turn before changes nothing either.
    stage.notify("session/cancel", { sessionId: id });
    stage.chain.fromClient.received.splice(0);
    const turn = stage.prompt(id, "retry");
    await stage.chain.fromClient.waitFor("session/new");
    stage.notify("session/cancel", { sessionId: id });
    assert.deepEqual((await turn).json.value, { stopReason: "cancelled" });
    assert.deepEqual([stage.chain.fromClient.received.at(-1)?.kind, stage.chain.isDisposed], ["cancel", false]);
    const { text } = await stage.answer(id, "hello");
    assert.equal(text.startsWith("Beta answers once you have signed in."), true);
  });

  it("start one agent when two of them find the configuration at the same time", async () => {
    const stage = new SetupStage();
    const [first, second] = [await stage.open(), await stage.open()];
    stage.found = "ok";
    await Promise.all([stage.prompt(first, "work"), stage.prompt(second, "retry")]);
    assert.equal(stage.chains.length, 1);
  });

  it("understand retry also when they were never shown the list", async () => {
    let isRefusing = true;
    const stage = new SetupStage({
      inner: {
        initialize: unanswered,
        "session/new": ({ params }) =>
          isRefusing && params?.object?.["cwd"] === "/late"
            ? Outcome.error(RpcError.internal("busy"))
            : { sessionId: "inner-1" },
      },
    });
    const first = await stage.open();
    const turn = stage.prompt(first, "2");
    const chain = await stage.chainOpened();
    await chain.fromClient.waitFor("initialize");
    const late = await stage.open({ cwd: "/late", mcpServers: [] });
    chain.fromClient.open[0]?.reply(Outcome.of({ protocolVersion: 1 }));
    await turn;
    await stage.prompt(late, "work");
    isRefusing = false;
    assert.equal((await stage.answer(late, "retry")).text, "You are now talking to Beta.\n\n");
    assert.equal(chain.fromClient.methods.includes("session/prompt"), false);
  });
});
