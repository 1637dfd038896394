import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createHash, randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import {
  defaultLimits,
  FolderSnapshots,
  type SnapshotLimits,
  type TakeOptions,
} from "../../../src/features/snapshots/folder-snapshots.js";
import { placeFile } from "../../../src/features/snapshots/write-file-or-link.js";
import { lay, nodes, read, told } from "./random-tree.js";

const nothing: TakeOptions = { included: [], excludesFile: "" };

describe("snapshots of a folder", () => {
  let base: string;
  let root: string;
  let store: string;
  const opened: FolderSnapshots[] = [];

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "symposium snapshots "));
    root = join(base, "work");
    store = join(base, "store");
    mkdirSync(root);
  });
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
    rmSync(base, { recursive: true });
  });

  function open(limits: Partial<SnapshotLimits> = {}): FolderSnapshots {
    const snapshots = new FolderSnapshots(root, store, { ...defaultLimits, ...limits });
    opened.push(snapshots);
    return snapshots;
  }

  function write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }

  /** Returns the changes since a snapshot by path, as the kind before and the kind after. */
  function changesSince(snapshots: FolderSnapshots, id: string, options = nothing): Record<string, string> {
    snapshots.take(options);
    const kind = (state: object | string): string =>
      typeof state === "string" ? state : "kind" in state ? String(state.kind) : "";
    const changes = snapshots.changes(id) ?? [];
    return Object.fromEntries(changes.map(({ path, before, after }) => [path, `${kind(before)} > ${kind(after)}`]));
  }

  /** Makes all files what they were in a snapshot. Returns those whose content is not kept. */
  async function putBack(snapshots: FolderSnapshots, id: string): Promise<string[]> {
    const lost: string[] = [];
    for (const { path, before } of snapshots.changes(id) ?? []) {
      if (before === "absent") await placeFile(join(root, path), null);
      else if (before.kind === "link") await placeFile(join(root, path), before);
      else {
        const content = snapshots.content(before.hash);
        if (content) await placeFile(join(root, path), content, { mode: before.mode });
        else lost.push(path);
      }
    }
    return lost;
  }

  it("put a folder back byte for byte, with modes and links, whatever became of it", async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(nodes, fc.array(nodes, { minLength: 1, maxLength: 3 }), async (first, later) => {
        rmSync(root, { recursive: true });
        rmSync(store, { recursive: true, force: true });
        mkdirSync(root);
        lay(root, first);
        let snapshots = open();
        const { id } = snapshots.take(nothing);
        for (const next of later) {
          lay(root, next);
          snapshots.take(nothing);
          assert.deepEqual(told(read(root)), told(next));
        }
        snapshots.close();
        // As after a restart of the window.
        snapshots = open();
        snapshots.take(nothing);
        assert.deepEqual(await putBack(snapshots, id), []);
        assert.deepEqual(told(read(root)), told(first));
        assert.deepEqual(changesSince(snapshots, id), {});
      }),
      { numRuns: 60 },
    );
  });

  it("find files that were made, changed, removed, renamed, linked and made executable", () => {
    for (const name of ["kept", "changed", "removed", "old name", "script"]) write(name, `${name}\n`);
    symlinkSync("kept", join(root, "link"));
    const snapshots = open();
    const { id } = snapshots.take(nothing);
    write("changed", "other bytes\0\n");
    write("new/file", "");
    rmSync(join(root, "removed"));
    renameSync(join(root, "old name"), join(root, "new name"));
    chmodSync(join(root, "script"), 0o755);
    rmSync(join(root, "link"));
    symlinkSync("changed", join(root, "link"));
    assert.deepEqual(changesSince(snapshots, id), {
      changed: "file > file",
      link: "link > link",
      "new name": "absent > file",
      "new/file": "absent > file",
      "old name": "file > absent",
      removed: "file > absent",
      script: "file > file",
    });
  });

  it("find that folders became files and links, and the other way round", () => {
    for (const path of ["folder/x", "linked/x", "other/x"]) write(path, `${path}\n`);
    write("file", "");
    const snapshots = open();
    const { id } = snapshots.take(nothing);
    for (const path of ["folder", "linked", "file"]) rmSync(join(root, path), { recursive: true });
    write("folder", "a file");
    // The new link also leads to a file `x`, but `linked/x` is still reported as removed.
    symlinkSync("other", join(root, "linked"));
    write("file/x", "");
    assert.deepEqual(changesSince(snapshots, id), {
      file: "file > absent",
      "file/x": "absent > file",
      folder: "absent > file",
      "folder/x": "file > absent",
      linked: "absent > link",
      "linked/x": "file > absent",
    });
  });

  it("do not take a file for a new one to which its old name in other letters still leads", function () {
    if (process.platform !== "linux") return this.skip();
    write("Name.txt", "precious\n");
    const snapshots = open();
    const { id } = snapshots.take(nothing);
    // As on a disk that knows no such difference: the old name is listed no more, and leads to the same file.
    linkSync(join(root, "Name.txt"), join(root, "name.txt"));
    write(".gitignore", "Name.txt");
    assert.deepEqual(changesSince(snapshots, id), { ".gitignore": "absent > file" });
  });

  it("find a change that left size and time of change as they were", () => {
    write("a", "one");
    const snapshots = open();
    const { id } = snapshots.take(nothing);
    const { atime, mtime } = statSync(join(root, "a"));
    write("a", "two");
    utimesSync(join(root, "a"), atime, mtime);
    assert.deepEqual(changesSince(snapshots, id), { a: "file > file" });
  });

  it("are the same one while nothing changes", () => {
    write("a", "a");
    const snapshots = open();
    assert.equal(snapshots.take(nothing).id, snapshots.take(nothing).id);
  });

  it("leave out what git would ignore, and take what the user wants of it", () => {
    execFileSync("git", ["init", "-q", root]);
    write(".gitignore", "*.log\ndist/\n.env*\n!keep.log\n/build/out\n");
    writeFileSync(join(root, ".git/info/exclude"), "private\n");
    for (const path of ["a.ts", "x.log", "keep.log", "dist/app.js", ".env", "private", "build/out/x", "build/in/x"])
      write(path, path);
    write("node_modules/p/index.js", "");
    write("lib/.gitignore", "generated.*\n");
    write("lib/generated.ts", "");
    write("lib/own.ts", "");
    const seen = (options: TakeOptions): string[] => {
      rmSync(store, { recursive: true, force: true });
      const snapshots = open();
      snapshots.take(options);
      return Object.keys(allOf(snapshots)).sort();
    };
    const usual = [".gitignore", "a.ts", "build/in/x", "keep.log", "lib/.gitignore", "lib/own.ts"];
    assert.deepEqual(seen(nothing), usual);
    const more = { included: [".env*", "dist", "build/out/x"], excludesFile: "" };
    assert.deepEqual(seen(more), [...usual, ".env", "build/out/x", "dist/app.js"].sort());
    assert.deepEqual(seen({ ...nothing, more: ["x.log"] }), [...usual, "x.log"].sort());
  });

  /** All files, as what a snapshot of an empty folder would find. */
  function allOf(snapshots: FolderSnapshots): Record<string, unknown> {
    const { id } = snapshots.take(nothing);
    const all = readJournal().filter((path) => snapshots.lastKnown(path));
    return Object.fromEntries(all.map((path) => [path, id]));
  }

  function readJournal(): string[] {
    const lines = readFileSync(join(store, "journal.jsonl"), "utf8").trim().split("\n");
    return lines.map((line) => (JSON.parse(line) as { path?: string }).path ?? "").filter((path) => path !== "");
  }

  it("obey the ignore rules of the repository that a folder lies in", () => {
    execFileSync("git", ["init", "-q", base]);
    writeFileSync(join(base, ".gitignore"), "*.log\n/work/out\n");
    for (const path of ["a.ts", "x.log", "out/x"]) write(path, "");
    const snapshots = open();
    snapshots.take(nothing);
    assert.deepEqual(readJournal(), ["a.ts"]);
  });

  it("look into repositories within, and never into git's own data", () => {
    write(".gitignore", "*.log\n");
    execFileSync("git", ["init", "-q", join(root, "inner")]);
    write("inner/a.log", "");
    const snapshots = open();
    const { id } = snapshots.take(nothing);
    write("inner/b.ts", "");
    write("inner/.git/x", "");
    assert.deepEqual(changesSince(snapshots, id), { "inner/b.ts": "absent > file" });
    assert.deepEqual(readJournal().sort(), [".gitignore", "inner/a.log", "inner/b.ts"]);
  });

  it("blame nobody for files that only other rules show or hide", () => {
    write(".gitignore", "dist\n");
    write("dist/old.js", "");
    write("a.tmp", "");
    // Late enough to be told from what was there.
    const snapshots = open();
    const { id } = snapshots.take(nothing, Date.now() + 60_000);
    write(".gitignore", "*.tmp\n");
    assert.deepEqual(changesSince(snapshots, id), { ".gitignore": "file > file" });
  });

  it("know of a file above the limit that it changed, and that it cannot be put back", async () => {
    write("large", "x".repeat(2_000));
    const snapshots = open({ maxFileBytes: 1_000 });
    const { id } = snapshots.take(nothing);
    write("large", "y".repeat(2_000));
    snapshots.take(nothing);
    assert.deepEqual(await putBack(snapshots, id), ["large"]);
  });

  it("keep equal contents once and little more than what changed", () => {
    const random = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 2_654_435_761) >>> 24));
    write("a", random);
    write("b", random);
    const snapshots = open();
    snapshots.take(nothing);
    const first = snapshots.bytes;
    assert.ok(first < random.length * 1.1, `${first} bytes`);
    write("c", Buffer.concat([random, Buffer.from("end")]));
    snapshots.take(nothing);
    assert.ok(snapshots.bytes - first < random.length * 1.2, `${snapshots.bytes - first} bytes`);
  });

  it("go on after a process that was killed while it wrote", () => {
    write("a", "a".repeat(500));
    let snapshots = open();
    const { id } = snapshots.take(nothing);
    write("b", "b".repeat(500));
    snapshots.take(nothing);
    snapshots.close();
    const whole = readFileSync(join(store, "journal.jsonl"));
    const after = new Set<string>();
    for (let length = 0; length <= whole.length; length += 7) {
      truncateSync(join(store, "journal.jsonl"), 0);
      writeFileSync(join(store, "journal.jsonl"), whole.subarray(0, length));
      snapshots = open();
      const isKnown = snapshots.ids.includes(id);
      snapshots.take(nothing);
      if (isKnown) after.add(JSON.stringify(snapshots.changes(id)?.map(({ path }) => path)));
      else assert.equal(snapshots.changes(id), undefined);
      snapshots.close();
    }
    assert.deepEqual([...after], ['["b"]']);
  });

  it("know what a cut-off file of contents does not hold any more", async () => {
    for (const name of ["a", "b"]) write(name, name.repeat(5_000));
    let snapshots = open();
    const { id } = snapshots.take(nothing);
    snapshots.close();
    const pack = readdirSync(store).find((name) => name.endsWith(".pack")) ?? "";
    truncateSync(join(store, pack), statSync(join(store, pack)).size - 1);
    for (const name of ["a", "b"]) write(name, "new");
    snapshots = open();
    snapshots.take(nothing);
    assert.deepEqual(await putBack(snapshots, id), ["b"]);
  });

  it("give up the oldest when the store grows too large, and can still go back behind the others", async () => {
    const snapshots = open({ maxStoreBytes: 25_000 });
    const bytes = (seed: number): Buffer =>
      Buffer.concat(Array.from({ length: 313 }, (_, at) => createHash("sha256").update(`${seed} ${at}`).digest()));
    const ids = [1, 2, 3, 4].map((seed) => {
      write("a", bytes(seed));
      return snapshots.take(nothing).id;
    });
    const size = snapshots.bytes;
    snapshots.clean();
    assert.ok(snapshots.bytes < size);
    assert.deepEqual(snapshots.ids, ids.slice(-snapshots.ids.length));
    const [oldest = ""] = snapshots.ids;
    assert.notEqual(oldest, ids[0]);
    assert.deepEqual(await putBack(snapshots, oldest), []);
    snapshots.close();
    assert.deepEqual(open().ids, snapshots.ids);
  });

  it("give up what is older than a month", () => {
    const snapshots = open();
    const day = 24 * 60 * 60 * 1_000;
    const ids = [40, 20, 0].map((days) => {
      write("a", String(days));
      return snapshots.take(nothing, Date.now() - days * day).id;
    });
    snapshots.clean();
    assert.deepEqual(snapshots.ids, ids.slice(1));
  });

  it("ask to be cleaned when the store has grown too large, and again only when it has grown more", () => {
    const large = (): void => write("a", randomBytes(200_000));
    large();
    const snapshots = open({ maxStoreBytes: 500_000 });
    const isFull = [1, 2, 3].map(() => {
      large();
      return snapshots.take(nothing).isFull;
    });
    assert.deepEqual(isFull, [false, false, true]);
    snapshots.clean();
    assert.equal(snapshots.take(nothing).isFull, false);
    assert.equal(snapshots.ids.length, 2);
  });

  it("leave no file of contents behind that a killed cleaning left, all of which are elsewhere", () => {
    write("a", randomBytes(1_000));
    open().take(nothing, 1);
    for (const one of opened.splice(0)) one.close();
    const [pack = ""] = readdirSync(store).filter((name) => name.endsWith(".pack"));
    copyFileSync(join(store, pack), join(store, "0-0.pack"));
    write("a", randomBytes(1_000));
    const snapshots = open();
    snapshots.take(nothing, 2);
    snapshots.clean(defaultLimits.maxAgeMs + 2);
    assert.ok(!readdirSync(store).includes("0-0.pack"));
  });

  it("are readable for the user alone", function () {
    if (process.platform === "win32") return this.skip();
    write("a", "a".repeat(100));
    open().take(nothing);
    const modes = [store, ...readdirSync(store).map((name) => join(store, name))].map((file) =>
      (statSync(file).mode & 0o777).toString(8),
    );
    assert.deepEqual(modes, ["700", "600", "600"]);
  });

  it("say that nothing can be written, know the files nevertheless, and write when they can again", () => {
    write("a", "one");
    let snapshots = open();
    const { id } = snapshots.take(nothing);
    rmSync(store, { recursive: true });
    write("a", "two");
    const { problem } = snapshots.take(nothing);
    assert.match(problem ?? "", /ENOENT/);
    const [change] = snapshots.changes(id) ?? [];
    assert.deepEqual(
      [change?.path, typeof change?.after === "object" && "isKept" in change.after && change.after.isKept],
      ["a", false],
    );
    mkdirSync(store);
    write("b", "three");
    assert.equal(snapshots.take(nothing).problem, undefined);
    snapshots = open();
    assert.deepEqual(
      snapshots.changes(id)?.map(({ path }) => path),
      ["a", "b"],
    );
  });
});
