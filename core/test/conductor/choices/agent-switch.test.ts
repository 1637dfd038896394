import assert from "node:assert/strict";
import { SetupStage } from "../../agents/setup-stage.js";
import { settled } from "./chains-stage.js";

describe("the switch of an agent that hands its sessions over", () => {
  const params = { cwd: "/w", mcpServers: [] };

  it("keeps the chain without sessions that has started the one in use", async () => {
    const stage = new SetupStage({ inner: { "session/close": {} } });
    const id = await stage.open();
    await stage.prompt(id, "2");
    const { sessionId } = (await stage.ask("session/new", params)).json.object ?? {};
    await stage.ask("session/close", { sessionId: id });
    await stage.ask("session/close", { sessionId });
    await settled();
    assert.equal(stage.chain.isDisposed, false);
    stage.chain.fail("It has ended.");
    const again = await stage.open();
    assert.equal((await stage.answer(again, "2")).text.endsWith("You are now talking to Beta.\n\n"), true);
    assert.deepEqual([stage.chains.length, stage.chains[0]?.isDisposed], [2, true]);
  });

  it("answers prompts that wait for the one before when the turn is cancelled", async () => {
    const stage = new SetupStage({ save: () => new Promise(() => undefined) });
    const id = await stage.open();
    const turns = [stage.prompt(id, "2"), stage.prompt(id, "work")];
    stage.notify("session/cancel", { sessionId: id });
    assert.deepEqual(
      (await Promise.all(turns)).map(({ json }) => json.value),
      [{ stopReason: "cancelled" }, { stopReason: "cancelled" }],
    );
  });

  it("ends a chain that is still being made when the client leaves", async () => {
    let isDisposed = false;
    let finish: () => void = () => undefined;
    const made = new Promise<void>((resolve) => (finish = resolve));
    const stage = new SetupStage({
      open: async () => {
        await made;
        return {
          fromClient: { request: () => () => undefined, notify: () => undefined },
          [Symbol.asyncDispose]: () => {
            isDisposed = true;
            return Promise.resolve();
          },
        };
      },
    });
    const id = await stage.open();
    const turn = stage.prompt(id, "2");
    await settled();
    const left = stage.connection[Symbol.asyncDispose]();
    finish();
    await left;
    assert.deepEqual([(await turn).json.value, isDisposed], [{ stopReason: "cancelled" }, true]);
  });
});
