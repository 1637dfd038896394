import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseConfig } from "@symposium-dev/core";
import { arrayOf, objectOf, stringOf } from "../support/json.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import type { RawClient } from "../support/raw-client.js";
import { configFileOf, StartedCommand } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";

const left = { code: 0, signal: null };

/** The number that a list of agents gives to `name`. */
function numberOf(name: string, list: string): string {
  const number = new RegExp(`^(\\d+)\\. \\*\\*${name}\\*\\*`, "m").exec(list)?.[1];
  if (number === undefined) throw new Error(`${name} is not in the list:\n${list}`);
  return number;
}

/** Returns the files beside config.jsonc, except those that every conversation leaves: its record, usage and compiled code. */
async function writtenBeside(folder: RunFolder): Promise<readonly string[]> {
  const names = await readdir(dirname(configFileOf(folder)));
  return names.filter((name) => !/^(?:compile-cache|sessions|\.?usage\.json.*)$/.test(name));
}

/** Sends a prompt and returns the agent's reply. */
async function replyTo(client: RawClient, sessionId: string, text: string): Promise<string> {
  const before = client.peer.text.length;
  const { isError, text: answer } = await client.prompt(sessionId, text);
  assert.equal(isError, false, answer);
  return client.peer.text.slice(before);
}

async function greeting(client: RawClient): Promise<{ sessionId: string; text: string }> {
  const sessionId = await client.newSession();
  await client.peer.waitForUpdate("agent_message_chunk");
  return { sessionId, text: client.peer.text };
}

describe("an editor that the desktop has started", () => {
  const scope = useTestScope();

  it("finds the agents that the user's login shell finds", async function () {
    if (process.platform !== "linux") return this.skip(); // Other systems have other signs of a desktop.
    const tools = scope().use(await createRunFolder("tools"));
    const shell = join(tools.root, "shell");
    const profile = `export PATH="$PATH:${tools.workspace}"`;
    await writeFile(shell, `#!/bin/sh\n${profile}\nwhile [ "$1" != -c ]; do shift; done\neval "$2"\n`, { mode: 0o755 });
    await writeFile(join(tools.workspace, "own-agent"), `#!/bin/sh\nexec ${agentText()}\n`, { mode: 0o755 });
    const env = { SHELL: shell, DISPLAY: ":0" };
    const started = await StartedCommand.start(scope(), ["run-with", "--agent", "own-agent"], { env });
    assert.equal((await started.client.initialize()).isError, false);
    started.client.endInput();
    await started.endsCleanly(left);
  });
});

describe("run without a configuration", () => {
  const scope = useTestScope();

  it("offers a sign-in of its own, of type terminal, so that registries accept it", async () => {
    const started = await StartedCommand.start(scope(), ["run"]);
    const methods = arrayOf(objectOf((await started.client.initialize()).value)["authMethods"]).map(objectOf);
    assert.ok(methods.some(({ type, id, name }) => type === "terminal" && id !== undefined && name !== undefined));
    started.client.endInput();
    await started.endsCleanly(left);
  });

  it("lists the known agents, repeats its question, and goes on as the chosen one without a restart", async () => {
    const started = await StartedCommand.start(scope(), []);
    const { client, folder } = started;
    const { sessionId, text } = await greeting(client);
    for (const name of ["Claude Code", "Gemini CLI", "Codex", "Kiro CLI", "Eliza"])
      assert.ok(text.includes(name), name);
    for (const wrong of ["0", "99", "no idea"]) {
      assert.match(await replyTo(client, sessionId, wrong), /Which agent would you like to use\?/);
    }
    assert.deepEqual(await writtenBeside(folder), []);

    assert.match(await replyTo(client, sessionId, numberOf("Eliza", text)), /You are now talking to Eliza/);
    const { config, problems } = parseConfig(await readFile(configFileOf(folder), "utf8"), [
      "sparkle",
      "ferris",
      "cargo",
      "ide-operations",
      "tests",
      "sources",
    ]);
    assert.deepEqual(problems, []);
    assert.equal(config.agent?.name, "eliza");
    assert.ok(config.proxies.every(({ enabled }) => enabled));
    assert.match(await replyTo(client, sessionId, "I am sad."), /sad|feel|you/i);
    client.endInput();
    await started.endsCleanly(left);
  });

  it("starts the chosen agent at once the next time", async () => {
    const config = '{ "agent": "eliza" }';
    const started = await StartedCommand.start(scope(), ["run"], { config });
    const { client } = started;
    const { name } = objectOf(objectOf((await client.initialize()).value)["agentInfo"]);
    assert.match(stringOf(name), /eliza/i);
    assert.notEqual(await replyTo(client, await client.newSession(), "hello"), "");
    client.endInput();
    await started.endsCleanly(left);
  });
});

describe("run with a broken configuration", () => {
  const scope = useTestScope();

  it("opens the session and says file, line, column and remedy", async () => {
    const config = '{\n  // my agent\n  "agent": eliza\n}\n';
    const started = await StartedCommand.start(scope(), ["run"], { config });
    const { client, folder } = started;
    const { text } = await greeting(client);
    assert.ok(text.includes(`${configFileOf(folder)}:3:12`), text);
    assert.match(text, /Correct the file and type `retry`, or choose an agent below/);
    assert.equal(await readFile(configFileOf(folder), "utf8"), config);
    client.endInput();
    await started.endsCleanly(left);
  });

  it("opens the session although the configured agent is not known here, and keeps the rest of the file", async () => {
    const config = '{\n  // my agent\n  "agent": "no-such-agent"\n}\n';
    const started = await StartedCommand.start(scope(), ["run"], { config });
    const { client, folder } = started;
    const { sessionId, text } = await greeting(client);
    assert.ok(text.includes(`${configFileOf(folder)}:3:3`), text);
    assert.match(text, /"no-such-agent" isn't a known agent/);
    assert.match(await replyTo(client, sessionId, numberOf("Eliza", text)), /You are now talking to Eliza/);
    assert.equal(await readFile(configFileOf(folder), "utf8"), config.replace("no-such-agent", "eliza"));
    client.endInput();
    await started.endsCleanly(left);
  });

  it("keeps the broken file beside the new one when an agent is chosen", async () => {
    const config = "{ oops";
    const started = await StartedCommand.start(scope(), ["run"], { config });
    const { client, folder } = started;
    const { sessionId, text } = await greeting(client);
    await replyTo(client, sessionId, numberOf("Eliza", text));
    const names = await writtenBeside(folder);
    assert.deepEqual(names.map((name) => name.replace(/\d+$/, "N")).sort(), ["config.jsonc", "config.jsonc.broken-N"]);
    client.endInput();
    await started.endsCleanly(left);
  });
});
