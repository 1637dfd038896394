import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiskFiles, type OnDisk } from "../../../src/features/review/files/disk-files.js";
import { opaqueFile, opaqueLink } from "../../../src/features/review/hunks/opaque-text.js";
import { SnapshotTurn } from "../../../src/features/review/turns/snapshot-turn.js";
import type { Snapshots } from "../../../src/features/snapshots/snapshots.js";
import { snapshotsIn } from "./review-stage.js";

describe("what commands of an agent change without saying so", () => {
  let base: string;
  let folder: string;
  let snapshots: Snapshots;

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "symposium turn "));
    folder = join(base, "work");
    mkdirSync(folder);
    write("a.txt", "a\n");
    write("b.txt", "b\r\n");
    write(".gitignore", "ignored\n");
    snapshots = snapshotsIn(base);
  });
  afterEach(async () => {
    await snapshots[Symbol.asyncDispose]();
    rmSync(base, { recursive: true });
  });

  function git(...args: string[]): void {
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], { cwd: folder });
  }

  function write(name: string, content: string | Uint8Array): void {
    writeFileSync(join(folder, name), content);
  }

  const files = {
    look: (path: string): Promise<OnDisk> => disk.look(path),
    asLink: (path: string): void => disk.asLink(path),
    wasMarked: (path: string, text: string): number => marked.push(`${path.slice(folder.length + 1)}: ${text}`),
  };
  const disk = new DiskFiles();
  const marked: string[] = [];

  async function changesOf(during: () => void, known: readonly string[] = []): Promise<unknown[]> {
    const turn = await SnapshotTurn.begin([folder], snapshots, files);
    during();
    const { found, unseen } = await turn.end((path) => known.includes(path.slice(folder.length + 1)));
    assert.equal(unseen, 0);
    return found.map(({ path, before, after }) => [path.slice(folder.length + 1), before, after]);
  }

  function usual(): void {
    write("a.txt", "A\n");
    rmSync(join(folder, "b.txt"));
    write("new é.txt", "new\n");
    write("ignored", "noise\n");
  }
  const found = [
    ["a.txt", "a\n", "A\n"],
    ["b.txt", "b\r\n", null],
    ["new é.txt", null, "new\n"],
  ];

  it("is found in a folder without a repository", async () => {
    assert.deepEqual(await changesOf(usual), found);
  });

  it("is found in a repository without a commit, and in one with", async () => {
    git("init", "-q");
    assert.deepEqual(await changesOf(usual), found);
    git("add", ".");
    git("commit", "-q", "-m", "first");
    assert.deepEqual(await changesOf(() => write("a.txt", "B\n")), [["a.txt", "A\n", "B\n"]]);
  });

  it("is found among 400 files that were changed before, and blames the agent for none of them", async () => {
    git("init", "-q");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    for (let index = 0; index < 400; index++) write(`dirty ${index}`, String(index));
    assert.deepEqual(await changesOf(usual), found);
  });

  it("is found in a submodule", async () => {
    git("init", "-q");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    execFileSync("git", ["clone", "-q", folder, join(base, "other")]);
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(base, "other"), "sub");
    assert.deepEqual(await changesOf(() => write("sub/a.txt", "A\n")), [["sub/a.txt", "a\n", "A\n"]]);
  });

  it("is found though the agent committed it, and of a file that git tracks and ignores", async () => {
    git("init", "-q");
    write("ignored", "tracked\n");
    git("add", "--force", ".");
    git("commit", "-q", "-m", "first");
    const committing = (): void => {
      usual();
      git("commit", "-q", "-a", "-m", "second");
    };
    assert.deepEqual(await changesOf(committing), [found[0], found[1], ["ignored", "tracked\n", "noise\n"], found[2]]);
  });

  it("leaves the repository as it is", async () => {
    git("init", "-q");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    const state = (): string =>
      execFileSync("git", ["for-each-ref"], { cwd: folder, encoding: "utf8" }) +
      execFileSync("find", [".git", "-newer", "mark"], { cwd: folder, encoding: "utf8" });
    write("mark", "");
    const before = state();
    await changesOf(() => undefined);
    assert.equal(state(), before);
  });

  it("is found of files that are no text, of links, and of renamed ones", async () => {
    const bytes = Uint8Array.of(0, 1, 2);
    write("image", bytes);
    symlinkSync("a.txt", join(folder, "link"));
    const hash = "ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc";
    const changes = await changesOf(() => {
      renameSync(join(folder, "image"), join(folder, "picture"));
      rmSync(join(folder, "link"));
      symlinkSync("b.txt", join(folder, "link"));
    });
    assert.deepEqual(changes, [
      ["image", opaqueFile(hash), null],
      ["link", opaqueLink("a.txt"), opaqueLink("b.txt")],
      ["picture", null, opaqueFile(hash)],
    ]);
  });

  it("leaves out the files that are accounted for", async () => {
    assert.deepEqual(await changesOf(() => write("a.txt", "A\n"), ["a.txt"]), []);
  });

  it("is found of a file that is accounted for, when it has become a link", async () => {
    const changes = await changesOf(() => {
      rmSync(join(folder, "a.txt"));
      symlinkSync("../elsewhere", join(folder, "a.txt"));
    }, ["a.txt"]);
    assert.deepEqual(changes, [["a.txt", "a\n", opaqueLink("../elsewhere")]]);
  });

  it("tells the byte order mark that a file had", async () => {
    write("marked", "\ufeffone\n");
    assert.deepEqual(await changesOf(() => write("marked", "two\n")), [["marked", "one\n", "two\n"]]);
    assert.deepEqual(marked, ["marked: one\n"]);
  });

  it("is counted where it is too much to look at", async () => {
    const large = "x".repeat(1024);
    const look = (): Promise<OnDisk> => Promise.resolve({ text: large.repeat(20_000) });
    const turn = await SnapshotTurn.begin([folder], snapshots, { ...files, look });
    for (let index = 0; index < 50; index++) write(`new ${index}`, String(index));
    const { found, unseen } = await turn.end(() => false);
    assert.deepEqual([found.length, unseen], [20, 30]);
  });

  it("is found for a turn that a window before began", async () => {
    const { begun } = await SnapshotTurn.begin([folder], snapshots, files);
    write("a.txt", "A\n");
    const resumed = SnapshotTurn.resumed(begun, snapshots, files);
    const { found } = await resumed.end(() => false);
    assert.deepEqual(
      found.map(({ before, after }) => [before, after]),
      [["a\n", "A\n"]],
    );
  });
});
