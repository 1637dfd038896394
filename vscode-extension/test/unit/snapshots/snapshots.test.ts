import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { outermost, Snapshots } from "../../../src/features/snapshots/snapshots.js";

const script = fileURLToPath(new URL("../../../src/features/snapshots/snapshot-worker.js", import.meta.url));

describe("the snapshots of a window", () => {
  let base: string;
  let root: string;
  const problems: string[] = [];
  const opened: Snapshots[] = [];

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "symposium window snapshots "));
    root = join(base, "work");
    mkdirSync(root);
    problems.length = 0;
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
    rmSync(base, { recursive: true });
  });

  function open(isWanted = true): Snapshots {
    const stores = join(base, "stores");
    const onProblem = (text: string): number => problems.push(text);
    const snapshots = new Snapshots({ stores, script, isWanted: () => isWanted, included: () => [], onProblem });
    opened.push(snapshots);
    return snapshots;
  }

  it("are taken in a thread and tell what changed, with what it was", async () => {
    writeFileSync(join(root, "a"), "before");
    const snapshots = open();
    const begun = await snapshots.take(root);
    assert.ok(begun);
    writeFileSync(join(root, "a"), "after");
    await snapshots.take(root);
    const [change] = (await snapshots.changesSince(begun)) ?? [];
    assert.ok(change && typeof change.before === "object" && change.before.kind === "file");
    const content = await snapshots.content(change.before.hash);
    assert.equal(Buffer.from(content ?? []).toString(), "before");
    assert.deepEqual(await snapshots.lastKnown(join(root, "a")), change.after);
    assert.deepEqual(problems, []);
  });

  it("are known after a restart of the window", async () => {
    writeFileSync(join(root, "a"), "before");
    const first = open();
    const begun = await first.take(root);
    await first[Symbol.asyncDispose]();
    assert.ok(begun);
    writeFileSync(join(root, "b"), "new");
    const second = open();
    await second.take(root);
    assert.deepEqual(
      (await second.changesSince(begun))?.map(({ path }) => path),
      ["b"],
    );
  });

  it("of two windows on one folder do not disturb each other", async () => {
    writeFileSync(join(root, "a"), "1");
    const windows = [open(), open()];
    const begun = await Promise.all(windows.map((one) => one.take(root)));
    writeFileSync(join(root, "a"), "2");
    for (const [index, window] of windows.entries()) {
      await window.take(root);
      const changes = await window.changesSince(begun[index] ?? { root, id: "" });
      assert.deepEqual(
        changes?.map(({ path }) => path),
        ["a"],
      );
    }
  });

  it("say why none can be taken, and take none where the user wants none", async () => {
    assert.equal(await open().take(join(base, "missing")), undefined);
    assert.match(problems.join(), /missing could be taken: ENOENT/);
    assert.equal(await open(false).take(root), undefined);
    assert.equal(problems.length, 1);
  });

  it("give up stores that nobody has used for a month", async () => {
    const old = join(base, "stores", "0123456789abcdef-0");
    mkdirSync(old, { recursive: true });
    writeFileSync(join(old, "journal.jsonl"), "");
    const past = new Date(Date.now() - 40 * 24 * 60 * 60 * 1_000);
    utimesSync(join(old, "journal.jsonl"), past, past);
    await open().take(root);
    while (readdirSync(join(base, "stores")).includes("0123456789abcdef-0")) await new Promise(setImmediate);
  });

  it("are of folders that lie in no other one", () => {
    assert.deepEqual(outermost(["/a/b", "/a", "/ab"]), ["/a", "/ab"]);
  });
});
