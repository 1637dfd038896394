import assert from "node:assert/strict";
import { abortOf, untilAborted, whenAborted } from "../../src/base/until-aborted.js";

describe("what waits for an abort", () => {
  it("hears of it once, also where it has been", async () => {
    const heard: string[] = [];
    const controller = new AbortController();
    whenAborted(controller.signal, () => heard.push("to come"));
    assert.equal(heard.length, 0);
    controller.abort();
    whenAborted(controller.signal, () => heard.push("has been"));
    await abortOf(controller.signal);
    assert.deepEqual(heard, ["to come", "has been"]);
  });

  it("gives work up with the reason, and else has what it comes to", async () => {
    const never = new Promise<string>(() => undefined);
    await assert.rejects(untilAborted(never, AbortSignal.abort(new Error("enough"))), /enough/);
    assert.equal(await untilAborted(Promise.resolve("done"), new AbortController().signal), "done");
  });
});
