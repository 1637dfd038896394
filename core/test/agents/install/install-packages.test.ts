import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import nodeModule from "node:module";
import { basename, delimiter, dirname, join } from "node:path";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import type { Installer, InstallerOptions } from "../../../src/agents/install/installer.js";
import { resolveCommand, systemLookup } from "../../../src/base/node/resolve-command.js";
import type { InstallPlan, NpmPlan } from "../../../src/agents/registry/start-plan.js";
import { needsCargo } from "../../needs-cargo.js";
import { agentProgram, InstallStage } from "./install-fixture.js";
import { NpmRegistry } from "./npm-registry.js";

const noProbe = (): Promise<void> => Promise.resolve();
const start = { args: [], env: {} };

async function failure(attempt: Promise<unknown>): Promise<SymposiumError> {
  const thrown: unknown = await attempt.then(
    () => assert.fail("it did not fail"),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof SymposiumError, String(thrown));
  return thrown;
}

describe("packages of npm", function () {
  this.timeout(120_000);
  let stage: InstallStage;
  let registry: NpmRegistry;
  let installer: Installer;
  beforeEach(async () => {
    stage = await InstallStage.open();
    registry = new NpmRegistry(stage.server, stage.home);
    installer = stage.installer({ env: registry.env });
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  const plan = (name: string, changes: Partial<NpmPlan> = {}): NpmPlan => ({
    kind: "npm",
    id: "tool",
    package: name,
    ...start,
    ...changes,
  });

  it("are started by their entry file with Node, and asked for again only by updates", async () => {
    registry.publish(
      { name: "tool", version: "1.0.0", bin: { tool: "bin/tool.js" } },
      { "bin/tool.js": agentProgram("1.0.0", "/usr/bin/env node") },
    );
    const installed = await installer.install(plan("tool"));
    const home = join(stage.folder, "tool", "1.0.0");
    const args = ["--require", join(home, "compile-cache.cjs"), join(home, "node_modules", "tool", "bin", "tool.js")];
    assert.deepEqual(installed.command, { command: process.execPath, args, env: {} });
    assert.equal(await stage.output(installed.command), "1.0.0");
    registry.publish(
      { name: "tool", version: "1.1.0", bin: "tool.js" },
      { "tool.js": agentProgram("1.1.0", "/usr/bin/env node") },
    );
    const asked = stage.server.asked.length;
    assert.equal((await installer.install(plan("tool"))).version, "1.0.0");
    assert.equal(stage.server.asked.length, asked);
    const updated = await installer.update(plan("tool"));
    assert.deepEqual(
      [updated.version, updated.previous, await stage.output(updated.command)],
      ["1.1.0", "1.0.0", "1.1.0"],
    );
    assert.deepEqual((await readdir(join(stage.folder, "tool"))).sort(), ["1.0.0", "1.1.0", "current.json"]);
  });

  it("have their compiled code kept in their own folder, and not that of what they start", async function () {
    if (!("enableCompileCache" in nodeModule)) return this.skip(); // Node 22.8 and later have it.
    const child = `console.log(require("node:module").getCompileCacheDir())`;
    const program = `console.log(require("node:module").getCompileCacheDir());
require("node:child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "inherit" });`;
    registry.publish({ name: "tool", version: "1.0.0", bin: "tool.js" }, { "tool.js": program });
    const { command, folder } = await stage.installer({ env: registry.env, probe: noProbe }).install(plan("tool"));
    const [own = "", ofChild] = (await stage.output(command)).trimEnd().split("\n");
    assert.deepEqual([dirname(own), ofChild], [join(folder, "compile-cache"), "undefined"]);
    assert.deepEqual(await readdir(join(folder, "compile-cache")), [basename(own)]);
  });

  it("bring no older release where Node is too old for the one that is meant", async () => {
    registry.publish({ name: "tool", version: "1.0.0", bin: "tool.js" }, { "tool.js": "" });
    registry.publish({ name: "tool", version: "2.0.0", bin: "tool.js", engines: { node: ">=99" } }, { "tool.js": "" });
    for (const name of ["tool", "tool@2.0.0", "tool@>=1"]) {
      const error = await failure(installer.install(plan(name)));
      assert.equal(error.code, "unsupported-engine");
      assert.match(error.text, /"tool@2\.0\.0" needs Node\.js >=99, and ".*" is \d+\.\d+\.\d+\. Install a Node\.js/);
      const line = `registry install '{"id":"tool","distribution":{"npx":{"package":"tool@1.0.0"}}}'`;
      assert.ok(
        error.text.includes(
          `install 1.0.0, the newest version that runs on your Node.js: \`symposium-acp-agent ${line}`,
        ),
      );
    }
    const managed = stage.installer({ env: { ...registry.env, NVM_DIR: "/home/me/.nvm", FNM_DIR: "" } });
    assert.match((await failure(managed.install(plan("tool")))).text, /\(`nvm install 99 && nvm alias default 99`\)/);
    assert.deepEqual(await readdir(stage.folder), []);
  });

  it("tell before anything is fetched how large they are, and which Node they need", async () => {
    const manifest = { name: "tool", version: "1.0.0", bin: "tool.js" };
    registry.publish({ ...manifest, version: "0.9.0" }, { "tool.js": "x".repeat(3000) });
    registry.publish({ ...manifest, engines: { node: ">=99" } }, { "tool.js": "x".repeat(5000) });
    const { problem, ...preview } = await installer.preview(plan("tool"));
    const size = { kind: "unpacked", bytes: 5075, hasDependencies: false };
    assert.deepEqual(preview, { version: "1.0.0", node: ">=99", size });
    assert.match(
      problem?.text ?? "",
      /"tool@1\.0\.0" needs Node\.js >=99.*install 0\.9\.0, the newest version that runs/,
    );
    assert.deepEqual(await installer.preview(plan("nonexistent")), { size: { kind: "unknown" } });
    await assert.rejects(readdir(stage.folder), { code: "ENOENT" });
    const progress: string[] = [];
    await stage
      .installer({ env: registry.env, probe: noProbe })
      .install(plan("tool@0.9.0"), { onProgress: ({ text }) => progress.push(text) });
    assert.equal(progress[1], "Installing tool@0.9.0 with npm, 3.0 kB unpacked");
  });

  it("run their own install script, and are started directly when that brings a program", async () => {
    const script = `require("node:fs").writeFileSync("tool.exe", "\\x7fELF" + "x")`;
    registry.publish(
      { name: "tool", version: "1.0.0", bin: "./tool.exe", scripts: { postinstall: "node make.js" } },
      { "tool.exe": "placeholder", "make.js": script },
    );
    const { command } = await stage.installer({ env: registry.env, probe: noProbe }).install(plan("tool"));
    assert.deepEqual(command.args, []);
    assert.equal(await readFile(command.command, "latin1"), "\x7fELFx");
  });

  it("say which programs there are when it is not clear", async () => {
    registry.publish(
      { name: "tool", version: "1.0.0", bin: { a: "a.js", b: "b.js" } },
      { "a.js": agentProgram("a"), "b.js": "" },
    );
    const error = await failure(installer.install(plan("tool")));
    assert.equal(error.text, 'The package "tool" contains several programs. Name one of them: "a", "b".');
    assert.equal(await stage.output((await installer.install(plan("tool", { program: "a" }))).command), "a");
    assert.deepEqual(await readdir(stage.folder), ["tool"]);
  });

  it("refuse an entry file that is missing or lies outside", async () => {
    registry.publish({ name: "tool", version: "1.0.0", bin: "none.js" }, {});
    registry.publish({ name: "evil", version: "1.0.0", bin: "../../../../../../bin/sh" }, {});
    await failure(installer.install(plan("tool")));
    await failure(installer.install(plan("evil")));
    assert.deepEqual(await readdir(stage.folder), []);
  });

  it("say what to do when they do not exist, or nobody answers", async () => {
    const missing = await failure(installer.install(plan("none")));
    assert.match(missing.text, /npm can't find "none": .*E404.*check the name and version/s);
    const { PATH: _, ...env } = registry.env;
    await stage.server[Symbol.asyncDispose]();
    const offline = await failure(installer.install(plan("none@1.0.0")));
    assert.match(offline.text, /ECONNREFUSED.*Check the connection/s);
    const noNpm = await failure(
      stage.installer({ env: { ...env, PATH: stage.home }, node: join(stage.home, "node") }).install(plan("x")),
    );
    assert.match(noNpm.text, /"npm" could not be started \(ENOENT\).*Install Node/s);
    assert.deepEqual(await readdir(stage.folder), []);
  });

  it("end npm when they are cancelled, and leave nothing behind", async () => {
    registry.publish({ name: "tool", version: "1.0.0", bin: "tool.js" }, { "tool.js": "" });
    const controller = new AbortController();
    stage.server.files.set("/tool/-/1.0.0.tgz", () => controller.abort(new Error("stop")));
    await assert.rejects(installer.install(plan("tool"), { signal: controller.signal }), /^Error: stop$/);
    assert.deepEqual(await readdir(stage.folder), []);
  });
});

/** Registries of the real world, where they can be reached. */
describe("real packages", function () {
  this.timeout(300_000);
  let stage: InstallStage;
  beforeEach(async () => {
    stage = await InstallStage.open();
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  const has = (program: string): boolean => resolveCommand(program, systemLookup()) !== undefined;

  /** Installs without a probe; undefined where the network is missing. */
  async function output(
    plan: InstallPlan,
    args: readonly string[],
    options: Partial<InstallerOptions> = {},
  ): Promise<string | undefined> {
    try {
      const { command } = await stage.installer({ probe: noProbe, ...options }).install(plan);
      return await stage.output(command, args);
    } catch (thrown) {
      if (thrown instanceof SymposiumError && /network is unreachable/.test(thrown.text)) return undefined;
      throw thrown;
    }
  }

  it("of npm are installed and started", async function () {
    const text = await output({ kind: "npm", id: "semver", package: "semver@7.7.1", ...start }, [
      "1.2.3",
      "-i",
      "minor",
    ]);
    if (text === undefined) this.skip();
    assert.equal(text, "1.3.0");
  });

  it("of PyPI are installed and started by their console script", async function () {
    if (!has("python3")) this.skip();
    const plan = { kind: "pip", id: "cowsay", package: "cowsay@6.1", prefersUv: false, ...start } as const;
    const text = await output(plan, ["-t", "moo"]);
    if (text === undefined) this.skip();
    assert.match(text, /\| moo \|/);
    assert.match((await stage.installer().installed("cowsay"))?.command.command ?? "", /venv.(?:bin|Scripts).python/);
  });

  it("of crates.io are installed and started", async function () {
    needsCargo(this);
    const text = await output({ kind: "cargo", id: "hello", crate: "hello_cargo", version: "0.1.0", ...start }, []);
    if (text === undefined) this.skip();
    assert.match(text, /hello/i);
    assert.deepEqual((await readdir(join(stage.folder, "hello", "0.1.0"))).includes(".build"), false);
  });

  it("of a cargo binstall are taken as they are", async function () {
    const bin = join(stage.home, "tools");
    await mkdir(bin);
    const install = `import sys, os
root = sys.argv[sys.argv.index("--root") + 1]
os.makedirs(root + "/bin"); open(root + "/bin/tool", "w").write("#!/bin/sh\\necho ready-made\\n"); os.chmod(root + "/bin/tool", 0o755)
open(root + "/.crates.toml", "w").write('[v1]\\n"tool 3.2.1 (registry+https://example.com)" = ["tool"]\\n')
`;
    if (!has("python3") || process.platform === "win32") this.skip();
    await writeFile(
      join(bin, "cargo"),
      `#!/bin/sh\n[ "$1" = binstall ] || exit 1\nexec python3 - "$@" <<'EOF'\n${install}EOF\n`,
    );
    await writeFile(join(bin, "cargo-binstall"), "#!/bin/sh\n");
    for (const name of ["cargo", "cargo-binstall"]) await chmod(join(bin, name), 0o755);
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` };
    assert.equal(await output({ kind: "cargo", id: "tool", crate: "tool", ...start }, [], { env }), "ready-made");
    assert.equal((await stage.installer().installed("tool"))?.version, "3.2.1");
  });

  it("of crates.io say what a cargo of rustup's without a toolchain needs", async function () {
    if (process.platform === "win32") this.skip();
    const bin = join(stage.home, "tools");
    await mkdir(bin);
    const text = "error: rustup could not choose a version of cargo to run, because one wasn't specified";
    await writeFile(join(bin, "cargo"), `#!/bin/sh\necho "${text}" >&2; exit 1\n`);
    await chmod(join(bin, "cargo"), 0o755);
    const plan = { kind: "cargo", id: "tool", crate: "tool", ...start } as const;
    const { code, text: said } = await failure(stage.installer({ env: { PATH: bin } }).install(plan));
    const expected = '"tool" cannot be installed: cargo cannot run: rustup has no default toolchain.';
    assert.deepEqual([code, said], ["install-failed", `${expected} Run \`rustup default stable\`.`]);
  });

  it("of Python say so when Python has no venv, is too old, or is missing", async function () {
    if (process.platform === "win32") this.skip();
    const bin = join(stage.home, "tools");
    await mkdir(bin);
    const python = async (text: string): Promise<NodeJS.ProcessEnv> => {
      await writeFile(join(bin, "python3"), `#!/bin/sh\n${text}\n`);
      await chmod(join(bin, "python3"), 0o755);
      return { PATH: `${bin}:/bin:/usr/bin` };
    };
    const plan = { kind: "pip", id: "tool", package: "tool==1", prefersUv: true, ...start } as const;
    const noVenv = await python(
      `echo "The virtual environment was not created successfully because ensurepip is not available." >&2; exit 1`,
    );
    assert.match((await failure(stage.installer({ env: noVenv }).install(plan))).text, /apt install python3-venv/);
    const tooOld = await python(
      `[ "$2" = venv ] || { echo "ERROR: Ignored the following versions that require a different python version: 1 Requires-Python >=3.99" >&2; exit 1; }
mkdir -p "$3/bin"; cp "$0" "$3/bin/python"`,
    );
    const old = await failure(stage.installer({ env: tooOld }).install(plan));
    assert.deepEqual(
      [old.code, old.message],
      ["unsupported-engine", '"tool==1" needs Python >=3.99, but the Python on PATH has a different version.'],
    );
    const none = await failure(stage.installer({ env: { PATH: stage.home } }).install(plan));
    assert.match(none.text, /there is no Python on PATH\. Install Python 3/);
    assert.deepEqual(await readdir(stage.folder), []);
  });
});
