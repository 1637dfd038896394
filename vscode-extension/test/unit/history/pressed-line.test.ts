import assert from "node:assert/strict";
import { DrawnLines } from "../../../src/features/history/pressed-line.js";

describe("the lines of a list that gets others while it is open", () => {
  it("are those that are drawn, by their places, until the window has drawn the others", async () => {
    const waiting: (() => void)[] = [];
    const lines = new DrawnLines<string>(() => new Promise((resolve) => waiting.push(resolve)));
    const reach = async (given: Promise<void>): Promise<void> => {
      waiting.shift()?.();
      await given;
    };
    // VS Code names the line of the list that it was last given.
    const told = (latest: readonly string[]) => latest.map((line) => lines.meant(line));
    await reach(lines.gave(["a", "b"]));
    const seen = [told(["a", "b"])];
    const [second, third] = [lines.gave(["b", "c", "d"]), lines.gave(["d"])];
    seen.push(told(["d"]));
    const behind = [lines.isBehind];
    await reach(second);
    seen.push(told(["d"]));
    behind.push(lines.isBehind);
    await reach(third);
    seen.push(told(["d"]));
    behind.push(lines.isBehind);
    assert.deepEqual(seen, [["a", "b"], ["a"], ["b"], ["d"]]);
    assert.deepEqual(behind, [true, true, false]);
  });

  it("are those of the first list, also before it is known to be drawn", () => {
    const lines = new DrawnLines<string>(() => new Promise(() => undefined));
    void lines.gave(["a", "b"]);
    assert.deepEqual([lines.meant("b"), lines.isBehind], ["b", false]);
  });

  it("are none where the list that is drawn has none in that place", async () => {
    const waiting: (() => void)[] = [];
    const lines = new DrawnLines<string>(() => new Promise((resolve) => waiting.push(resolve)));
    const first = lines.gave(["a"]);
    waiting.shift()?.();
    await first;
    void lines.gave(["b", "c"]);
    assert.deepEqual([lines.meant("b"), lines.meant("c")], ["a", undefined]);
  });
});
