import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConflictStore } from "../../../src/features/worktrees/conflict-store.js";
import { OpenConflicts } from "../../../src/features/worktrees/open-conflicts.js";

describe("the conflicts that nobody has answered", () => {
  let folder: string;
  let store: ConflictStore;
  const conflict = {
    ...{ path: "/shop/cart.ts", theirFile: "/shop.worktrees/fix/cart.ts", name: "fix", tabId: "tab" },
    ...{ start: 1, ours: "mine\n", theirs: null, isWhole: false, found: "one\nmine\n" },
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium conflicts "));
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
    return new OpenConflicts(store, () => undefined);
  }

  function startsOf(list: readonly { readonly start: number }[]): readonly number[] {
    return list.map(({ start }) => start);
  }

  it("are those that were left, and those that were found before they were read", async () => {
    await stored("ours", 1, 2);
    const ours = opened();
    ours.mark("other", "fix", [{ ...conflict, start: 3 }]);
    await ours.restore();
    await store.flush();
    assert.deepEqual(
      [startsOf(ours.list), startsOf(await storeOf("ours").load())],
      [
        [1, 2, 3],
        [1, 2, 3],
      ],
    );
  });

  it("of a tab that is merged anew are the new ones", async () => {
    await stored("ours", 1, 2);
    const ours = opened();
    await ours.restore();
    ours.mark("tab", "fix", []);
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
