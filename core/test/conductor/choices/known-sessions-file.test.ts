import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../src/base/logger.js";
import type { KnownSession } from "../../../src/conductor/choices/known-sessions.js";
import { KnownSessionsFile } from "../../../src/conductor/choices/node/known-sessions-file.js";

describe("KnownSessionsFile", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-sessions-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (): KnownSessionsFile =>
    new KnownSessionsFile(new Logger(() => undefined), join(folder, "sessions.json"));

  it("knows none where there is no file", async () => {
    assert.deepEqual(await open().read(), []);
  });

  it("keeps what another process has written meanwhile", async () => {
    const [one, other] = [open(), open()];
    one.keep(["a", "1", "eliza"]);
    await one.flushed();
    other.keep(["b", "2", "eliza"]);
    await other.flushed();
    one.keep(["a", "3", "eliza"]);
    one.keep(["c", "4", "eliza"]);
    await one.flushed();
    assert.deepEqual(await open().read(), [
      ["b", "2", "eliza"],
      ["a", "3", "eliza"],
      ["c", "4", "eliza"],
    ]);
  });

  it("keeps a bounded number, the latest ones of all processes", async () => {
    const many = Array.from({ length: 500 }, (_, index): KnownSession => [`old-${index}`, `${index}`, "eliza"]);
    await writeFile(join(folder, "sessions.json"), JSON.stringify(many));
    const [one, other] = [open(), open()];
    other.keep(["a", "1", "eliza"]);
    await other.flushed();
    one.keep(["b", "2", "eliza"]);
    await one.flushed();
    const kept = await open().read();
    assert.deepEqual(
      [kept.length, kept[0], kept.slice(-2)],
      [
        500,
        ["old-2", "2", "eliza"],
        [
          ["a", "1", "eliza"],
          ["b", "2", "eliza"],
        ],
      ],
    );
  });

  it("forgets a session, and that alone", async () => {
    const file = open();
    file.keep(["a", "1", "eliza"]);
    file.keep(["b", "2", "eliza"]);
    file.forget("a");
    await file.flushed();
    assert.deepEqual(await open().read(), [["b", "2", "eliza"]]);
  });

  for (const damaged of ['[["a","1","eliza"],["b', "{}"]) {
    it(`keeps ${damaged} aside, and says so once`, async () => {
      const path = join(folder, "sessions.json");
      await writeFile(path, damaged);
      const events: string[] = [];
      const known = (): KnownSessionsFile => new KnownSessionsFile(new Logger(({ event }) => events.push(event)), path);
      const [one, other] = [known(), known()];
      assert.deepEqual([await one.read(), await other.read()], [[], []]);
      one.keep(["c", "3", "eliza"]);
      await Promise.all([one.flushed(), other.flushed()]);
      assert.deepEqual(await open().read(), [["c", "3", "eliza"]]);
      const kept = (await readdir(folder)).filter((name) => /^sessions\.json\.broken-\d{14}$/.test(name));
      assert.deepEqual(await Promise.all(kept.map((name) => readFile(join(folder, name), "utf8"))), [damaged]);
      assert.deepEqual(events, ["couldn't read the list of sessions; moved it aside"]);
    });
  }

  it("takes an empty file for no sessions, and leaves entries alone that it does not know", async () => {
    const path = join(folder, "sessions.json");
    await writeFile(path, "\n");
    assert.deepEqual(await open().read(), []);
    await writeFile(path, JSON.stringify([["a", "1", "eliza"], { later: true }]));
    const file = open();
    file.keep(["a", "2", "eliza"]);
    await file.flushed();
    assert.deepEqual(JSON.parse(await readFile(path, "utf8")), [{ later: true }, ["a", "2", "eliza"]]);
    assert.deepEqual(await open().read(), [["a", "2", "eliza"]]);
  });

  it("leaves alone what it cannot read", async () => {
    await mkdir(join(folder, "sessions.json"));
    const events: string[] = [];
    const file = new KnownSessionsFile(new Logger(({ event }) => events.push(event)), join(folder, "sessions.json"));
    assert.deepEqual(await file.read(), []);
    file.keep(["a", "1", "eliza"]);
    await file.flushed();
    assert.deepEqual(events, ["sessions were not kept"]);
  });
});
