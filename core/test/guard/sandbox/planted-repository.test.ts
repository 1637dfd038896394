import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Bubblewrap } from "../../../src/guard/node/sandbox/bubblewrap.js";
import { mayBeHead } from "../../../src/guard/node/sandbox/git-folder.js";
import { probeSandbox } from "../../../src/guard/node/sandbox/probe.js";
import { startProgram } from "../../../src/base/node/start-program.js";
import { Watched } from "./watched.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "planted-test-")));
const state = await probeSandbox(folder);
const commit = "0123456789abcdef0123456789abcdef01234567";

describe("a repository that an agent makes of the folder around .git", function () {
  this.timeout(60_000);
  let project = "";
  let watched = new Watched();
  beforeEach(() => {
    watched = new Watched();
    project = join(mkdtempSync(join(folder, "home-")), "project");
    mkdirSync(join(project, "sub"), { recursive: true });
    git("init", "-q");
    writeFileSync(join(project, "sub/a"), "x\n");
    git("add", ".");
  });
  afterEach(() => watched[Symbol.asyncDispose]());
  after(() => rmSync(folder, { recursive: true }));

  function git(...words: readonly string[]): string {
    return execFileSync("git", ["-C", project, ...words], { encoding: "utf8" }).trim();
  }

  /** Runs git as a user would. Returns the git folder that it uses, and whether it ran the program of a planted configuration. */
  function gitOf(path: string): { readonly folder: string; readonly ran: boolean } {
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: folder };
    const run = (...words: readonly string[]): string =>
      spawnSync("git", ["-C", path, ...words], { encoding: "utf8", env, timeout: 20_000 }).stdout.trim();
    run("status");
    return { folder: run("rev-parse", "--absolute-git-dir"), ran: existsSync(join(folder, "ran")) };
  }

  /** Breaks git's own folder, and lays out all else that a repository of the root is made of. */
  const plant = `rm -rf .git/HEAD .git/refs .git/objects; cp .git/index index; printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = sub\\n\\tfsmonitor = "touch ${folder}/ran; :"\\n' > config; mkdir -p hooks refs objects`;

  function start(script: string): ChildProcess {
    if (!state.isThere) throw new Error("no sandbox");
    const home = join(project, "..");
    const subject = { id: "agent", needs: undefined, roots: [project], ownPrograms: [], home };
    const options = { program: state.program, watch: watched.watch };
    const confined = new Bubblewrap({
      ...options,
      subject: () => ({ ...subject, configFolder: join(home, ".symposium") }),
    });
    const command = { command: "/bin/sh", args: ["-c", script], env: {}, cwd: project };
    const started = startProgram(command, { env: process.env, confined, stdio: ["pipe", "pipe", "ignore"] });
    if ("startError" in started) throw new Error(started.startError);
    return started.child;
  }

  /** Runs a script in a sandbox, which is to be ended where it waits. Gives the signal that it was ended by. */
  async function run(script: string): Promise<string | null> {
    const child = start(script);
    await once(child, "exit");
    await watched.settled();
    return child.signalCode;
  }

  const wait = "while :; do sleep 0.1; done";
  const names = (): readonly string[] =>
    readdirSync(project)
      .map((name) => name.replace(/[0-9a-f]{8}$/, "X"))
      .filter((name) => name !== ".git" && name !== "sub");

  it("is one for git wherever its HEAD is what we take for one", () => {
    const heads: Readonly<Record<string, string>> = {
      ...{ a: "ref: refs/heads/main\n", b: "ref:\n\trefs/x", c: `${commit}\n`, d: commit.repeat(2).slice(0, 64) },
      ...{
        e: "",
        f: "The HEAD of something\n",
        g: "ref: heads/main\n",
        h: commit.slice(1),
        i: " ref: refs/heads/main",
      },
      j: `${commit.toUpperCase()} and more`,
    };
    const bare = join(project, "bare");
    for (const name of ["objects", "refs"]) mkdirSync(join(bare, name), { recursive: true });
    const head = join(bare, "HEAD");
    const isOne = (): boolean => gitOf(bare).folder === bare;
    const [ours, gits] = [[] as boolean[], [] as boolean[]];
    const judge = (): void => {
      ours.push(mayBeHead(head));
      gits.push(isOne());
    };
    for (const text of Object.values(heads)) {
      writeFileSync(head, text);
      judge();
    }
    rmSync(head);
    mkdirSync(head);
    judge();
    rmSync(head, { recursive: true });
    symlinkSync("refs/heads/none", head);
    judge();
    assert.deepEqual(ours, gits);
    assert.deepEqual(ours, [true, true, true, true, false, false, false, false, false, true, false, true]);
  });

  it("is in doubt what has a second name, or is a pipe, a link or not to be read", function () {
    const head = join(project, "HEAD");
    writeFileSync(head, "x");
    assert.equal(mayBeHead(head), false);
    linkSync(head, join(project, "other"));
    assert.equal(mayBeHead(head), true);
    unlinkSync(head);
    assert.equal(mayBeHead(head), false);
    symlinkSync("other", head);
    assert.equal(mayBeHead(head), true);
    unlinkSync(head);
    execFileSync("mkfifo", [head]);
    assert.equal(mayBeHead(head), true);
    unlinkSync(head);
    writeFileSync(head, "x");
    chmodSync(head, 0);
    // Root can read the file despite its mode.
    assert.equal(mayBeHead(head), process.getuid?.() !== 0);
  });

  if (!state.isThere) {
    it(`is tried in a sandbox: NOT HERE, since ${state.reason}. ${state.remedy}`);
    return;
  }

  it("is one that git would start programs for, were its HEAD left there", () => {
    spawnSync("sh", ["-c", `${plant}; echo 'ref: refs/heads/x' > HEAD`], { cwd: project });
    assert.deepEqual(gitOf(project), { folder: project, ran: true });
    rmSync(join(folder, "ran"));
  });

  for (const [what, head] of Object.entries({
    "a reference": "echo 'ref: refs/heads/x' > HEAD",
    "a commit": `echo ${commit} > HEAD`,
    "a link": "ln -s refs/heads/x HEAD",
    "a pipe": "mkfifo HEAD",
    "a file with a second name": "echo x > y; ln y HEAD",
    "something else at first": "echo x > HEAD; while :; do echo 'ref: refs/heads/x' > HEAD; done",
    "made by a process that outlives the first one":
      "setsid sh -c \"while :; do echo 'ref: refs/heads/x' > HEAD; done\" & sleep 0.3; exit",
  })) {
    it(`does not come to be by a HEAD that is ${what}`, async () => {
      await run(`${plant}; ${head}; ${wait}`);
      assert.ok(watched.ended.length > 0);
      assert.deepEqual(
        [gitOf(project), gitOf(join(project, "sub"))],
        [
          { folder: "", ran: false },
          { folder: "", ran: false },
        ],
      );
    });
  }

  it("does not come to be by what a user has checked out, which is not lost: it stays where git makes nothing of it", async () => {
    const child = start("echo ready; while :; do sleep 0.1; done");
    await once(child.stdout ?? child, "data");
    writeFileSync(join(project, "HEAD"), "The HEAD of something\n");
    await once(child, "exit");
    await watched.settled();
    assert.deepEqual([child.signalCode, names()], ["SIGKILL", ["HEAD"]]);
    assert.match(
      watched.ended[0]?.reason ?? "",
      /^"\S+HEAD" appeared, .*It was left in place, because git ignores its content\./,
    );
    // From now on it is held.
    const change =
      "echo 'ref: refs/heads/x' > HEAD; rm -f HEAD; echo 'ref: refs/heads/x' > h; mv -f h HEAD; ln HEAD h2";
    assert.equal(await run(`${plant}; ${change}; echo`), null);
    assert.equal(readFileSync(join(project, "HEAD"), "utf8"), "The HEAD of something\n");
    assert.deepEqual(gitOf(project), { folder: "", ran: false });
  });

  it("does not come to be by what a user has checked out, which is not lost: it is put aside where git may take it", async () => {
    const child = start("echo ready; while :; do sleep 0.1; done");
    await once(child.stdout ?? child, "data");
    // Whole from the start, or what is judged may be the empty file.
    writeFileSync(join(project, "../HEAD"), "ref: refs/heads/mine\n");
    renameSync(join(project, "../HEAD"), join(project, "HEAD"));
    await once(child, "exit");
    await watched.settled();
    assert.deepEqual(names(), ["HEAD.set-aside-X"]);
    const [, moved = ""] = /It was renamed to "([^"]+)"\..*rename it back/.exec(watched.ended[0]?.reason ?? "") ?? [];
    assert.equal(readFileSync(moved, "utf8"), "ref: refs/heads/mine\n");
  });

  it("does not come to be by a HEAD that the user takes away while a sandbox holds it", async () => {
    writeFileSync(join(project, "HEAD"), "x\n");
    const child = start(
      `echo ready; while [ -e HEAD ]; do sleep 0.05; done; ${plant}; echo 'ref: refs/heads/x' > HEAD; ${wait}`,
    );
    await once(child.stdout ?? child, "data");
    unlinkSync(join(project, "HEAD"));
    await once(child, "exit");
    await watched.settled();
    assert.deepEqual(gitOf(project), { folder: "", ran: false });
    assert.equal(watched.ended.length > 0, true);
  });

  it("does not come to be by a HEAD of the user's that git would take: what else it takes is put aside", async () => {
    const head = join(project, "HEAD");
    writeFileSync(head, "ref: refs/heads/mine\n");
    assert.equal(await run(`${plant}; ${wait}`), "SIGKILL");
    assert.equal(readFileSync(head, "utf8"), "ref: refs/heads/mine\n");
    assert.deepEqual(gitOf(project), { folder: "", ran: false });
    assert.equal(
      names().some((name) => name === "objects" || name === "refs"),
      false,
    );
    const elsewhere = `mkdir -p sub/o/objects sub/o/refs; cp config sub/o/config; echo sub/o > commondir; ${wait}`;
    assert.equal(await run(elsewhere), "SIGKILL");
    assert.deepEqual(gitOf(project), { folder: "", ran: false });
  });

  it("leaves a folder named HEAD to the user, and takes none for the file that comes in its place", async () => {
    mkdirSync(join(project, "HEAD"));
    assert.equal(await run("echo x > HEAD/file"), null);
    assert.equal(existsSync(join(project, "HEAD/file")), true);
    await run(`${plant}; rm -r HEAD; echo 'ref: refs/heads/x' > HEAD; ${wait}`);
    assert.deepEqual(gitOf(project), { folder: "", ran: false });
  });

  it("leaves a folder named HEAD that appears to whoever made it, and does not come to be by the file in its place", async () => {
    const child = start(
      `mkdir HEAD; echo x > HEAD/file; echo > .envrc; echo ready; read go; mv HEAD h; ${plant}; echo 'ref: refs/heads/x' > HEAD; ${wait}`,
    );
    await once(child.stdout ?? child, "data");
    // Everything that is there is looked at when a name in the folder is new.
    for (let tries = 0; watched.appeared.length === 0 && tries < 500; tries++) await delay(10);
    assert.deepEqual(
      [watched.appeared, watched.ended, child.signalCode, names()],
      [[join(project, ".envrc")], [], null, [".envrc", "HEAD"]],
    );
    child.stdin?.write("\n");
    await once(child, "exit");
    await watched.settled();
    assert.equal(watched.ended.length > 0, true);
    assert.deepEqual([gitOf(project), existsSync(join(project, "h/file"))], [{ folder: "", ran: false }, true]);
  });

  it("has configuration and hooks that are held, where the root is a bare repository of the user's", async () => {
    rmSync(project, { recursive: true });
    execFileSync("git", ["init", "-q", "--bare", project]);
    const before = readFileSync(join(project, "config"), "utf8");
    await run("echo x > config; echo x > c; mv -f c config; echo x > hooks/pre-commit; mv hooks h; echo x > objects/x");
    assert.equal(readFileSync(join(project, "config"), "utf8"), before);
    assert.deepEqual(
      ["hooks/pre-commit", "h", "objects/x"].map((name) => existsSync(join(project, name))),
      [false, false, true],
    );
    assert.equal(await run(`echo sub > commondir; ${wait}`), "SIGKILL");
    assert.equal(gitOf(project).folder, project);
  });

  for (const [what, at] of Object.entries({
    "the root beside .git": "",
    "a bare repository": "",
    "git's own folder": ".git",
  })) {
    it(`gets no configuration that git starts programs by, where ${what} has none`, async () => {
      if (what === "a bare repository") rmSync(join(project, ".git"), { recursive: true });
      if (at === "") for (const name of ["objects", "refs"]) mkdirSync(join(project, name));
      if (at === "") writeFileSync(join(project, "HEAD"), "ref: refs/heads/mine\n");
      const config = join(project, at, "config");
      rmSync(config, { force: true });
      const monitor = `printf '[core]\n\tbare = false\n\tworktree = "${project}/sub"\n\tfsmonitor = "touch ${folder}/ran; :"\n'`;
      assert.equal(await run(`${monitor} > c; cp c '${config}'; mv -f c '${config}'; echo`), null);
      assert.deepEqual([readFileSync(config, "utf8"), gitOf(project).ran], ["", false]);
    });
  }
});
