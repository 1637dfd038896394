import assert from "node:assert/strict";
import { changedOf } from "../../../src/features/review/review-answers.js";
import { paths, tab, World } from "./review-world.js";

const [path, other] = paths;

describe("the files that an undo or a restore changed", () => {
  /** A file in which the agent changed some lines, and somebody else the first of them again. */
  async function mixed(...changed: readonly number[]): Promise<World> {
    const world = new World();
    const write = (text: string, from: string, to: string): string => text.replace(`${from}\r\n`, `${to}\r\n`);
    const agents = changed.reduce(
      (text, line) => write(text, `committed ${line}`, `agent ${line}`),
      world.diskText(path) ?? "",
    );
    await world.agentWrites(path, agents, false);
    world.disk.set(path, write(agents, `agent ${changed[0]}`, `agent ${changed[0]} and others`));
    return world;
  }

  it("lack a file whose only change is refused", async () => {
    const world = await mixed(1);
    const { isUndone, refusal } = await world.answers.undo(path);
    assert.deepEqual([isUndone, refusal?.reason], [false, "mixed"]);
    assert.deepEqual(changedOf([path, other], refusal ? [refusal] : []), [other]);
  });

  it("have a file whose refused change is undone with the others' lines, if the user chooses that", async () => {
    const world = await mixed(1);
    const before = new World().diskText(path);
    const { refusal } = await world.answers.undo(path);
    const { isUndone } = await world.answers.undo(path, refusal?.undo?.hunkId, true);
    assert.deepEqual([refusal?.undo !== undefined, isUndone, world.diskText(path)], [true, true, before]);
  });

  it("have a file of which a part is refused, after an undo", async () => {
    const world = await mixed(1, 6);
    const { isUndone, refusal } = await world.answers.undo(path);
    assert.deepEqual([isUndone, refusal?.reason], [true, "mixed"]);
    assert.deepEqual(changedOf([path], refusal ? [refusal] : []), [path]);
  });

  it("have a file of which a part is refused, after a restore, unless the file changes meanwhile", async () => {
    const world = await mixed(1, 6);
    const plan = await world.answers.planRestore(world.checkpoints.since(tab, "prompt 0") ?? new Map());
    assert.deepEqual(
      [plan.files.map((file) => file.path), plan.refusals.map(({ reason }) => reason)],
      [[path], ["mixed"]],
    );
    world.disk.set(path, "of others\n");
    const refused = await world.answers.restore(tab, plan.files);
    assert.deepEqual(changedOf([path], plan.refusals), [path]);
    assert.deepEqual(changedOf([path], [...plan.refusals, ...refused]), []);
  });
});
