import assert from "node:assert/strict";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { GatheredChanges } from "../../../src/features/review/turns/gathered-changes.js";

describe("gathered changes", () => {
  it("are told once for all that came at once, and at the end of what takes many in, also where that fails", async () => {
    let told = 0;
    const gathered = new GatheredChanges(() => told++);
    gathered.changed();
    gathered.changed();
    await turnOfTheLoop();
    assert.equal(told, 1);
    const failing = gathered.take(async () => {
      gathered.changed();
      await turnOfTheLoop();
      await turnOfTheLoop();
      assert.equal(told, 1);
      throw new Error("stop");
    });
    await assert.rejects(failing, /stop/);
    assert.deepEqual([told, gathered.isTaking], [2, false]);
    gathered.changed();
    await turnOfTheLoop();
    assert.equal(told, 3);
  });

  it("can be waited for until they are told, however many are taken in at once", async () => {
    let told = 0;
    const gathered = new GatheredChanges(() => told++);
    let end: () => void = () => undefined;
    const first = gathered.take(() => new Promise<void>((resolve) => (end = resolve)));
    const second = gathered.take(() => turnOfTheLoop());
    gathered.changed();
    let isTold = false;
    const waited = gathered.whenTold().then(() => (isTold = true));
    await second;
    await turnOfTheLoop();
    assert.deepEqual([isTold, told], [false, 0]);
    end();
    await Promise.all([first, waited]);
    assert.equal(told, 1);
    gathered.changed();
    await gathered.whenTold();
    assert.equal(told, 2);
  });
});
