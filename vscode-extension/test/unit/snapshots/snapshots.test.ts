import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
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

  function open(isWanted = true, more: { readonly home?: string; readonly script?: string } = {}): Snapshots {
    const stores = join(base, "stores");
    const onProblem = (text: string): number => problems.push(text);
    const usual = { stores, script, isWanted: () => isWanted, included: () => [], onProblem };
    const snapshots = new Snapshots({ ...usual, ...more });
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

  it("of a window that is gone are known to the one that has another store of the folder, with what files were", async () => {
    writeFileSync(join(root, "a"), "before");
    const [first, second] = [open(), open()];
    await first.take(root);
    const begun = await second.take(root);
    assert.ok(begun);
    writeFileSync(join(root, "a"), "after");
    await first.take(root);
    const begunHere = await first.take(root);
    assert.equal(await first.changesSince(begun), undefined);
    await second[Symbol.asyncDispose]();
    const [change, ...others] = (await first.changesSince(begun)) ?? [];
    assert.ok(change && typeof change.before === "object" && change.before.kind === "file");
    assert.deepEqual([change.path, others], ["a", []]);
    assert.equal(Buffer.from((await first.content(change.before.hash)) ?? []).toString(), "before");
    assert.ok(begunHere);
    assert.deepEqual(await first.changesSince(begunHere), []);
    assert.equal(problems.length, 1);
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
    assert.match(problems.join(), /Couldn't take a snapshot of .*missing: ENOENT/);
    assert.equal(await open(false).take(root), undefined);
    assert.equal(problems.length, 1);
  });

  it("do not begin anew where their journal is there and cannot be read", async () => {
    await open().take(root);
    for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
    const [store = ""] = readdirSync(join(base, "stores"));
    const journal = join(base, "stores", store, "journal.jsonl");
    rmSync(journal);
    mkdirSync(journal);
    assert.equal(await open().take(root), undefined);
    assert.match(problems.join(), /EISDIR|EPERM|EACCES/);
  });

  it("are not taken of the user's home, nor of a folder around it", async () => {
    writeFileSync(join(root, "id_rsa"), "a key");
    const snapshots = open(true, { home: root });
    assert.equal(await snapshots.take(root), undefined);
    assert.equal(await snapshots.take(base), undefined);
    mkdirSync(join(root, "project"));
    assert.ok(await snapshots.take(join(root, "project")));
    assert.deepEqual(problems, []);
  });

  it("go on in another thread when theirs has ended", async () => {
    const dying = join(base, "dying.mjs");
    writeFileSync(
      dying,
      `import { parentPort } from "node:worker_threads";
      await import(${JSON.stringify(pathToFileURL(script).href)});
      parentPort.on("message", ({ work }) => work === "content" && process.exit(1));`,
    );
    const snapshots = open(true, { script: dying });
    const begun = await snapshots.take(root);
    assert.ok(begun);
    await Promise.all([snapshots.content("none"), snapshots.changesSince(begun)]);
    writeFileSync(join(root, "a"), "new");
    while (!(await snapshots.take(root))) await new Promise(setImmediate);
    assert.deepEqual(
      (await snapshots.changesSince(begun))?.map(({ path }) => path),
      ["a"],
    );
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
