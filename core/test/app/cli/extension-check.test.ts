import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { needsCargo } from "../../needs-cargo.js";

const modules = new URL("../../../src/", import.meta.url);
const proxyMain = fileURLToPath(new URL("../testing/node/proxy-main.js", modules));

const script = `
  const { extension } = await import(process.env.EXTENSION_MODULES + "app/cli/extension-check.js");
  const { messageOf } = await import(process.env.EXTENSION_MODULES + "base/symposium-error.js");
  try {
    process.exitCode = await extension(process.argv.slice(1));
  } catch (failure) {
    process.stderr.write(messageOf(failure) + "\\n");
    process.exitCode = 2;
  }`;

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly text: string;
  readonly remedy?: string;
}

interface Result {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const manifest = { name: "my-extension", version: "0.1.0", bin: { "my-extension": "main.mjs" } };
const crateHead = '[package]\nname = "my-extension"\nversion = "0.1.0"\nedition = "2021"\n';
const published = 'description = "It helps."\nlicense = "MIT"\n';
const steps = ["initialize", "session", "tools", "prompt", "cancel", "unknown", "end"];

describe("extension check", function () {
  this.timeout(120_000);

  let folder: string;
  beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), "extension-")))));
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(file: string, text: string | object): void {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    const content = typeof text === "string" ? text : JSON.stringify(text);
    writeFileSync(join(folder, file), content, { mode: 0o755 });
  }

  /** Writes a program that runs the scripted proxy with `args` before its own arguments. Exits with code 5 unless MY_CONFIG is set. */
  function writeProxy(file: string, ...args: readonly string[]): void {
    const words = JSON.stringify([process.execPath, proxyMain, ...args]);
    write(
      file,
      `#!${process.execPath}
if (!process.env.MY_CONFIG) process.exit(5);
process.argv = [...${words}, ...process.argv.slice(2)];
import(${JSON.stringify(proxyMain)});
`,
    );
  }

  function run(...words: readonly string[]): Promise<Result> {
    const { PATH, HOME, CARGO_HOME, RUSTUP_HOME } = process.env;
    const env = { PATH, HOME, CARGO_HOME, RUSTUP_HOME, EXTENSION_MODULES: modules.href };
    const args = ["--input-type=module", "-e", script, "--", ...words];
    return new Promise((resolve) =>
      execFile(process.execPath, args, { env, cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      ),
    );
  }

  async function check(...words: readonly string[]): Promise<readonly Finding[]> {
    const { code, stdout, stderr } = await run("check", "--json", ...words);
    assert.notEqual(code, 2, stderr);
    const findings = JSON.parse(stdout) as readonly Finding[];
    const isFailed = findings.some(({ status }) => status === "fail");
    assert.equal(code, isFailed ? 1 : 0);
    return findings;
  }

  function linesOf(findings: readonly Finding[], ...checks: readonly string[]): readonly string[] {
    return findings
      .filter((finding) => checks.includes(finding.check))
      .map(({ check: name, status, text }) => `${status} ${name}: ${text}`);
  }

  it("starts an npm package with the arguments and variables of its symposium member", async () => {
    writeProxy("main.mjs");
    write("package.json", {
      ...manifest,
      symposium: { args: ["--dialect", "legacy"], env: { MY_CONFIG: "value" } },
    });
    const findings = await check(".");
    assert.deepEqual(
      findings.map(({ check: name, status }) => `${status} ${name}`),
      ["metadata", ...steps].map((name) => `ok ${name}`),
    );
    assert.deepEqual(linesOf(findings, "initialize", "tools"), [
      "ok initialize: it answers _proxy/initialize",
      "ok tools: it offers no MCP server",
    ]);
  });

  it("names every fault in the metadata of an npm package, without the values of variables", async () => {
    write("package.json", {
      ...manifest,
      version: "one",
      private: true,
      symposium: { args: "--quiet", env: { PATH: "secret", COUNT: 1 }, color: "red" },
    });
    assert.deepEqual(linesOf(await check("."), "metadata", "program"), [
      'warn metadata: package.json "symposium" has the unknown key "color"',
      'fail metadata: package.json "symposium" args must be a list of strings, got "--quiet"',
      'fail metadata: package.json "symposium" env sets PATH, which an extension may not set',
      `fail metadata: package.json "symposium" env has a value for COUNT that isn't a string`,
      'fail metadata: package.json: version must be a semantic version, got "one"',
      "warn metadata: package.json is private",
      "ok metadata: my-extension one, program main.mjs",
      `fail program: ${join(folder, "main.mjs")} does not exist`,
    ]);
  });

  it("says so when a package has no program, or its package.json is no JSON", async () => {
    write("package.json", { ...manifest, bin: {} });
    assert.deepEqual(linesOf(await check("."), "metadata"), [
      'fail metadata: The package "my-extension" contains no program.',
    ]);
    write("package.json", "{");
    assert.match(linesOf(await check("."), "metadata").join(), /^fail metadata: package\.json cannot be read: /);
  });

  it("starts the build of a crate that is the newest, with the arguments and variables of its metadata", async function () {
    needsCargo(this);
    const metadata = '[package.metadata.symposium]\nargs = ["--dialect", "mid"]\nenv = { MY_CONFIG = "value" }\n';
    write("Cargo.toml", `${crateHead}${published}${metadata}`);
    write("src/main.rs", "fn main() {}\n");
    const unbuilt = await check(".");
    assert.match(linesOf(unbuilt, "program").join(), /^fail program: "my-extension" is not built/);
    assert.equal(unbuilt.at(-1)?.remedy, "Run `cargo build --release`, then check again.");

    write("target/release/my-extension", "#!/bin/sh\nexit 3\n");
    utimesSync(join(folder, "target/release/my-extension"), 1, 1);
    writeProxy("target/debug/my-extension");
    const findings = await check(".");
    assert.deepEqual(
      findings.map(({ check: name, status }) => `${status} ${name}`),
      ["metadata", ...steps].map((name) => `ok ${name}`),
    );
    assert.deepEqual(linesOf(findings, "metadata"), ['ok metadata: my-extension 0.1.0, program "my-extension"']);
  });

  it("names every fault in the metadata of a crate", async function () {
    needsCargo(this);
    const metadata = '[package.metadata.symposium]\nbinary = "three"\nargz = []\nrecommended = ["other"]\n';
    write("Cargo.toml", `${crateHead}${metadata}`);
    write("src/bin/one.rs", "fn main() {}\n");
    write("src/bin/two.rs", "fn main() {}\n");
    const place = "[package.metadata.symposium]";
    assert.deepEqual(linesOf(await check("."), "metadata"), [
      `warn metadata: ${place} has the unknown key "argz"`,
      "warn metadata: [package] has no description",
      "warn metadata: [package] has no license",
      `fail metadata: ${place} binary = "three" isn't one of the crate's programs`,
    ]);
    write("Cargo.toml", `${crateHead}${published}`);
    const several = await check(".");
    assert.deepEqual(linesOf(several, "metadata"), ['fail metadata: the crate has several programs: "one", "two"']);
    assert.equal(several[0]?.remedy, `Set binary to one of them in ${place}.`);
    write("Cargo.toml", "[package");
    assert.match(linesOf(await check("."), "metadata").join(), /^fail metadata: cargo cannot read Cargo\.toml: /);
  });

  it("asks for one package where Cargo.toml is that of a workspace", async function () {
    needsCargo(this);
    write("Cargo.toml", '[workspace]\nmembers = ["one"]\nresolver = "2"\n');
    write("one/Cargo.toml", `${crateHead}${published}`);
    write("one/src/main.rs", "fn main() {}\n");
    assert.deepEqual(linesOf(await check("."), "metadata"), [
      "fail metadata: Cargo.toml describes no package, only a workspace (my-extension)",
    ]);
    assert.match(linesOf(await check("one"), "program").join(), /is not built/);
  });

  it("reads an extension.json and starts nothing that would have to be installed", async () => {
    const described = { id: "my-extension", name: "Mine", version: "0.1.0", description: "It helps." };
    write("extension.json", { ...described, distribution: { cargo: { crate: "my-extension" } } });
    assert.deepEqual(linesOf(await check("extension.json"), "metadata", "program"), [
      "ok metadata: my-extension 0.1.0",
      "warn program: it has to be installed from cargo first, so it was not started",
    ]);
    write("extension.json", { ...described, id: "../up", distribution: { cargo: { crate: "my-extension" } } });
    assert.match(linesOf(await check("."), "metadata").join(), /^fail metadata: The id must be a valid folder name/);
  });

  it("takes a command as words or as one text in shell words", async () => {
    writeProxy("main.mjs", "--dialect", "current");
    const words = [process.execPath, "main.mjs"];
    const path = join(folder, "main.mjs");
    for (const command of [["env", "MY_CONFIG=1", process.execPath, path], [`MY_CONFIG=1 ${words[0] ?? ""} ${path}`]]) {
      const findings = await check("--", ...command);
      assert.deepEqual(linesOf(findings, "initialize"), ["ok initialize: it answers proxy/initialize"]);
    }
  });

  it("refuses what is no extension at all with exit code 2", async () => {
    write("notes.txt", "text");
    const cases: readonly (readonly [words: readonly string[], message: RegExp])[] = [
      [
        ["check"],
        /^extension check takes a PATH, or -- and a COMMAND\. For example: .*extension check \.\/my-extension/,
      ],
      [["test", "."], /^extension: Unknown command "test"\./],
      [["check", ".", "--", "cat"], /^extension check takes a PATH, or -- and a COMMAND\./],
      [[], /^extension needs a subcommand: check\./],
      [["check", "nowhere"], /nowhere does not exist\. Give the folder of a crate/],
      [["check", "notes.txt"], /notes\.txt is a file\. Give/],
      [["check", "."], /has neither a Cargo\.toml nor a package\.json nor an extension\.json\./],
      [["check", ".", "--timeout", "soon"], /--timeout must be more than 0 and at most 600 seconds, not soon/],
    ];
    for (const [words, message] of cases) {
      const { code, stdout, stderr } = await run(...words);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, message);
    }
  });
});
