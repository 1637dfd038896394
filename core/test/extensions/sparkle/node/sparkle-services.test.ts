import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileLock, lockFolderOf } from "../../../../src/base/node/file-lock.js";
import { sparkleServices, userFolder } from "../../../../src/extensions/sparkle/node.js";
import { SparkleMemory } from "../../../../src/extensions/sparkle/memory.js";
import { parseWorkingMemory } from "../../../../src/extensions/sparkle/working-memory.js";

const { signal } = new AbortController();
const noFault = (fault: unknown): never => {
  throw fault;
};

/** A home folder and a workspace, gone at the end. */
class Folders implements AsyncDisposable {
  private constructor(
    private readonly root: string,
    readonly home: string,
    readonly workspace: string,
  ) {}

  static async make(): Promise<Folders> {
    const root = await realpath(await mkdtemp(join(tmpdir(), "sparkle-test-")));
    const [home, workspace] = [join(root, "home"), join(root, "workspace")];
    await mkdir(home);
    await mkdir(workspace);
    return new Folders(root, home, workspace);
  }

  get memory(): SparkleMemory {
    return new SparkleMemory(sparkleServices(this.home), this.workspace);
  }

  get outside(): string {
    return join(this.root, "outside");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

const checkpoint = (memory: SparkleMemory): Promise<unknown> => memory.checkpoint({ focus: "x" }, "content", signal);

describe("Sparkle's files", () => {
  it("are made at the first write and not before", async () => {
    await using folders = await Folders.make();
    const { memory } = folders;
    await memory.snapshot(noFault);
    assert.deepEqual([...(await readdir(folders.home)), ...(await readdir(folders.workspace))], []);
    await memory.saveInsight({ type: "PatternAnchor", content: "Test first." }, signal);
    assert.deepEqual(await readdir(join(folders.home, ".sparkle")), ["pattern-anchors.md"]);
    assert.deepEqual(await readdir(folders.workspace), []);
    await checkpoint(memory);
    assert.deepEqual((await readdir(join(folders.workspace, ".sparkle-space"))).sort(), [
      "checkpoints",
      "working-memory.jsonc",
    ]);
  });

  it("keep what people write between two sessions", async () => {
    await using folders = await Folders.make();
    await folders.memory.saveInsight({ type: "PatternAnchor", content: "One." }, signal);
    const file = join(folders.home, ".sparkle", "pattern-anchors.md");
    const edited = (await readFile(file, "utf8")).replace("One.", "One, as I put it. <!-- mine -->");
    await writeFile(file, edited);
    await folders.memory.saveInsight({ type: "PatternAnchor", content: "Two." }, signal);
    const text = await readFile(file, "utf8");
    assert.ok(text.startsWith(edited));
    assert.match((await folders.memory.notes("PatternAnchor")).join("|"), /Two\.\|.*One, as I put it/);
  });

  it("hold every entry of processes that write at once", async function () {
    this.timeout(120_000);
    await using folders = await Folders.make();
    const [writers, each] = [4, 12];
    const script = fileURLToPath(new URL("writer-fixture.js", import.meta.url));
    const children = Array.from({ length: writers }, (_, name) => {
      const args = [script, folders.home, folders.workspace, `w${name}`, String(each)];
      return spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    });
    const exits = children.map((child) => once(child, "exit"));
    await Promise.all(children.map((child) => once(child.stdout, "data")));
    for (const child of children) child.stdin.end("go\n");
    assert.deepEqual(
      (await Promise.all(exits)).map(([code]: unknown[]) => code),
      Array(writers).fill(0),
    );
    const expected = Array.from(
      { length: writers * each },
      (_, n) => `w${n % writers} ${Math.floor(n / writers)}`,
    ).sort();

    const home = join(folders.home, ".sparkle");
    const kept = await readFile(join(home, "pattern-anchors.md"), "utf8");
    const archived = await Promise.all(
      (await readdir(join(home, "archive"))).map((name) => readFile(join(home, "archive", name), "utf8")),
    );
    const found = [kept, ...archived].flatMap((text) => [...text.matchAll(/^from (w\d) number (\d+)\./gm)]);
    assert.deepEqual(found.map(([, name, n]) => `${name} ${n}`).sort(), expected);

    const space = join(folders.workspace, ".sparkle-space");
    const memory = parseWorkingMemory(await readFile(join(space, "working-memory.jsonc"), "utf8"));
    assert.deepEqual(memory?.entries.map(({ focus }) => focus).sort(), expected);
    assert.equal((await readdir(join(space, "checkpoints"))).length, expected.length);
    for (const folder of [home, space]) {
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name.startsWith(".")),
        [],
        "no lock and no temporary file",
      );
    }
  });

  it("are refused, and left alone, when they are no text", async () => {
    await using folders = await Folders.make();
    const home = join(folders.home, ".sparkle");
    await mkdir(join(home, "pattern-anchors.md"), { recursive: true });
    await writeFile(join(home, "workspace-map.md"), Buffer.from([0xff, 0xfe, 0x00]));
    const save = (type: "PatternAnchor" | "WorkspaceInsight") =>
      folders.memory.saveInsight({ type, content: "x" }, signal);
    await assert.rejects(save("PatternAnchor"), /pattern-anchors\.md cannot be read/);
    await assert.rejects(save("WorkspaceInsight"), /workspace-map\.md cannot be read/);
    assert.deepEqual(await readFile(join(home, "workspace-map.md")), Buffer.from([0xff, 0xfe, 0x00]));
    assert.deepEqual(
      (await readdir(home)).sort(),
      ["pattern-anchors.md", "workspace-map.md"],
      "a failure leaves no lock",
    );
  });

  it("may be links in the user's own folder, as dotfiles are", async function () {
    if (process.platform === "win32") this.skip();
    await using folders = await Folders.make();
    await mkdir(folders.outside);
    await writeFile(join(folders.outside, "anchors.md"), "mine\n");
    await mkdir(join(folders.home, ".sparkle"));
    const link = join(folders.home, ".sparkle", "pattern-anchors.md");
    await symlink(join(folders.outside, "anchors.md"), link);
    await folders.memory.saveInsight({ type: "PatternAnchor", content: "Test first." }, signal);
    assert.match(await readFile(join(folders.outside, "anchors.md"), "utf8"), /^mine\n[^]*Test first\./);
  });
});

