import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OwnFiles } from "../../../../src/extensions/ide-operations/node/folder-files.js";

const never = new AbortController().signal;

describe("the user's own files", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium own "));
    await mkdir(join(folder, "src"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const inFolder = (...names: readonly string[]): string[] => names.map((name) => join(folder, name));

  it("are those that git does not ignore, in build folders only those that it tracks", async () => {
    execFileSync("git", ["-C", folder, "init"], { stdio: "ignore" });
    await mkdir(join(folder, "web", "dist"), { recursive: true });
    await writeFile(join(folder, "web", "dist", "ä c.rs"), "");
    execFileSync("git", ["-C", folder, "add", "web"], { stdio: "ignore" });
    await writeFile(join(folder, ".gitignore"), "*.gen.rs\n");
    const own = new OwnFiles();
    const made = ["target/debug/e.rs", "web/dist/f.rs", "node_modules/g.js"];
    const asked = inFolder("src/a.rs", "src/b.gen.rs", "web/dist/ä c.rs", ".github/h.rs", "../d.rs", ...made);
    const expected = new Set(inFolder("src/a.rs", "web/dist/ä c.rs", ".github/h.rs"));
    assert.deepEqual(
      [await own.among(folder, asked, never), await own.among(folder, asked, never)],
      [expected, expected],
    );
    assert.deepEqual(await own.among(folder, inFolder("src/a.rs"), never), new Set(inFolder("src/a.rs")));
  });

  it("are those that do not look generated where there is no git", async () => {
    const asked = inFolder("src/a.rs", "target/debug/b.rs", "web/node_modules/c.js", ".cache/d.rs", "dist");
    assert.deepEqual(await new OwnFiles().among(folder, asked, never), new Set(inFolder("src/a.rs", "dist")));
  });

  it("are not asked about for a caller that has given up", async () => {
    await assert.rejects(new OwnFiles().among(folder, inFolder("a.rs"), AbortSignal.abort()), { name: "AbortError" });
  });
});
