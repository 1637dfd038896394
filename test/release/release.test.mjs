import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageFolders } from "../../scripts/release/version.mjs";
import { runWorkflow } from "../../scripts/workflows/workflow-run.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const limitMs = 180_000;
const isLinux = process.platform === "linux" && process.arch === "x64";
const manifests = ["", ...packageFolders].map((folder) => join(folder, "package.json"));
const parts = ["scripts", "zed-extension", "LICENSE", "package-lock.json", ...manifests];
const changes = "### Added\n\n- A thing.";

describe("npm run release", function () {
  this.timeout(limitMs);
  let folder;
  let copy;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-release-"));
    copy = join(folder, "repository");
    const listed = git(["ls-files", "-z", "--cached", "--others", "--exclude-standard", ...parts], root);
    for (const name of new Set(listed.split("\0").filter((text) => text !== ""))) {
      await mkdir(dirname(join(copy, name)), { recursive: true });
      await cp(join(root, name), join(copy, name));
    }
    await writeFile(join(copy, "CHANGELOG.md"), `# Changelog\n\n## Unreleased\n\n${changes}\n`);
    git(["init", "--quiet"]);
    commit("before");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function git(words, cwd = copy) {
    const { status, stdout, stderr } = spawnSync("git", words, { cwd, encoding: "utf8" });
    assert.equal(status, 0, `git ${words.join(" ")}: ${stderr}`);
    return stdout;
  }

  function commit(message) {
    git(["add", "."]);
    git(["-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "--message", message]);
  }

  function node(script, words, env = {}) {
    const options = { cwd: copy, encoding: "utf8", env: { ...process.env, ...env } };
    return spawnSync("node", [join(copy, "scripts/release", script), ...words], options);
  }

  it("makes every manifest and the changelog say the version, and nothing else", async () => {
    const { status, stdout, stderr } = node("release.mjs", ["99.0.0"]);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^All manifests and the changelog have version 99\.0\.0\. /);
    const crates = ["context-server", "language-models"].map((name) => `zed-extension/${name}`);
    assert.deepEqual(
      git(["diff", "--name-only"]).trim().split("\n").sort(),
      [
        "CHANGELOG.md",
        ...packageFolders.map((name) => `${name}/package.json`),
        "package-lock.json",
        "package.json",
        ...crates.flatMap((crate) => ["Cargo.lock", "Cargo.toml", "extension.toml"].map((name) => `${crate}/${name}`)),
        "zed-extension/extension.toml",
        "zed-extension/registry/agent.json",
      ].sort(),
    );
    const check = node("check-version.mjs", [], { TAG: "v99.0.0" });
    assert.deepEqual([check.status, check.stdout], [0, "99.0.0\n"], check.stderr);
    assert.match(
      await readFile(join(copy, "CHANGELOG.md"), "utf8"),
      new RegExp(`^# Changelog\n\n## Unreleased\n\n## 99\\.0\\.0 - \\d{4}-\\d\\d-\\d\\d\n\n${changes}\n$`),
    );
  });

  it("refuses when nothing changed for users, and leaves everything as it is", async () => {
    await writeFile(join(copy, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n");
    commit("nothing new");
    const { status, stderr } = node("release.mjs", ["99.0.0"]);
    assert.deepEqual([status, stderr], [1, "CHANGELOG.md says nothing under Unreleased: what changes for users?\n"]);
    assert.equal(git(["status", "--porcelain"]), "");
  });

  it("is checked by the tag's workflow: no manifest may differ from the table", async () => {
    const file = join(copy, "zed-extension/extension.toml");
    await writeFile(file, (await readFile(file, "utf8")).replace("linux-arm64", "linux-arm"));
    const { status, stderr } = node("check-version.mjs", []);
    assert.equal(status, 1);
    assert.match(stderr, /extension\.toml:\d+ is not what the table says/);
  });

  it("gives the draft of its tag what the changelog says, once", async function () {
    if (!isLinux) return this.skip();
    assert.equal(node("release.mjs", ["99.0.0"]).status, 0);
    commit("Release 99.0.0");
    const releases = join(folder, "releases");
    await mkdir(releases);
    const workflow = join(root, ".github/workflows/release.yml");
    const options = { tag: "v99.0.0", jobs: ["draft"], repository: copy, releases };
    const draft = async () => {
      const [{ result }] = await runWorkflow(workflow, options);
      return { result, release: JSON.parse(await readFile(join(releases, "v99.0.0/release.json"), "utf8")) };
    };
    const made = { result: "success", release: { isDraft: true, assets: [], notes: `${changes}\n` } };
    assert.deepEqual(await draft(), made);
    const uploaded = { ...made.release, assets: [{ name: "a.zip" }] };
    await writeFile(join(releases, "v99.0.0/release.json"), JSON.stringify(uploaded));
    assert.deepEqual(await draft(), { result: "success", release: uploaded });
  });
});
