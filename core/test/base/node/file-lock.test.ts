import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { FileLock, lockFolderOf } from "../../../src/base/node/file-lock.js";
import { ownIdentity } from "../../../src/base/node/process-table.js";
import { LockingProcess } from "./locking-process.js";

describe("the lock of a file", function () {
  this.timeout(120_000);
  let folder = "";
  let processes: LockingProcess[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-lock-"));
    processes = [];
  });
  afterEach(async () => {
    for (const each of processes) await each.kill();
    await rm(folder, { recursive: true, force: true });
  });

  function start(count: number): LockingProcess[] {
    const started = Array.from({ length: count }, () => new LockingProcess());
    processes.push(...started);
    return started;
  }

  /** A claim as some process made it, `ageMs` ago. */
  async function leftBehind(file: string, maker: unknown, ageMs = 0): Promise<void> {
    await mkdir(lockFolderOf(file), { recursive: true });
    const claim = join(lockFolderOf(file), "7");
    await writeFile(claim, typeof maker === "string" ? maker : JSON.stringify(maker));
    const made = new Date(Date.now() - ageMs);
    await utimes(claim, made, made);
  }

  const isLocked = (error: unknown): boolean => error instanceof SymposiumError && error.code === "locked";

  it("lets one in after the other, and leaves nothing behind", async () => {
    let inside = 0;
    const enter = async (): Promise<void> => {
      await using lock = await FileLock.take(join(folder, "it"));
      assert.deepEqual([++inside, await lock.isHeld()], [1, true]);
      await readdir(folder);
      inside--;
    };
    await Promise.all(Array.from({ length: 8 }, enter));
    assert.deepEqual(await readdir(folder), []);
  });

  it("loses no change of four processes that change one file", async () => {
    const file = join(folder, "number");
    const answers = await Promise.all(start(4).map((each) => each.does(`count ${file} 60`)));
    assert.deepEqual([...answers, await readFile(file, "utf8")], [...Array<string>(4).fill("counted"), "240"]);
    assert.deepEqual(await readdir(folder), ["number"]);
  });

  it("is had by exactly one of two processes that want it at once, in 300 rounds, after one that was killed", async () => {
    const [dead, ...rivals] = start(3);
    assert.ok(dead);
    await dead.does(`hold ${join(folder, "dead")}`);
    await dead.kill();
    const winners: number[] = [];
    for (let round = 0; round < 300; round++) {
      const file = join(folder, `round-${round}`);
      if (round % 3 > 0) await cp(lockFolderOf(join(folder, "dead")), lockFolderOf(file), { recursive: true });
      const answers = await Promise.all(rivals.map((each) => each.does(`try ${file}`)));
      winners.push(answers.filter((answer) => answer === "ours").length);
    }
    assert.deepEqual(winners, Array<number>(300).fill(1));
  });

  it("keeps all but one out also when its holders are killed one after the other", async () => {
    const path = join(folder, "worried");
    for (let round = 0; round < 6; round++) {
      const some = start(3);
      for (const each of some) void each.does(`worry ${path}`);
      const before = await lengthOf(join(path, "log"));
      while ((await lengthOf(join(path, "log"))) < before + 400) await new Promise(setImmediate);
      for (const each of some) await each.kill();
    }
    const lines = (await readFile(join(path, "log"), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" "));
    const last = new Map(lines.map(([pid], index) => [pid, index]));
    let inside: string | undefined;
    const intruders = lines.filter(([pid, what], index) => {
      // One that was killed inside never comes out, and does nothing afterwards either.
      const isKilled = inside !== undefined && (last.get(inside) ?? 0) < index;
      const isFine = what === "in" ? inside === undefined || isKilled : inside === pid;
      inside = what === "in" ? pid : undefined;
      return !isFine;
    });
    assert.deepEqual(intruders, []);
    await using _lock = await FileLock.take(join(path, "it"));
  });

  it("is free at once when its holder is killed", async () => {
    const file = join(folder, "it");
    const [holder] = start(1);
    await holder?.does(`hold ${file}`);
    assert.equal(await FileLock.tryTake(file), undefined);
    await holder?.kill();
    await using lock = await FileLock.tryTake(file);
    assert.ok(lock);
  });

  it("stays with a process that is stopped, and does not wait for ever", async function () {
    if (process.platform === "win32") this.skip();
    const file = join(folder, "it");
    const [holder] = start(1);
    await holder?.does(`hold ${file}`);
    holder?.signal("SIGSTOP");
    const pid = String(holder?.pid);
    await assert.rejects(FileLock.take(file, { waitMs: 50 }), (error) => {
      assert.ok(isLocked(error) && error instanceof SymposiumError);
      assert.equal(error.message, `Another process (pid ${pid}) is changing ${file}.`);
      assert.equal(error.hint, `Try again; if no other process is running, delete ${lockFolderOf(file)}.`);
      return true;
    });
  });

  it("can be given up while somebody else has it, who is announced once", async () => {
    const file = join(folder, "it");
    await using _lock = await FileLock.take(file);
    const controller = new AbortController();
    let waits = 0;
    const onWait = (): void => {
      waits++;
      setImmediate(() => controller.abort(new Error("given up")));
    };
    await assert.rejects(FileLock.take(file, { signal: controller.signal, onWait }), /^Error: given up$/);
    assert.equal(waits, 1);
    assert.deepEqual(await readdir(lockFolderOf(file)), ["1"]);
  });

  it("is not kept by whoever has the pid of a process that is gone", async function () {
    const { pid, place, start } = await ownIdentity();
    if (start === "") return this.skip();
    await leftBehind(join(folder, "it"), { pid, place, start: "another time", token: "t" });
    await using lock = await FileLock.tryTake(join(folder, "it"));
    assert.ok(lock);
    assert.deepEqual(await readdir(lockFolderOf(join(folder, "it"))), ["8"]);
  });

  it("stays with a holder elsewhere as long as it gives a sign of life, and with one that says no name", async () => {
    const { pid, start } = await ownIdentity();
    const [minute, hour] = [60_000, 3_600_000];
    const elsewhere = { pid, start, place: "elsewhere", token: "t" };
    const found = [];
    for (const [name, maker, ageMs] of [
      ["a", elsewhere, minute],
      ["b", elsewhere, hour],
      ["c", "", minute],
      ["d", "half {", hour],
      ["e", { pid: 0, start: "", place: "" }, minute],
    ] as const) {
      await leftBehind(join(folder, name), maker, ageMs);
      await using lock = await FileLock.tryTake(join(folder, name));
      found.push([name, lock !== undefined]);
    }
    assert.deepEqual(found, [
      ["a", false],
      ["b", true],
      ["c", false],
      ["d", true],
      ["e", false],
    ]);
  });

  it("removes the drafts of the killed, and no file that is none of its own", async () => {
    const file = join(folder, "it");
    const draft = "draft-00000000-0000-4000-8000-000000000000";
    await mkdir(lockFolderOf(file));
    await mkdir(join(lockFolderOf(file), "3"));
    for (const name of [draft, "notes"]) {
      await writeFile(join(lockFolderOf(file), name), "");
      await utimes(join(lockFolderOf(file), name), 1, 1);
    }
    await using _lock = await FileLock.take(file);
    assert.deepEqual((await readdir(lockFolderOf(file))).sort(), ["1", "3", "notes"]);
  });

  it("is refused where a link leads elsewhere", async function () {
    if (process.platform === "win32") this.skip();
    await mkdir(join(folder, "other"));
    await symlink(join(folder, "other"), lockFolderOf(join(folder, "it")));
    await assert.rejects(FileLock.take(join(folder, "it")), /it\.lock isn't a folder, or is a link/);
    assert.deepEqual(await readdir(join(folder, "other")), []);
  });

  it("is refused at once where its folder cannot be made, as on a disk that can only be read", async function () {
    // Nothing can be made there, and Linux says ENOENT of it, as Node does of a disk that can only be read.
    if (process.platform !== "linux") this.skip();
    await assert.rejects(FileLock.take("/proc/symposium/usage.json"), { code: "ENOENT", path: "/proc/symposium" });
  });
});

describe("the sessions that several processes keep", function () {
  this.timeout(120_000);

  it("are all kept: 40 of each of three", async () => {
    const folder = await mkdtemp(join(tmpdir(), "symposium-lock-"));
    const writers = [new LockingProcess(), new LockingProcess(), new LockingProcess()];
    try {
      const file = join(folder, "sessions.json");
      const answers = await Promise.all(writers.map((each) => each.does(`sessions ${file} 40`)));
      const kept = JSON.parse(await readFile(file, "utf8")) as string[][];
      assert.deepEqual([...answers, new Set(kept.map(([id]) => id)).size], ["kept", "kept", "kept", 120]);
      assert.deepEqual(await readdir(folder), ["sessions.json"]);
    } finally {
      for (const each of writers) await each.kill();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function lengthOf(file: string): Promise<number> {
  return (await readFile(file, "utf8").catch(() => "")).length;
}
