import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listFolderFiles } from "../../../../src/extensions/ide-operations/node/folder-files.js";

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

  async function names(): Promise<readonly string[]> {
    const { paths } = await listFolderFiles(folder, ["rs"], never);
    return paths.map((path) => path.slice(folder.length + 1).replaceAll("\\", "/"));
  }

  it("know what was added and removed since, and what is ignored now", async () => {
    const seen = [await names()];
    await writeFile(join(folder, "src", "b.rs"), "");
    seen.push(await names());
    await mkdir(join(folder, "new"));
    await writeFile(join(folder, "new", "c.gen.rs"), "");
    await writeFile(join(folder, "new", "c.rs"), "");
    await rm(join(folder, "src", "a.rs"));
    seen.push(await names());
    await writeFile(join(folder, ".gitignore"), "");
    seen.push(await names());
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
    assert.deepEqual(await names(), [".github/made.rs", "dist/kept.rs", "src/a.rs"]);
  });
});
