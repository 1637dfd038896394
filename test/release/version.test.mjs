import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  isLater,
  packageFolders,
  versionProblems,
  withReleasedChanges,
  writeVersion,
} from "../../scripts/release/version.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const changelog = "# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.0.9 - 2026-01-01\n\n- Old.\n";

describe("the version", () => {
  let folder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-version-"));
    const files = ["package.json", "package-lock.json", ...packageFolders.map((name) => join(name, "package.json"))];
    for (const file of files) await cp(join(root, file), join(folder, file));
    await writeFile(join(folder, "CHANGELOG.md"), changelog);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const release = (...words) =>
    spawnSync("node", [join(root, "scripts/release/release.mjs"), "--root", folder, ...words], { encoding: "utf8" });

  it("is the same in every manifest of this repository", async () => {
    assert.deepEqual(await versionProblems(root), []);
  });

  it("is written wherever it stands, and nothing else is", async () => {
    const before = await readFile(join(folder, "vscode-extension/package.json"), "utf8");
    await writeVersion(folder, "7.8.9");
    assert.deepEqual(await versionProblems(folder), []);
    const after = await readFile(join(folder, "vscode-extension/package.json"), "utf8");
    const current = JSON.parse(before).version;
    assert.equal(after, before.replaceAll(`"${current}"`, '"7.8.9"'));
  });

  it("is missed where a manifest says another one", async () => {
    const file = join(folder, "core/package.json");
    await writeFile(file, (await readFile(file, "utf8")).replace(/"version": "[^"]+"/, '"version": "9.9.9"'));
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    assert.deepEqual(await versionProblems(folder), [
      `${join("core", "package.json")} says 9.9.9, and package.json ${version}.`,
    ]);
  });

  it("only grows", () => {
    assert.deepEqual(
      ["1.2.4", "1.3.0", "10.0.0", "1.2.3", "1.2.2", "1.2", "v2.0.0", ""].map((next) => isLater(next, "1.2.3")),
      [true, true, true, false, false, false, false, false],
    );
  });

  it("takes the unreleased changes as its own", () => {
    assert.equal(
      withReleasedChanges(changelog, "0.1.0", "2026-02-03"),
      changelog.replace("## Unreleased\n", "## Unreleased\n\n## 0.1.0 - 2026-02-03\n"),
    );
  });

  it("is not released when nothing changed for users", () => {
    assert.throws(() => withReleasedChanges(changelog.replace("- A thing.", ""), "0.1.0", "2026-02-03"), {
      message: "CHANGELOG.md says nothing under Unreleased: what changes for users?",
    });
  });

  it("is refused when it is no later one", () => {
    const { status, stderr } = release("0.0.1");
    assert.equal(status, 1);
    assert.match(stderr, /^"0\.0\.1" is no version after \d/);
  });

  it("is refused while something is not committed", () => {
    spawnSync("git", ["init", "--quiet"], { cwd: folder });
    const { status, stderr } = release("99.0.0");
    assert.equal(status, 1);
    assert.match(stderr, /^There are changes that are not committed:\n\?\? /);
  });
});
