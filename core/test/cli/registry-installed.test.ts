import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findAgentCommand } from "../../src/cli/components.js";
import { SymposiumError } from "../../src/base/symposium-error.js";
import type { Component } from "../../src/settings/component-spec.js";
import { emptyState, type InstalledVersion, stateText, withCurrent } from "../../src/registry/install-state.js";

describe("an agent's name", () => {
  let folder: string;
  let variables: NodeJS.ProcessEnv;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "installed-")));
    const { SYMPOSIUM_CONFIG_DIR, PATH } = process.env;
    variables = { SYMPOSIUM_CONFIG_DIR, PATH };
    Object.assign(process.env, { SYMPOSIUM_CONFIG_DIR: folder, PATH: join(folder, "path") });
  });
  afterEach(() => {
    for (const [name, value] of Object.entries(variables)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    rmSync(folder, { recursive: true });
  });

  /** Has `id` installed, with a program that Node starts, and returns the program's path. */
  function install(id: string, place = "bin"): string {
    const home = join(folder, place, id);
    mkdirSync(join(home, "1.0.0"), { recursive: true });
    const program = join(home, "1.0.0", "main.js");
    writeFileSync(program, "");
    const launch = { runner: "node", file: "main.js" } as const;
    const version: InstalledVersion = { version: "1.0.0", folder: "1.0.0", source: id, launch, args: ["a"], env: {} };
    writeFileSync(join(home, "current.json"), stateText(withCurrent(emptyState, version)));
    return program;
  }

  function onPath(program: string): void {
    mkdirSync(join(folder, "path"));
    writeFileSync(join(folder, "path", program), "", { mode: 0o755 });
  }

  function commandOf(name: string): Promise<readonly string[]> {
    return wordsOf({ kind: "name", name });
  }

  function commandOfNpx(args: readonly string[]): Promise<readonly string[]> {
    return wordsOf({ kind: "command", name: "gemini-cli", command: { command: "npx", args, env: {} } });
  }

  async function wordsOf(component: Component): Promise<readonly string[]> {
    const found = await findAgentCommand(component);
    return found === "eliza" ? [found] : [found.command.command, ...found.command.args];
  }

  it("means what is installed under it", async () => {
    const program = install("own-agent");
    assert.deepEqual(await commandOf("own-agent"), [process.execPath, program, "a"]);
  });

  it("means what is installed rather than what npx would download", async () => {
    assert.deepEqual(await commandOf("gemini-cli"), ["npx", "-y", "@google/gemini-cli", "--acp"]);
    const program = install("gemini-cli");
    assert.deepEqual(await commandOf("gemini-cli"), [process.execPath, program, "a"]);
  });

  it("means what is installed by the registry's name too, and by the words that set-up writes", async () => {
    const program = install("gemini-cli");
    const words = ["-y", "@google/gemini-cli", "--acp"];
    assert.deepEqual(await commandOf("gemini"), [process.execPath, program, "a"]);
    assert.deepEqual(await commandOfNpx(words), [process.execPath, program, "a"]);
    const own = [...words, "--debug"];
    assert.deepEqual(await commandOfNpx(own), ["npx", ...own]);
  });

  it("is not that of an extension which is installed under it", async () => {
    install("own-agent", "extensions");
    await assert.rejects(commandOf("own-agent"), { code: "unknown-agent" });
  });

  it("means the program on PATH rather than what is installed", async () => {
    install("gemini-cli");
    onPath("gemini");
    assert.deepEqual(await commandOf("gemini-cli"), ["gemini", "--acp"]);
    assert.deepEqual(await commandOf("gemini"), ["gemini", "--acp"]);
  });

  it("means the embedded agent whatever is installed", async () => {
    install("eliza");
    assert.deepEqual(await commandOf("eliza"), ["eliza"]);
  });

  it("is refused with the way to install it when its program is gone", async () => {
    rmSync(install("own-agent"));
    await assert.rejects(commandOf("own-agent"), (failure) => {
      assert.ok(failure instanceof SymposiumError);
      assert.equal(failure.code, "unknown-agent");
      assert.match(failure.text, /run `symposium-acp-agent registry install own-agent`/);
      return true;
    });
  });
});
