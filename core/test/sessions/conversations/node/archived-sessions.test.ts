import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archivedIn, setArchived } from "../../../../src/sessions/conversations/node/archived-sessions.js";

describe("the archive of conversations", () => {
  let folder = "";
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "archive-"))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("has a conversation until it is moved out or used again", async () => {
    await setArchived(folder, ["a", "b"], true, 10);
    const isArchived = await archivedIn(folder);
    const states = [["a", 10] as const, ["a", 11] as const, ["b", 9] as const, ["c", 1] as const];
    assert.deepEqual(
      states.map(([id, updated]) => isArchived({ id, updated })),
      [true, false, true, false],
    );
    await setArchived(folder, ["b"], false);
    const later = await archivedIn(folder);
    assert.deepEqual([later({ id: "a", updated: 1 }), later({ id: "b", updated: 1 })], [true, false]);
  });

  it("is empty if its file is damaged, which the next change sets aside", async () => {
    await writeFile(join(folder, "archived.json"), '[["a",');
    assert.equal((await archivedIn(folder))({ id: "a", updated: 1 }), false);
    assert.match((await setArchived(folder, ["b"], true, 1)) ?? "", /archived\.json\.broken-\d{14}$/);
    assert.equal((await archivedIn(folder))({ id: "b", updated: 1 }), true);
  });
});
