import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OpenTurns } from "../../../src/features/review/open-turns.js";

describe("notes of turns that run", () => {
  let folder: string;
  let file: string;
  const begun = { tabId: "tab", messageId: "prompt", startedAtMs: 1, begun: [{ root: "/work", id: "1" }] };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium open turns "));
    file = join(folder, "open-turns.json");
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("leave to the next window what runs when this one closes, with the files that others changed by then", async () => {
    const turns = new OpenTurns(file);
    const others = new Set<string>();
    turns.begin(begun, others);
    others.add("/work/mine.txt");
    turns.leave();
    await turns.flush();
    const left = await new OpenTurns(file).left();
    assert.deepEqual(left?.turns, [{ ...begun, others: ["/work/mine.txt"] }]);
    assert.equal(await new OpenTurns(file).left(), undefined);
  });

  it("are another window's while that lives, and nobody's when its process id is another program's by now", async () => {
    const stored = (aliveAtMs: number): string =>
      JSON.stringify({ version: 1, pid: process.ppid, aliveAtMs, turns: [{ ...begun, others: [] }] });
    await writeFile(file, stored(Date.now()));
    assert.equal(await new OpenTurns(file).left(), undefined);
    await writeFile(file, stored(Date.now() - 3_600_000));
    assert.equal((await new OpenTurns(file).left())?.turns.length, 1);
  });
});
