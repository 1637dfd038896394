import assert from "node:assert/strict";
import fc from "fast-check";
import { committed, paths, tab, World } from "./review-world.js";

const path = fc.constantFrom(...paths);
const edit = fc.record({
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(3),
  added: fc.nat(3),
});
const number = fc.nat(3);
const yes = fc.boolean();

/** Changes to files by the agent and the user, as values that a counterexample shows. */
const doings = {
  agentEdits: fc.record({ kind: fc.constant("agent edits" as const), path, edit, isThroughEditor: yes }),
  agentDeletes: fc.record({ kind: fc.constant("agent deletes" as const), path }),
  userTypes: fc.record({ kind: fc.constant("user types" as const), path, edit }),
  userSaves: fc.record({ kind: fc.constant("user saves" as const), path }),
  userWrites: fc.record({ kind: fc.constant("user writes on disk" as const), path, edit, isHeard: yes }),
  userRemoves: fc.record({ kind: fc.constant("user removes" as const), path }),
  checkout: fc.record({ kind: fc.constant("git checkout" as const) }),
  nextPrompt: fc.record({ kind: fc.constant("next prompt" as const), number }),
  restart: fc.record({ kind: fc.constant("restart" as const) }),
};

/** The user's answers in the review. They may remove only the agent's words. */
const answers = {
  undoes: fc.record({ kind: fc.constant("undo" as const), path }),
  undoesOne: fc.record({ kind: fc.constant("undo one" as const), path, number }),
  undoesInARace: fc.record({ kind: fc.constant("undo in a race" as const), path, edit }),
  keeps: fc.record({ kind: fc.constant("keep" as const), path }),
  keepsOne: fc.record({ kind: fc.constant("keep one" as const), path, number }),
  restores: fc.record({ kind: fc.constant("restore" as const), number }),
};

type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never;
type AnyDoing = ValueOf<(typeof doings)[keyof typeof doings]>;
type AnyAnswer = ValueOf<(typeof answers)[keyof typeof answers]>;

async function happen(world: World, doing: AnyDoing): Promise<void> {
  switch (doing.kind) {
    case "agent edits": {
      const unsaved = doing.isThroughEditor ? world.unsaved.get(doing.path)?.text : undefined;
      const text = world.edited(unsaved ?? world.diskText(doing.path), "agent", doing.edit);
      return world.agentWrites(doing.path, text, doing.isThroughEditor);
    }
    case "agent deletes":
      return world.agentWrites(doing.path, null, false);
    case "user types": {
      world.userTypes(doing.path, doing.edit);
      return;
    }
    case "user saves": {
      world.userSaves(doing.path);
      return;
    }
    case "user writes on disk":
      world.disk.set(doing.path, world.edited(world.diskText(doing.path), "user", doing.edit));
      if (doing.isHeard) await world.answers.learn(doing.path);
      return;
    case "user removes":
      world.disk.set(doing.path, null);
      return;
    case "git checkout":
      for (const [file, text] of committed) world.disk.set(file, text);
      return;
    case "next prompt":
      await world.changes.turnEnded(tab);
      world.checkpoints.promptStarted(tab, `prompt ${doing.number}`);
      return;
    case "restart":
      return world.restart();
  }
}

async function answer(world: World, given: AnyAnswer): Promise<void> {
  const hunkId = (file: string, index: number): string => world.book.find(file)?.review.hunks[index]?.id ?? "none";
  switch (given.kind) {
    case "undo":
      await world.answers.undo(given.path);
      return;
    case "undo one":
      await world.answers.undo(given.path, hunkId(given.path, given.number));
      return;
    case "undo in a race":
      world.intruder = () => {
        const added = { ...given.edit, removed: 0 };
        world.disk.set(given.path, world.edited(world.diskText(given.path), "user", added));
      };
      await world.answers.undo(given.path);
      world.intruder = undefined;
      return;
    case "keep":
      await world.keep(given.path);
      return;
    case "keep one":
      await world.keep(given.path, hunkId(given.path, given.number));
      return;
    case "restore": {
      const steps = world.checkpoints.since(tab, `prompt ${given.number}`);
      if (steps) await world.answers.restore(tab, (await world.answers.planRestore(steps)).files);
    }
  }
}

const doing = fc.oneof(
  { weight: 5, arbitrary: doings.agentEdits },
  doings.agentDeletes,
  { weight: 3, arbitrary: doings.userTypes },
  { weight: 2, arbitrary: doings.userSaves },
  { weight: 4, arbitrary: doings.userWrites },
  doings.userRemoves,
  doings.checkout,
  doings.nextPrompt,
  doings.restart,
);
const steps = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ doing }) },
    { weight: 1, arbitrary: fc.record({ answer: fc.oneof(...Object.values(answers)) }) },
  ),
  { minLength: 2, maxLength: 25 },
);

type Step = { readonly doing: AnyDoing } | { readonly answer: AnyAnswer };

async function checkWords(all: readonly Step[]): Promise<void> {
  const world = new World();
  for (const step of all) {
    if ("doing" in step) {
      await happen(world, step.doing);
      continue;
    }
    const before = (await world.wordsOfOthers()).filter((word) => !world.givenUp.has(word));
    await answer(world, step.answer);
    const after = new Set(await world.wordsOfOthers());
    const gone = before.filter((word) => !after.has(word));
    assert.deepEqual(gone, [], `${step.answer.kind} took words of the user's`);
    const restored = step.answer.kind === "restore" ? [...after].filter((word) => !before.includes(word)) : [];
    for (const word of restored) world.givenUp.add(word);
  }
}

describe("the user's words", () => {
  it("survive where the agent saves what was not saved of a file that it had deleted", async () => {
    const path = "/project/tax.ts";
    const nothing = { from: 0, removed: 0, added: 0 };
    await checkWords([
      { doing: { kind: "user types", path, edit: { ...nothing, added: 1 } } },
      { doing: { kind: "user writes on disk", path, edit: nothing, isHeard: false } },
      { doing: { kind: "agent deletes", path } },
      { doing: { kind: "agent edits", path, edit: nothing, isThroughEditor: true } },
      { answer: { kind: "undo", path } },
    ]);
  });

  it("are left where they are unsaved and others are on disk, for that reason", async () => {
    const world = new World();
    const [path] = paths;
    const committedText = world.diskText(path) ?? "";
    await world.agentWrites(path, committedText.replace("committed 1", "agent 1"), false);
    world.userTypes(path, { from: 0, removed: 0, added: 1 });
    const unsaved = world.unsaved.get(path)?.text;
    world.disk.set(path, `${world.diskText(path) ?? ""}of another program\r\n`);
    const onDisk = world.diskText(path);
    const { isUndone, refusal } = await world.answers.undo(path);
    assert.deepEqual([isUndone, refusal?.reason], [false, "torn"]);
    assert.deepEqual([world.unsaved.get(path)?.text, world.diskText(path)], [unsaved, onDisk]);
  });

  it("survive every answer to the agent's changes, whoever changed the files in whatever order", async () => {
    await fc.assert(fc.asyncProperty(steps, checkWords), { numRuns: 2_000 });
  });
});
