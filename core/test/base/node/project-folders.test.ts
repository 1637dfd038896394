import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import {
  foldersBelow,
  hasEntryNear,
  installedPackage,
  maxManifestBytes,
  readManifestText,
} from "../../../src/base/node/project-folders.js";

describe("the folders of a project", () => {
  let root = "";
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "project-folders-"));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function write(path: string, text = ""): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }

  const shown = (path: string): string => relative(root, path).replaceAll("\\", "/");

  it("are three levels, without hidden ones, those of tools, and links", async () => {
    const paths = ["b/x", "a/x", "a/b/c/x", "a/b/c/d/x", ".git/x", "dist/x", "node_modules/m/x", "env/x", "a/venv/x"];
    for (const path of paths) await write(path);
    await symlink(join(root, "a"), join(root, "linked"), "junction");
    const folders = await foldersBelow(root);
    assert.deepEqual(
      folders.map(({ path }) => shown(path)),
      ["", "a", "b", "a/b", "a/b/c"],
    );
    assert.deepEqual(
      folders[1]?.entries.map(({ name }) => name),
      ["b", "venv", "x"],
    );
    assert.deepEqual(await foldersBelow(join(root, "gone")), [{ path: join(root, "gone"), entries: [] }]);
  });

  it("have an entry near where the folder has it, or one directly below that may have manifests", async () => {
    for (const path of ["a/x", "a/b/y", "dist/z"]) await write(path);
    const near = (folder: string): readonly string[] =>
      ["x", "y", "z", "dist"].filter((name) => hasEntryNear(join(root, folder), [name, "other"]));
    assert.deepEqual([near(""), near("a"), near("gone")], [["x", "dist"], ["x", "y"], []]);
  });

  it("have no manifest where a link leads to a device, which may have no end", async function () {
    // Windows has no files for them.
    if (process.platform === "win32") return this.skip();
    await symlink("/dev/null", join(root, "package.json"));
    assert.equal(await readManifestText(join(root, "package.json")), undefined);
  });

  it("have the packages that are installed for them, or above, the nearest of a name", async () => {
    await write("node_modules/one/package.json", `{"version": "1.0.0"}`);
    await write("node_modules/@of/two/package.json", `{"version": "2.0.0"}`);
    await write("a/node_modules/one/package.json", `{"version": "3.0.0"}`);
    await write("a/node_modules/broken/package.json", `{`);
    await write("a/node_modules/huge/package.json", `{"version": "${"1".repeat(maxManifestBytes)}"}`);
    const version = async (from: string, name: string): Promise<unknown> =>
      (await installedPackage(join(root, from), name))?.manifest["version"];
    assert.deepEqual(
      [
        await version("", "one"),
        await version("a/b", "one"),
        await version("a", "@of/two"),
        await version("a", "broken"),
        await version("a", "huge"),
        await version("a", "../a/node_modules/one"),
        await version("a", "missing"),
      ],
      ["1.0.0", "3.0.0", "2.0.0", undefined, undefined, undefined, undefined],
    );
  });
});
