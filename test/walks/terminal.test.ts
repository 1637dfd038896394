import assert from "node:assert/strict";
import { access, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { runToEnd, type Outcome } from "../support/child.js";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { PseudoTerminal } from "../support/pseudo-terminal.js";
import { repositoryRoot } from "../support/repository.js";
import type { RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const limitMs = 60_000;

describe("the command in a terminal", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  async function openFolder(config?: string): Promise<RunFolder> {
    const folder = scope().use(await createCommandFolder(config));
    scope().defer(async () => assert.deepEqual(await survivingProcesses(folder.root), new Map()));
    return folder;
  }

  function run(folder: RunFolder, ...words: readonly string[]): Promise<Outcome> {
    const command = [...conductorWords, ...words];
    return runToEnd({ words: command, env: commandEnvironment(folder), cwd: folder.workspace }, limitMs);
  }

  it("answers once, with Eliza where no agent is configured; stdout has the answer alone, stderr who answers and that it is kept", async () => {
    const { code, stdout, stderr } = await run(await openFolder(), "chat", "hello");
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^symposium-acp-agent: no agent is configured, so Eliza answers, [^\n]+ --agent NAME [^\n]+\nsymposium-acp-agent: your conversations are stored in [^\n]+\n$/,
    );
    assert.match(stdout, /^\S.*\n$/);
  });

  it("asks how to sign in if the agent offers several methods, and runs the chosen one", async function () {
    if (process.platform !== "linux") skipBecause(this, "only Linux has the `script` of util-linux");
    const folder = await openFolder(`{ "proxies": [] }`);
    const program = join(folder.root, "agent.mjs");
    await copyFile(join(repositoryRoot, "test", "fixtures", "terminal-sign-in", "agent.mjs"), program);
    const agent = ["--agent", shellWords(["node", program])];
    const listed = await run(folder, "sign-in", ...agent);
    assert.deepEqual(
      [listed.code, listed.stdout],
      [2, "login  Log in\nkey  API key\nTo sign in, run this command again with a method, such as `login`.\n"],
    );
    // `script` makes a terminal without a size.
    const other = await run(folder, "sign-in", "--agent", agentText());
    assert.equal(other.code, 0, other.stderr);
    assert.match(
      other.stdout,
      /^The agent has no terminal sign-in\. To see [^\n]*`symposium-acp-agent chat --agent [^\n]+\n$/,
    );
    const words = ["sh", "-c", 'stty rows 40 cols 90 && exec "$@"', "sh", ...conductorWords, "sign-in", ...agent];
    const options = { words, env: commandEnvironment(folder), cwd: folder.workspace };
    const signIn = scope().use(new PseudoTerminal(options));
    await signIn.shows(/How do you want to sign in\?[^]*Log in[^]*API key/);
    assert.match(await signIn.leave(""), /ended with 0$/);
    await access(join(folder.root, "signed-in"));
  });

  it("chats, asks for a permission, and goes on with the conversation and another agent later", async function () {
    if (process.platform !== "linux") skipBecause(this, "only Linux has the `script` of util-linux");
    const folder = await openFolder(`{ "agent": ${JSON.stringify(agentText())}, "proxies": [] }`);
    const open = (...words: readonly string[]): PseudoTerminal => {
      const command = [...conductorWords, ...words];
      const options = { words: command, env: commandEnvironment(folder), cwd: folder.workspace };
      return scope().use(new PseudoTerminal(options));
    };
    const chat = open("chat");
    await chat.shows(/Type \/help for help[^]*you> /);
    await chat.type("echo the word is violet", /\nthe word is violet\n[^]*you> /);
    await chat.type("permission", /\? \[edit\] Change main\.ts\n[^]*allow\? /);
    const allowed = await chat.type("3", /you> /);
    assert.match(allowed, /"outcome":"selected"[^]*Change main\.ts \.\.\. completed/);
    assert.match(await chat.leave("/exit"), /ended with 0$/);

    const listed = await run(folder, "sessions", "list");
    assert.match(listed.stdout, /^[\da-f]{8} {2}\S+ \S+ {2}\S+, 2 turns: echo the word is violet\n/);
    const again = open("sessions", "continue", "last", "--agent", "eliza");
    await again.shows(/you> /);
    await again.type("I am here again", /\n\S[^]*you> /);
    assert.match(await again.leave("/exit"), /ended with 0$/);
    const { code, stdout, stderr } = await run(folder, "sessions", "export", "last", "--format", "handoff");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /## Goal[^]*<user-\w+>\necho the word is violet[^]*I am here again/);
  });
});
