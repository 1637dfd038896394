import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { findAgentCommand } from "../../../src/agents/node/find-agent.js";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import type { Component } from "../../../src/settings/component-spec.js";
import { InstallationsFixture } from "./installations-fixture.js";

describe("an agent's name", () => {
  const stage = new InstallationsFixture();
  const install: InstallationsFixture["install"] = (id, place) => stage.install(id, place);

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
    stage.onPath("gemini");
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
