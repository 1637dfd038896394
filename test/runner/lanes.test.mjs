import assert from "node:assert/strict";
import { runInLanes } from "../../scripts/test/lanes.mjs";

describe("lanes", () => {
  /** Runs `parts`, of which each ends when all that started before it have ended; returns what was running at each start. */
  async function startsOf(parts, count) {
    const running = new Set();
    const starts = [];
    await runInLanes(parts, count, async ({ name }) => {
      running.add(name);
      starts.push([...running].join(" "));
      await Promise.resolve();
      running.delete(name);
    });
    return starts;
  }

  it("run as many parts at once as there are lanes", async () => {
    const parts = ["a", "b", "c"].map((name) => ({ name }));
    assert.deepEqual(await startsOf(parts, 1), ["a", "b", "c"]);
    assert.equal((await startsOf(parts, 2))[1], "a b");
  });

  it("keep apart what uses the same thing, and run others meanwhile", async () => {
    const parts = [{ name: "a", uses: "bundle" }, { name: "b", uses: "bundle" }, { name: "c" }];
    const starts = await startsOf(parts, 2);
    assert.deepEqual(starts.slice(0, 2), ["a", "a c"]);
    assert.deepEqual(
      starts.filter((names) => names.includes("a") && names.includes("b")),
      [],
    );
    assert.equal(starts.length, 3);
  });
});
