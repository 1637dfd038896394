import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { programVersion, signInTrace, currentPlatform } from "../../../src/agents/registry/node/this-machine.js";

describe("an agent on this machine", () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "on-machine-"))));
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(path: string, content: string): string {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  it("has the version of the npm package that its program is linked to", async () => {
    const target = write("lib/node_modules/opencode-ai/bin/opencode", "");
    write("lib/node_modules/opencode-ai/package.json", `{"version": "1.2.3", "bin": {"opencode": "bin/opencode"}}`);
    mkdirSync(join(folder, "bin"));
    symlinkSync(target, join(folder, "bin", "opencode"));
    assert.equal(await programVersion(join(folder, "bin", "opencode")), "1.2.3");
  });

  it("has on Windows the version of the package beside its script", async () => {
    const script = write("npm/gemini.cmd", "");
    write("npm/node_modules/@google/gemini-cli/package.json", `{"name": "@google/gemini-cli", "version": "3.0.0"}`);
    assert.equal(await programVersion(script, "@google/gemini-cli"), "3.0.0");
  });

  it("has no version where its program is no npm package's, or another one's", async () => {
    const program = write("project/node_modules/.bin/goose", "");
    write("project/package.json", `{"name": "my-project", "version": "9.9.9", "bin": {"mine": "x"}}`);
    write("broken/package.json", "{");
    assert.equal(await programVersion(program), undefined);
    assert.equal(await programVersion(write("broken/kiro", "")), undefined);
  });

  it("shows by the name of a variable or of a file that its user seems to be signed in", () => {
    write(".codex/auth.json", "not to be read");
    write("elsewhere/.credentials.json", "not to be read");
    const seen = {
      nothing: signInTrace("claude-code", {}, folder),
      variable: signInTrace("claude-code", { ANTHROPIC_API_KEY: "sk-secret" }, folder),
      empty: signInTrace("claude-code", { ANTHROPIC_API_KEY: "" }, folder),
      file: signInTrace("codex", {}, folder),
      moved: signInTrace("codex", { CODEX_HOME: join(folder, "elsewhere") }, folder),
      folder: signInTrace("claude-code", { CLAUDE_CONFIG_DIR: join(folder, "elsewhere") }, folder),
      unknown: signInTrace("kiro-cli", {}, folder),
    };
    assert.deepEqual(seen, {
      nothing: undefined,
      variable: "ANTHROPIC_API_KEY is set",
      empty: undefined,
      file: "~/.codex/auth.json exists",
      moved: undefined,
      folder: `${join(folder, "elsewhere", ".credentials.json")} exists`,
      unknown: undefined,
    });
  });
});

describe("currentPlatform", () => {
  it("is this machine's", function () {
    if (process.platform !== "linux" || !["x64", "arm64"].includes(process.arch)) this.skip();
    const isMusl =
      !readdirSync("/lib").some((name) => name.includes("linux-gnu")) &&
      readdirSync("/lib").some((name) => name.startsWith("ld-musl"));
    const architecture = process.arch === "x64" ? "x86_64" : "aarch64";
    assert.equal(currentPlatform().key, `linux-${architecture}${isMusl ? "-musl" : ""}`);
  });
});