describe("Sparkle's folder in a hostile workspace", () => {
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  it("does not lead out of the workspace", async () => {
    await using folders = await Folders.make();
    await mkdir(folders.outside);
    await symlink(folders.outside, join(folders.workspace, ".sparkle-space"));
    await assert.rejects(checkpoint(folders.memory), /leads outside/);
    assert.deepEqual(await readdir(folders.outside), []);
  });

  it("does not read or write through links in it, whether their targets exist or not", async () => {
    await using folders = await Folders.make();
    const space = join(folders.workspace, ".sparkle-space");
    await mkdir(folders.outside);
    await mkdir(space);
    const secret = join(folders.outside, "secret.jsonc");
    await writeFile(secret, '{ "entries": [{ "focus": "secret" }] }');
    for (const target of [secret, join(folders.outside, "absent"), join(folders.workspace, "main.ts")]) {
      await writeFile(join(folders.workspace, "main.ts"), "code");
      await symlink(target, join(space, "working-memory.jsonc"));
      await assert.rejects(folders.memory.workingMemory(), /leads outside/);
      await rm(join(space, "working-memory.jsonc"));
    }
    await symlink(folders.outside, join(space, "checkpoints"));
    await assert.rejects(checkpoint(folders.memory), /leads outside/);
    assert.deepEqual(await readdir(folders.outside), ["secret.jsonc"]);
  });

  it("tells the session that a file may not be used, and shows the rest", async () => {
    await using folders = await Folders.make();
    await symlink("/", join(folders.workspace, ".sparkle-space"));
    await folders.memory.saveInsight({ type: "PatternAnchor", content: "Test first." }, signal);
    const faults: unknown[] = [];
    const { anchors, workingMemory } = await folders.memory.snapshot((fault) => faults.push(fault));
    assert.match(anchors.join(""), /Test first/);
    assert.deepEqual(workingMemory.entries, []);
    assert.equal(faults.length, 2);
  });

  it("may be a link to another folder of the workspace", async () => {
    await using folders = await Folders.make();
    await mkdir(join(folders.workspace, "notes"));
    await symlink("notes", join(folders.workspace, ".sparkle-space"));
    await checkpoint(folders.memory);
    assert.ok((await readdir(join(folders.workspace, "notes"))).includes("working-memory.jsonc"));
  });

  it("is not made in a workspace that does not exist", async () => {
    await using folders = await Folders.make();
    const memory = new SparkleMemory(sparkleServices(folders.home), join(folders.outside, "gone"));
    await assert.rejects(checkpoint(memory), /gone" does not exist/);
    assert.deepEqual(await readdir(folders.home), []);
  });
});

describe("Sparkle's line for .gitignore", () => {
  it("is missing in a fresh work tree, is added at the end, and is then there", async () => {
    await using folders = await Folders.make();
    await mkdir(join(folders.workspace, ".git", "info"), { recursive: true });
    const file = join(folders.workspace, ".gitignore");
    await writeFile(file, "target/\r\nlast");
    const saved = await folders.memory.checkpoint({}, "x", signal);
    assert.equal(saved.missingIgnoreLine, ".sparkle-space/");
    assert.equal(await readFile(file, "utf8"), "target/\r\nlast", "nothing is written unasked");
    assert.match(await folders.memory.ignoreSparkleSpace(), /^Added/);
    assert.equal(await readFile(file, "utf8"), "target/\r\nlast\r\n.sparkle-space/\r\n");
    assert.match(await folders.memory.ignoreSparkleSpace(), /already/);
  });

  it("is not missing where a folder above or the exclude file covers it", async () => {
    await using folders = await Folders.make();
    const inner = join(folders.workspace, "a", "b");
    await mkdir(inner, { recursive: true });
    await mkdir(join(folders.workspace, ".git", "info"), { recursive: true });
    const memory = new SparkleMemory(sparkleServices(folders.home), inner);
    await writeFile(join(folders.workspace, ".gitignore"), ".sparkle-space\n");
    assert.match(await memory.ignoreSparkleSpace(), /already/);
    await rm(join(folders.workspace, ".gitignore"));
    await writeFile(join(folders.workspace, ".git", "info", "exclude"), "/a/b/.sparkle-space/\n");
    assert.match(await memory.ignoreSparkleSpace(), /already/);
  });

  it("is not written through a link that leads outside the workspace", async function () {
    if (process.platform === "win32") this.skip();
    await using folders = await Folders.make();
    await mkdir(join(folders.workspace, ".git"));
    await writeFile(folders.outside, "");
    await symlink(folders.outside, join(folders.workspace, ".gitignore"));
    await assert.rejects(folders.memory.ignoreSparkleSpace(), /leads outside/);
    assert.equal(await readFile(folders.outside, "utf8"), "");
  });
});

describe("Sparkle's changes beside another session's", () => {
  const homeOf = (folders: Folders): string => join(folders.home, ".sparkle");
  const save = (folders: Folders, aborted: AbortSignal): Promise<unknown> =>
    folders.memory.saveInsight({ type: "PatternAnchor", content: "x" }, aborted);

  it("can be given up while the other one writes", async () => {
    await using folders = await Folders.make();
    await using _lock = await FileLock.take(join(homeOf(folders), ".changes"));
    await assert.rejects(save(folders, AbortSignal.abort(new Error("given up"))), /given up/);
    assert.deepEqual(await readdir(homeOf(folders)), [".changes.lock"]);
  });

  it("stop when the other one took over, and leave its lock alone", async () => {
    await using folders = await Folders.make();
    const [claims, other] = [lockFolderOf(join(homeOf(folders), ".changes")), JSON.stringify({ token: "another" })];
    const folder = userFolder(homeOf(folders));
    const change = folder.change(async (files) => {
      await writeFile(join(claims, "1"), other);
      await files.write("pattern-anchors.md", "x");
    }, signal);
    await assert.rejects(change, /took over/);
    assert.deepEqual([await readdir(homeOf(folders)), await readdir(claims)], [[".changes.lock"], ["1"]]);
  });

  it("make nothing through a link that a repository has in the lock's place", async function () {
    if (process.platform === "win32") this.skip();
    await using folders = await Folders.make();
    await mkdir(folders.outside);
    await mkdir(join(folders.workspace, ".sparkle-space"));
    await symlink(folders.outside, join(folders.workspace, ".sparkle-space", ".changes.lock"));
    await assert.rejects(checkpoint(folders.memory), /\.changes\.lock isn't a folder, or is a link/);
    assert.deepEqual(await readdir(folders.outside), []);
  });
});
