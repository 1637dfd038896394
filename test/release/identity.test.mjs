import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withIdentity } from "../../scripts/release/identity-mentions.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const table = "scripts/release/identity.mjs";
const others = {
  "symposium-dev.github.io/symposium": "kit.example.com",
  "symposium-dev/symposium": "acme/agent-kit",
  'publisher: "symposium-dev"': 'publisher: "acme"',
  'npmPackage: "symposium-acp-agent"': 'npmPackage: "@acme/agent"',
};

describe("the names of the product", function () {
  this.timeout(120_000);
  let copy;
  beforeEach(async () => (copy = await mkdtemp(join(tmpdir(), "symposium-identity-"))));
  afterEach(() => rm(copy, { recursive: true, force: true }));

  const manifests = (folder, ...words) =>
    spawnSync("node", [join(folder, "scripts/release/manifests.mjs"), ...words], { cwd: folder, encoding: "utf8" });

  it("are those of the table everywhere", () => {
    const { status, stderr } = manifests(root, "--check");
    assert.deepEqual([status, stderr], [0, ""]);
  });

  it("are others everywhere after a change of the table alone", async () => {
    await copyTracked();
    const text = await readFile(join(copy, table), "utf8");
    const changed = Object.entries(others).reduce((all, [old, name]) => all.replace(old, name), text);
    await writeFile(join(copy, table), changed);
    const listed = manifests(copy, "--check");
    assert.equal(listed.status, 1);
    for (const file of [
      "docs/install.md",
      "SECURITY.md",
      "vscode-extension/package.json",
      "zed-extension/extension.toml",
    ])
      assert.match(listed.stderr, new RegExp(`${file}:\\d+ is not what the table says`));
    assert.equal(manifests(copy).status, 0);
    assert.deepEqual([manifests(copy, "--check").stderr, leftovers()], ["", []]);
    const workflow = await readFile(join(copy, ".github/workflows/package-agent-extension.yml"), "utf8");
    assert.match(workflow, /uses: acme\/agent-kit\/\.github\/workflows\/package-agent-extension\.yml@/);
    assert.match(await readFile(join(copy, "docs/install.md"), "utf8"), /npm install --global @acme\/agent\n/);
    const { publisher, homepage } = JSON.parse(await readFile(join(copy, "vscode-extension/package.json"), "utf8"));
    assert.deepEqual([publisher, homepage], ["acme", "https://kit.example.com/"]);
  });

  it("are told from the names of commands, packages of this repository and strangers", () => {
    const former = { publisher: "us", id: "kit", npmPackage: "kit-agent", repository: "https://github.com/us/kit" };
    const next = { publisher: "you", npmPackage: "@you/kit-agent", repository: "https://github.com/you/kit" };
    const change = (text) =>
      withIdentity(text, { ...former, site: "https://us.io/kit/" }, { ...next, site: "https://you.io/" });
    for (const [text, expected] of [
      ["vscode://us.kit/prompt and us.kit", "vscode://you.kit/prompt and you.kit"],
      ["github.com/us/kit/releases, us/kit-two, @us/kit", "github.com/you/kit/releases, us/kit-two, @us/kit"],
      ["npx -y kit-agent run; kit-agent run", "npx -y @you/kit-agent run; kit-agent run"],
      ["the publisher `us`; about us", "the publisher `you`; about us"],
      ["https://us.io/kit/vscode.html", "https://you.io/vscode.html"],
    ])
      assert.equal(change(text), expected);
  });

  /** Copies the tracked files with their changes into a new repository. */
  async function copyTracked() {
    run("git", ["checkout-index", "--all", `--prefix=${copy}/`], root);
    const changed = ["diff --name-only", "ls-files --others --exclude-standard"].flatMap((words) =>
      run("git", words.split(" "), root)
        .split("\n")
        .filter((name) => name !== ""),
    );
    for (const name of changed) {
      await rm(join(copy, name), { force: true });
      await cp(join(root, name), join(copy, name)).catch(ignoreMissing);
    }
    run("git", ["init", "--quiet"], copy);
    run("git", ["add", "."], copy);
  }

  /** Lines that still name the first owner, except for this repository's own packages. */
  function leftovers() {
    const exempt = ["CHANGELOG.md", "scripts/release/identity-mentions.mjs", "test/release/identity.test.mjs"];
    const words = ["grep", "-nI", "symposium-dev", "--", ...exempt.map((name) => `:!${name}`)];
    const { stdout } = spawnSync("git", words, { cwd: copy, encoding: "utf8" });
    return stdout.split("\n").filter((line) => /(?<!@)symposium-dev|@symposium-dev(?!\/)/.test(line));
  }

  function run(program, words, cwd) {
    const { status, stdout, stderr } = spawnSync(program, words, { cwd, encoding: "utf8", maxBuffer: 2 ** 26 });
    assert.equal(status, 0, stderr);
    return stdout;
  }

  function ignoreMissing(error) {
    if (error.code !== "ENOENT") throw error;
  }
});
