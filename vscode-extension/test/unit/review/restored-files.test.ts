import assert from "node:assert/strict";
import { plannedLabel, RestoredFiles } from "../../../src/features/review/restore/restored-files.js";
import { UndoneFiles } from "../../../src/features/review/restore/undone-files.js";
import { paths, tab, World } from "./review-world.js";

const [path, other] = paths;

describe("files that were put back", () => {
  async function restored(world: World): Promise<RestoredFiles> {
    await world.agentWrites(path, "the agent's\n", false);
    await world.agentWrites(other, "the agent's, too\n", false);
    const { files } = await world.answers.planRestore(world.checkpoints.since(tab, "prompt 0") ?? new Map());
    const restores = new RestoredFiles(world.answers, () => undefined);
    assert.deepEqual(await restores.restore(tab, "prompt 0", files), []);
    assert.equal(world.diskText(other), null);
    return restores;
  }

  it("are kept until an undo of that has written each of them", async () => {
    const world = new World();
    const restores = await restored(world);
    const before = world.diskText(path);
    world.disk.set(path, "somebody else's\n");
    assert.deepEqual(
      (await restores.undo(tab)).map((refusal) => refusal.path),
      [path],
    );
    assert.deepEqual([world.diskText(path), world.diskText(other)], ["somebody else's\n", "the agent's, too\n"]);
    assert.equal(restores.promptOf(tab), "prompt 0");
    world.disk.set(path, before);
    assert.deepEqual(await restores.undo(tab), []);
    assert.deepEqual([world.diskText(path), restores.promptOf(tab)], ["the agent's\n", undefined]);
  });

  it("are named with what a restore does to the file itself", async () => {
    const world = new World();
    await world.agentWrites(path, null, false);
    await world.agentWrites(other, "the agent's\n", false);
    const { files } = await world.answers.planRestore(world.checkpoints.since(tab, "prompt 0") ?? new Map());
    const labels = files.map((file) => plannedLabel(file, file.path));
    assert.deepEqual(labels, [`${path} (created again)`, `${other} (deleted)`]);
  });

  it("come back around a line that somebody else changed since", async () => {
    const world = new World();
    const text = (second: string, last: string): string => `one\n${second}\nthree\nfour\n${last}\n`;
    world.disk.set(path, text("two", "five"));
    await world.agentWrites(path, text("the agent's", "five"), false);
    const { files } = await world.answers.planRestore(world.checkpoints.since(tab, "prompt 0") ?? new Map());
    const restores = new RestoredFiles(world.answers, () => undefined);
    assert.deepEqual(await restores.restore(tab, "prompt 0", files), []);
    world.disk.set(path, text("two", "somebody else's"));
    assert.deepEqual(await restores.undo(tab), []);
    assert.equal(world.diskText(path), text("the agent's", "somebody else's"));
    assert.equal(restores.promptOf(tab), undefined);
  });

  it("come back after an undo of several, around a line that somebody else changed since", async () => {
    const world = new World();
    const before = world.diskText(path) ?? "";
    const agents = before.replace(/^.*/, "the agent's");
    await world.agentWrites(path, agents, false);
    await world.agentWrites(other, "the agent's, too\n", false);
    const undone = new UndoneFiles(world.answers);
    for (const file of [path, other]) undone.add(file, tab, await world.answers.undo(file));
    assert.deepEqual([undone.count, world.diskText(path), world.diskText(other)], [2, before, null]);
    world.disk.set(path, `${before}somebody else's\r\n`);
    assert.deepEqual(await undone.redo(), []);
    assert.deepEqual(
      [world.diskText(path), world.diskText(other)],
      [`${agents}somebody else's\r\n`, "the agent's, too\n"],
    );
    assert.deepEqual(
      world.book.files(tab).map((file) => file.path),
      [path, other],
    );
  });

  it("are forgotten when a turn begins while that is undone", async () => {
    const world = new World();
    const restores = await restored(world);
    world.disk.set(path, "somebody else's\n");
    const undone = restores.undo(tab);
    restores.forget(tab);
    await undone;
    assert.equal(restores.promptOf(tab), undefined);
  });
});
