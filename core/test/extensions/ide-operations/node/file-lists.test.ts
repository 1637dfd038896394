import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileLists } from "../../../../src/extensions/ide-operations/node/folder-files.js";

const never = new AbortController().signal;
const longAgo = new Date("2024-01-01T00:00:00Z");

describe("the lists of files", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium lists "));
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, ".gitignore"), "*.gen.rs\n");
    await writeFile(join(folder, "src", "a.rs"), "");
    execFileSync("git", ["-C", folder, "init"], { stdio: "ignore" });
    await age();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** As if nothing had been changed lately. */
  async function age(): Promise<void> {
    for (const name of ["src", ".gitignore", ""]) await utimes(join(folder, name), longAgo, longAgo);
  }

  async function names(lists: FileLists): Promise<readonly string[]> {
    const { paths } = await lists.list(folder, ["rs"], never);
    return paths.map((path) => path.slice(folder.length + 1).replaceAll("\\", "/"));
  }

  it("are kept while no folder changes", async () => {
    const lists = new FileLists();
    await names(lists);
    await writeFile(join(folder, "src", "b.rs"), "");
    await age();
    assert.deepEqual([await names(lists), await readdir(join(folder, "src"))], [["src/a.rs"], ["a.rs", "b.rs"]]);
  });

  it("know what was added and removed since, and what is ignored now", async () => {
    const lists = new FileLists();
    const seen = [await names(lists)];
    await writeFile(join(folder, "src", "b.rs"), "");
    seen.push(await names(lists));
    await age();
    await mkdir(join(folder, "new"));
    await writeFile(join(folder, "new", "c.gen.rs"), "");
    await writeFile(join(folder, "new", "c.rs"), "");
    await rm(join(folder, "src", "a.rs"));
    seen.push(await names(lists));
    await age();
    await writeFile(join(folder, ".gitignore"), "");
    seen.push(await names(lists));
    assert.deepEqual(seen, [
      ["src/a.rs"],
      ["src/a.rs", "src/b.rs"],
      ["new/c.rs", "src/b.rs"],
      ["new/c.gen.rs", "new/c.rs", "src/b.rs"],
    ]);
  });

  it("have nothing of build folders without a .gitignore, but what git tracks in them", async () => {
    await rm(join(folder, ".gitignore"));
    for (const name of ["target/debug", "node_modules/x", "dist", "build", ".venv/lib", "src/__pycache__", ".github"]) {
      await mkdir(join(folder, name), { recursive: true });
      await writeFile(join(folder, name, "made.rs"), "");
    }
    await writeFile(join(folder, "dist", "kept.rs"), "");
    execFileSync("git", ["-C", folder, "add", "dist/kept.rs"], { stdio: "ignore" });
    assert.deepEqual(await names(new FileLists()), [".github/made.rs", "dist/kept.rs", "src/a.rs"]);
  });

  it("are not kept where a folder was changed a moment ago, whose next change might look the same", async () => {
    const lists = new FileLists();
    const soon = new Date(Date.now() + 60_000);
    await utimes(join(folder, "src"), soon, soon);
    await names(lists);
    await writeFile(join(folder, "src", "b.rs"), "");
    await utimes(join(folder, "src"), soon, soon);
    assert.deepEqual(await names(lists), ["src/a.rs", "src/b.rs"]);
  });
});
