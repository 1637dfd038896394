import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FolderFiles } from "../../../../src/extensions/ide-operations/node/folder-files.js";

const never = new AbortController().signal;

describe("the lists of files", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium lists "));
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, ".gitignore"), "*.gen.rs\n");
    await writeFile(join(folder, "src", "a.rs"), "");
    execFileSync("git", ["-C", folder, "init"], { stdio: "ignore" });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function names(files = new FolderFiles()): Promise<readonly string[]> {
    const { paths } = await files.list(folder, ["rs"], never);
    return paths.map((path) => path.slice(folder.length + 1).replaceAll("\\", "/"));
  }

  it("know what was added and removed since, and what is ignored now", async () => {
    const files = new FolderFiles();
    const seen = [await names(files)];
    await writeFile(join(folder, "src", "b.rs"), "");
    seen.push(await names(files));
    await mkdir(join(folder, "new"));
    await writeFile(join(folder, "new", "c.gen.rs"), "");
    await writeFile(join(folder, "new", "c.rs"), "");
    await rm(join(folder, "src", "a.rs"));
    seen.push(await names(files));
    await writeFile(join(folder, ".gitignore"), "");
    seen.push(await names(files));
    assert.deepEqual(seen, [
      ["src/a.rs"],
      ["src/a.rs", "src/b.rs"],
      ["new/c.rs", "src/b.rs"],
      ["new/c.gen.rs", "new/c.rs", "src/b.rs"],
    ]);
  });

  for (const [change, made] of [
    ["a file", "src/c.rs"],
    ["an empty folder's file", "empty/c.rs"],
    ["a file beside ignored ones", "some/below/c.rs"],
    ["an ignore file", ".gitignore"],
  ] as const) {
    it(`are reused while nothing has changed, and read again after a change of ${change}`, async () => {
      await mkdir(join(folder, "empty"));
      await mkdir(join(folder, "some", "below"), { recursive: true });
      await writeFile(join(folder, "some", "below", "a.gen.rs"), "");
      await writeFile(join(folder, "src", "b.gen.rs"), "");
      // Keeps lists of folders that have just changed.
      const files = new FolderFiles(-60_000);
      const seen = [await names(files), await names(files)];
      // Git fails from now on, so lists that are read again include ignored files.
      await writeFile(join(folder, ".git", "config"), "no configuration");
      seen.push(await names(files));
      await writeFile(join(folder, made), "");
      seen.push(await names(files));
      const added = made.endsWith(".rs") ? [made] : [];
      const all = ["some/below/a.gen.rs", "src/a.rs", "src/b.gen.rs", ...added].sort();
      assert.deepEqual(seen, [["src/a.rs"], ["src/a.rs"], ["src/a.rs"], all]);
    });
  }

  it("have nothing of build folders without a .gitignore, but what git tracks in them", async () => {
    await rm(join(folder, ".gitignore"));
    for (const name of ["target/debug", "node_modules/x", "dist", "build", ".venv/lib", "src/__pycache__", ".github"]) {
      await mkdir(join(folder, name), { recursive: true });
      await writeFile(join(folder, name, "made.rs"), "");
    }
    await writeFile(join(folder, "dist", "kept.rs"), "");
    execFileSync("git", ["-C", folder, "add", "dist/kept.rs"], { stdio: "ignore" });
    assert.deepEqual(await names(), [".github/made.rs", "dist/kept.rs", "src/a.rs"]);
  });
});
