import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OpenTurnsFile } from "../../../src/features/review/turns/open-turns-file.js";

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
    const turns = new OpenTurnsFile(file);
    const others = new Set<string>();
    turns.begin(begun, others);
    others.add("/work/mine.txt");
    turns.leave();
    await turns.flush();
    const expected = [{ ...begun, others: ["/work/mine.txt"] }];
    assert.deepEqual((await new OpenTurnsFile(file).left())?.turns, expected);
    // The window that took them up was killed before it had stored them.
    const next = new OpenTurnsFile(file);
    assert.deepEqual((await next.left())?.turns, expected);
    next.taken();
    await next.flush();
    assert.equal(await new OpenTurnsFile(file).left(), undefined);
  });

  it("are kept aside where they cannot be understood, and left alone where they cannot be read or are the next window's", async () => {
    await writeFile(file, '{"version":2}');
    assert.equal(await new OpenTurnsFile(file).left(), undefined);
    assert.match((await readdir(folder)).join(), /^open-turns\.json\.broken-\d+$/);
    await mkdir(file);
    await assert.rejects(new OpenTurnsFile(file).left(), { code: "EISDIR" });
    await rm(file, { recursive: true });
    await writeFile(file, "theirs");
    const notes = new OpenTurnsFile(file);
    notes.passOn();
    notes.begin(begun, new Set());
    notes.end("tab");
    await notes.flush();
    assert.equal(await readFile(file, "utf8"), "theirs");
  });
});
