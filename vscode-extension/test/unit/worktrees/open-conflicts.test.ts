import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConflictStore, type MarkedConflict } from "../../../src/features/worktrees/conflict-store.js";
import { OpenConflicts } from "../../../src/features/worktrees/open-conflicts.js";

describe("the conflicts that nobody has answered", () => {
  let folder: string;
  /** Conflicts at these lines are said to be solved, as soon as this resolves. */
  let solved: Promise<readonly number[]>;
  /** Resolves when somebody asks. */
  let asked: Promise<void>;
  let ask: () => void;
  let store: ConflictStore;
  const conflict = {
    ...{ path: "/shop/cart.ts", theirFile: "/shop.worktrees/fix/cart.ts", name: "fix", tabId: "tab" },
    ...{ start: 1, ours: "mine\n", theirs: null, isWhole: false, found: "one\nmine\n" },
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium conflicts "));
    solved = Promise.resolve([]);
    asked = new Promise((resolve) => (ask = resolve));
    store = storeOf("ours");
  });
  afterEach(async () => {
    await store.flush();
    await rm(folder, { recursive: true });
  });

  function storeOf(name: string): ConflictStore {
    return new ConflictStore(join(folder, name), assert.ifError);
  }

  async function stored(name: string, ...starts: readonly number[]): Promise<void> {
    const left = storeOf(name);
    left.save(() => starts.map((start) => ({ ...conflict, start, id: start })));
    await left.flush();
  }

  function opened(): OpenConflicts {
    const isSolved = async ({ start }: MarkedConflict): Promise<boolean> => {
      ask();
      return (await solved).includes(start);
    };
    return new OpenConflicts({ store, isSolved, onChanged: () => undefined });
  }

  function startsOf(list: readonly { readonly start: number }[]): readonly number[] {
    return list.map(({ start }) => start);
  }

  it("are those that were left and are not solved since, and what is found before git has said so is stored with them", async () => {
    await stored("ours", 1, 2);
    let say: (starts: readonly number[]) => void = () => undefined;
    solved = new Promise((resolve) => (say = resolve));
    const ours = opened();
    const restored = ours.restore();
    await asked;
    ours.mark("other", "fix", [{ ...conflict, start: 3 }]);
    await store.flush();
    assert.deepEqual(startsOf(ours.list), [3]);
    assert.deepEqual(startsOf(await storeOf("ours").load()), [1, 2, 3]);
    say([2]);
    await restored;
    assert.deepEqual(startsOf(ours.list), [1, 3]);
  });

  it("of a tab that is merged anew before git has said so are the new ones", async () => {
    await stored("ours", 1, 2);
    const ours = opened();
    let say: (starts: readonly number[]) => void = () => undefined;
    solved = new Promise((resolve) => (say = resolve));
    const restored = ours.restore();
    await asked;
    ours.mark("tab", "fix", []);
    say([]);
    await restored;
    await store.flush();
    assert.deepEqual([ours.list, await storeOf("ours").load()], [[], []]);
  });

  it("of another window are taken over once, also where this one was killed before it had emptied that store", async () => {
    await stored("ours", 1, 2);
    await stored("theirs", 2, 4);
    const ours = opened();
    await ours.restore();
    const fresh = await ours.adopt(storeOf("theirs"));
    assert.deepEqual([startsOf(fresh), startsOf(ours.list)], [[4], [1, 2, 4]]);
    assert.deepEqual(await storeOf("theirs").load(), []);
    assert.deepEqual(startsOf(await storeOf("ours").load()), [1, 2, 4]);
    ours.remove(ours.list[0]?.id);
    assert.deepEqual(startsOf(ours.list), [2, 4]);
  });
});
