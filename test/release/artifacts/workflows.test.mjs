import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { whyNoCargo } from "../../../core/dist/testing/node/rust-here.js";
import { runWorkflow } from "../../../scripts/workflows/workflow-run.mjs";
import { root } from "../support/artifacts.mjs";
import { repositoryWith, runProgram } from "../support/workflows.mjs";

const workflows = join(root, ".github/workflows");
const limitMs = 400_000;
const isLinux = process.platform === "linux" && process.arch === "x64";

// The jobs that run here are those of Linux on x64.
(isLinux ? describe : describe.skip)("workflows with the hosted runners' programs", function () {
  this.timeout(limitMs);
  let folder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-workflows-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("are clean, as the linters see them", async function () {
    needs(this, "go", "python3");
    const { code, output } = await runProgram("ci.yml", "--job", "workflows");
    assert.equal(code, 0, output);
    assert.match(output, /^ {6}ok {2}node scripts\/release\/lint-workflows\.mjs$/m);
  });

  it("package the crate of an extension, upload its archive and describe it", async function () {
    needs(this, "cargo", "jq");
    const files = {
      "Cargo.toml": `[package]\nname = "tool"\nversion = "1.2.3"\nedition = "2021"\nlicense = "MIT"\n
[package.metadata.symposium]\nargs = ["--serve"]\n`,
      "Cargo.lock": `version = 3\n\n[[package]]\nname = "tool"\nversion = "1.2.3"\n`,
      "src/main.rs": "fn main() {}\n",
    };
    await mkdir(join(folder, "v1.2.3"));
    await writeFile(join(folder, "v1.2.3/release.json"), JSON.stringify({ isDraft: false, assets: [] }));
    // Another job of the calling workflow uploads it.
    const artifacts = join(folder, "artifacts");
    await mkdir(join(artifacts, "notes"), { recursive: true });
    await writeFile(join(artifacts, "notes/notes.zip"), "none of its archives");
    const jobs = await runWorkflow(join(workflows, "package-agent-extension.yml"), {
      artifacts,
      repository: await repositoryWith(folder, files),
      inputs: { musl: "false" },
      tag: "v1.2.3",
      releases: folder,
    });
    const results = jobs.map(({ name, result }) => `${name.replace(/,.*\)/, ")")}: ${result}`);
    assert.deepEqual(results, [
      "metadata: success",
      "build (linux-x86_64): success",
      "build (linux-aarch64): not run",
      "build (darwin-x86_64): not run",
      "build (darwin-aarch64): not run",
      "build (windows-x86_64): not run",
      "build (windows-aarch64): not run",
      "upload: success",
    ]);
    const archive = "tool-linux-x86_64-1.2.3.tar.gz";
    assert.deepEqual(
      (await readdir(join(folder, "v1.2.3"))).sort(),
      ["extension.json", "release.json", archive].sort(),
    );
    const { distribution, ...described } = JSON.parse(await readFile(join(folder, "v1.2.3/extension.json"), "utf8"));
    assert.deepEqual(described, { id: "tool", name: "tool", version: "1.2.3", description: "", license: "MIT" });
    const { sha256, ...target } = distribution.binary["linux-x86_64"];
    assert.match(sha256, /^[0-9a-f]{64}$/);
    const address = `https://github.com/symposium-dev/symposium/releases/download/v1.2.3/${archive}`;
    assert.deepEqual(target, { archive: address, cmd: "./tool", args: ["--serve"], env: {} });
  });

  it("package two crates of one run side by side, though one has the name of a platform", async function () {
    needs(this, "cargo", "jq");
    const names = ["tool", "tool-linux-x86_64"];
    const crate = (name) => ({
      [`${name}/Cargo.toml`]: `[package]\nname = "${name}"\nversion = "1.2.3"\nedition = "2021"\n`,
      [`${name}/src/main.rs`]: "fn main() {}\n",
    });
    const locked = names.map((name) => `\n[[package]]\nname = "${name}"\nversion = "1.2.3"\n`);
    const repository = await repositoryWith(folder, {
      "Cargo.toml": `[workspace]\nmembers = ${JSON.stringify(names)}\nresolver = "2"\n`,
      "Cargo.lock": `version = 3\n${locked.join("")}`,
      ...crate(names[0]),
      ...crate(names[1]),
    });
    await mkdir(join(folder, "v1.2.3"));
    await writeFile(join(folder, "v1.2.3/release.json"), JSON.stringify({ isDraft: false, assets: [] }));
    const run = (inputs) =>
      runWorkflow(join(workflows, "package-agent-extension.yml"), {
        ...{ repository, inputs: { musl: "false", ...inputs }, tag: "v1.2.3", releases: folder },
        artifacts: join(folder, "artifacts"),
      });
    for (const name of names) {
      const jobs = await run({ manifest: `${name}/Cargo.toml`, description: `${name}.json` });
      assert.ok(jobs.every(({ result }) => ["success", "not run"].includes(result)));
    }
    const described = names.map(async (name) => {
      const { id, distribution } = JSON.parse(await readFile(join(folder, "v1.2.3", `${name}.json`), "utf8"));
      return [id, Object.entries(distribution.binary).map(([platform, { archive }]) => [platform, basename(archive)])];
    });
    const expected = (name) => [name, [["linux-x86_64", `${name}-linux-x86_64-1.2.3.tar.gz`]]];
    assert.deepEqual(await Promise.all(described), names.map(expected));
    const refused = await Promise.all(
      [{ manifest: "Cargo.toml" }, { manifest: "tool/Cargo.toml", description: "../a.json" }].map(run),
    );
    assert.deepEqual(
      refused.map(([{ result }]) => result),
      ["failure", "failure"],
    );
  });

  /** Skips a test, with the reason, if this machine lacks one of the programs, which hosted runners have. */
  function needs(context, ...programs) {
    const reasons = programs.map((name) => {
      if (name === "cargo") return whyNoCargo();
      return spawnSync(name, ["--version"]).error && `${name} is not on the PATH`;
    });
    const reason = reasons.find((each) => each !== undefined);
    if (reason === undefined) return;
    context.test.title += ` (${reason})`;
    context.skip();
  }
});
