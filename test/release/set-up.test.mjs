import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { lockedNodeFolder, root, spawnArguments, toolEnvironment } from "../../scripts/set-up.mjs";

const script = fileURLToPath(new URL("../../scripts/set-up.mjs", import.meta.url));
const [past, now] = [new Date("2026-01-01"), new Date("2026-01-02")];
const sources = ["core/src/a.ts", "lsp-adapter/src/a.ts", "scripts/bundle/a.mjs"];
const bundle = "core/dist/bin/symposium-acp-agent.mjs";

describe("the words of a program", () => {
  const words = ["--install-extension", "C:\\Users\\My Name\\symposium.vsix"];

  it("are passed on as they are where programs take them one by one", () => {
    assert.deepEqual(spawnArguments("/opt/my editor/code", words, { cwd: "/" }, "linux"), [
      "/opt/my editor/code",
      words,
      { cwd: "/" },
    ]);
  });

  it("stay one each on Windows, where blanks stand in most paths of editors", () => {
    const editor = "C:\\Program Files\\Microsoft VS Code\\bin\\code.cmd";
    assert.deepEqual(spawnArguments(editor, words, { cwd: "C:\\" }, "win32"), [
      `"${editor}" --install-extension "C:\\Users\\My Name\\symposium.vsix"`,
      { cwd: "C:\\", shell: true },
    ]);
  });
});

describe("the environment of the repository's tools", () => {
  it("finds the locked Node first, whether or not npm has linked it", async function () {
    const folder = lockedNodeFolder();
    if (folder === undefined) return this.skip(); // The lock has none for this platform.
    const { optionalDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const { stdout } = spawnSync("node", ["--version"], { env: toolEnvironment(), encoding: "utf8" });
    assert.equal(stdout.trim(), `v${optionalDependencies[basename(dirname(folder))]}`);
    assert.equal(toolEnvironment().PATH.split(delimiter)[0], folder);
  });
});

// Replaces npm and the bundler with programs that record their arguments.
(process.platform === "win32" ? describe.skip : describe)("what is done before everything else", () => {
  let folder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-set-up-"));
    const files = [...sources, "package.json", "package-lock.json", bundle];
    const others = ["core/recommendations.toml", "node_modules/.package-lock.json"];
    for (const file of [...files, ...others]) await put(file, "");
    await put("scripts/bundle.mjs", `import { appendFileSync } from "node:fs"; appendFileSync("calls", "bundle\\n");`);
    await put("bin/npm", `#!/bin/sh\necho "npm $*" >>calls\n`);
    await chmod(join(folder, "bin/npm"), 0o755);
    await mkdir(join(folder, "scripts"), { recursive: true });
    await cp(script, join(folder, "scripts/set-up.mjs"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function put(name, text) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await utimes(file, past, past);
  }

  /** What is called when these files are newer than all others. */
  async function callsAfter(...changed) {
    for (const name of changed) await utimes(join(folder, name), now, now);
    const env = { ...process.env, PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}` };
    const words = [
      "--input-type=module",
      "--eval",
      'import { ensureBundled } from "./scripts/set-up.mjs"; ensureBundled();',
    ];
    const { status, stderr } = spawnSync("node", words, { cwd: folder, encoding: "utf8", env });
    assert.equal(status, 0, stderr);
    return readFile(join(folder, "calls"), "utf8").catch(() => "");
  }

  it("is nothing when nothing changed", async () => {
    assert.equal(await callsAfter(), "");
  });

  for (const name of [...sources, "core/recommendations.toml", "scripts/bundle.mjs"]) {
    it(`is a bundle when ${name} is newer`, async () => {
      assert.equal(await callsAfter(name), "bundle\n");
    });
  }

  it("is an installation when the lock file is newer, without npm's warnings of tools that want a newer Node", async () => {
    assert.equal(await callsAfter("package-lock.json", bundle), "npm ci --no-audit --no-fund --loglevel=error\n");
  });
});
