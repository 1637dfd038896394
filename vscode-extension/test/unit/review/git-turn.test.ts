import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { access, mkdtemp, readFile, realpath, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GitTurn } from "../../../src/features/review/git-turn.js";

const files = { read: (path: string): Promise<string | null> => readFile(path, "utf8").catch(() => null) };

describe("what commands of an agent change without saying so", () => {
  let folder = "";

  function git(...args: string[]): void {
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], { cwd: folder });
  }

  function write(name: string, text: string): Promise<void> {
    return writeFile(join(folder, name), text);
  }

  async function changesOf(during: () => Promise<void>, known: readonly string[] = []): Promise<unknown[]> {
    const turn = await GitTurn.begin(folder, files);
    assert.ok(turn);
    await during();
    const found = await turn.end((path) => known.includes(path.slice(folder.length + 1)));
    return found
      .map(({ path, before, after }) => [path.slice(folder.length + 1), before, after])
      .sort(([a], [b]) => String(a).localeCompare(String(b)));
  }

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "symposium git turn ")));
    git("init", "-q");
    await write("a.txt", "a\n");
    await write("b.txt", "b\n");
    await write(".gitignore", "ignored\n");
    git("add", ".");
    git("commit", "-q", "-m", "first");
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("is found against the commit the turn began with", async () => {
    const found = await changesOf(async () => {
      await write("a.txt", "A\n");
      await unlink(join(folder, "b.txt"));
      await write("new é.txt", "new\n");
      await write("ignored", "noise\n");
    });
    assert.deepEqual(found, [
      ["a.txt", "a\n", "A\n"],
      ["b.txt", "b\n", null],
      ["new é.txt", null, "new\n"],
    ]);
  });

  it("is found without starting what the repository's configuration names", async () => {
    const mark = join(folder, ".git", "started");
    git("config", "core.fsmonitor", `touch '${mark}'; false`);
    git("config", "diff.external", `touch '${mark}'; false`);
    await rm(mark, { force: true });
    const found = await changesOf(() => write("a.txt", "A\n"));
    assert.deepEqual(found, [["a.txt", "a\n", "A\n"]]);
    await assert.rejects(access(mark));
  });

  it("does not blame the agent for what was changed before", async () => {
    await write("a.txt", "mine\n");
    await write("b.txt", "mine too\n");
    const found = await changesOf(() => write("b.txt", "agent\n"));
    assert.deepEqual(found, [["b.txt", "mine too\n", "agent\n"]]);
  });

  it("is found though the agent committed it", async () => {
    const found = await changesOf(async () => {
      await write("a.txt", "A\n");
      git("commit", "-q", "-a", "-m", "second");
    });
    assert.deepEqual(found, [["a.txt", "a\n", "A\n"]]);
  });

  it("leaves out the files that are accounted for", async () => {
    assert.deepEqual(await changesOf(() => write("a.txt", "A\n"), ["a.txt"]), []);
  });

  it("is unknown outside a repository", async () => {
    await rm(join(folder, ".git"), { recursive: true });
    assert.equal(await GitTurn.begin(folder, files), undefined);
  });
});
