import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { access, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FileIndex } from "../../../src/features/context/file-index.js";
import { listFiles } from "../../../src/features/context/file-list.js";

describe("the index of files", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "index-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function put(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  }
  const initGit = (): unknown => execFileSync("git", ["init", "--quiet"], { cwd: folder });
  const files = {
    ".gitignore": "*.log\n/out/\n",
    "a.log": "",
    "out/x.js": "",
    "src/out/y.js": "",
    "src/.gitignore": "!keep.log\n",
    "src/keep.log": "",
    "src/a b/ünï.ts": "",
  };
  const named = [".gitignore", "src/.gitignore", "src/a b/ünï.ts", "src/keep.log", "src/out/y.js"];

  it("has what Git does not ignore, tracked or not", async () => {
    await put({ ...files, "node_modules/kept/by-git.js": "" });
    initGit();
    const { files: found, isCut } = await listFiles(folder, 100);
    assert.deepEqual(
      [[...found].sort(), isCut],
      [[".gitignore", "node_modules/kept/by-git.js", ...named.slice(1)], false],
    );
  });

  it("starts nothing that the repository's configuration names", async () => {
    await put({ a: "" });
    initGit();
    execFileSync("git", ["config", "core.fsmonitor", `touch '${join(folder, ".git", "started")}'; false`], {
      cwd: folder,
    });
    assert.deepEqual((await listFiles(folder, 9)).files, ["a"]);
    await assert.rejects(access(join(folder, ".git", "started")));
  });

  it("follows the same files outside Git, and leaves out installed packages", async () => {
    await put({ ...files, "node_modules/x/index.js": "" });
    const { files: found } = await listFiles(folder, 100);
    assert.deepEqual([...found].sort(), named);
  });

  it("says when there are more than it takes", async () => {
    await put({ a: "", b: "", c: "" });
    assert.deepEqual(await listFiles(folder, 2), { files: ["a", "b"], isCut: true });
  });

  it("finds files and folders by the letters of their paths, names first", async () => {
    await put({ "src/chat/view.ts": "", "src/view/chat.ts": "", "docs/other.md": "" });
    const index = new FileIndex(folder);
    const paths = async (text: string): Promise<string[]> => (await index.search(text, 3)).map(({ path }) => path);
    assert.deepEqual(
      [(await paths("view"))[0], (await paths("srcchat"))[0], await paths("zzz")],
      ["src/view", "src/chat", []],
    );
    assert.equal((await paths("chat.ts"))[0], "src/view/chat.ts");
  });

  for (const isGit of [true, false]) {
    it(`follows what is created and deleted ${isGit ? "in" : "outside"} Git`, async () => {
      await put({ ".gitignore": "*.log\n", "first.ts": "", "folder/in.ts": "" });
      if (isGit) initGit();
      const index = new FileIndex(folder);
      const paths = async (text: string): Promise<string[]> => (await index.search(text, 9)).map(({ path }) => path);
      assert.deepEqual(await paths("first.ts"), ["first.ts"]);

      await put({ "new.ts": "", "new.log": "" });
      index.created("new.ts");
      index.created("new.log");
      assert.deepEqual([await paths("new.ts"), await paths("new.log")], [["new.ts"], []]);

      await rm(join(folder, "folder"), { recursive: true });
      index.deleted("folder");
      assert.deepEqual(await paths("in.ts"), []);
    });
  }

  it("takes 16,000 files", async () => {
    const names = Array.from({ length: 16_000 }, (_, index) => `packages/p${index % 160}/src/module-${index}.ts`);
    for (const parent of new Set(names.map(dirname))) await mkdir(join(folder, parent), { recursive: true });
    await Promise.all(names.map((name) => writeFile(join(folder, name), "")));
    initGit();
    const index = new FileIndex(folder);
    const [best] = await index.search("p15module-15999", 5);
    assert.equal(best?.path, "packages/p159/src/module-15999.ts");
  }).timeout(60_000);
});
