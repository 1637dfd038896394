import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { objectOf, stringOf } from "../support/json.js";
import { OtherMachine } from "../support/other-machine.js";
import { PseudoTerminal } from "../support/pseudo-terminal.js";
import { RawClient } from "../support/raw-client.js";
import { repositoryRoot } from "../support/repository.js";
import type { RunFolder } from "../support/run-folder.js";
import { commandEnvironment, configFileOf, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const limitMs = 60_000;
const clock = { command: "node", args: [join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js")] };
const useClock = "use tool clock::now with {}";

describe("a user's MCP servers and agents on another machine", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();
  let there: OtherMachine;
  let home: RunFolder;
  let on: string;

  beforeEach(async function () {
    if (process.platform === "win32") skipBecause(this, "a shell script plays the other machine");
    there = await OtherMachine.create(scope());
    const mcpServers = { clock, local: { ...clock, on: "there" } };
    home = scope().use(await createCommandFolder(JSON.stringify({ mcpServers })));
    scope().defer(async () => assert.deepEqual(await survivingProcesses(home.root), new Map()));
    on = `command:${there.entrance}`;
  });

  function command(...words: readonly string[]): ReturnType<typeof runToEnd> {
    const options = { env: commandEnvironment(home), cwd: home.workspace };
    return runToEnd({ words: [...conductorWords, ...words], ...options }, limitMs);
  }

  async function answersAbout(): Promise<unknown> {
    return objectOf(JSON.parse(await readFile(configFileOf(home), "utf8")))["sharedServers"];
  }

  async function openEditor(folder = home): Promise<RawClient> {
    const words = [...conductorWords, "run", "--on", on, "--folder", there.folder.workspace];
    const editor = scope().use(new RawClient({ words, env: commandEnvironment(folder), cwd: folder.workspace }));
    await editor.initialize();
    return editor;
  }

  it("stay unknown there until the user shares them in the terminal, who is asked once", async () => {
    const before = await command("chat", "--on", on, useClock);
    assert.doesNotMatch(before.stdout, /noon/);
    assert.deepEqual([before.code, await answersAbout()], [0, undefined], before.stderr);
    const start = { env: commandEnvironment(home), cwd: home.workspace };
    const words = [...conductorWords, "chat", "--on", on];
    const asked = scope().use(new PseudoTerminal({ words, ...start }));
    await asked.shows(/Let agents on command:\S+\s+call these MCP servers of this machine: clock\? \[y\/N\] $/);
    await asked.type("y", /> $/);
    await asked.type(useClock, /noon[^]*> $/);
    await asked.leave("/exit");
    const machine = `${on}:${home.workspace}`;
    assert.deepEqual(await answersAbout(), { [machine]: { clock: true } });
    const after = await command("chat", "--on", on, useClock);
    assert.match(after.stdout, /noon/, after.stderr);
    const listed = await command("mcp", "share", on, "--no", "--json");
    assert.deepEqual(JSON.parse(listed.stdout), { machine, servers: [{ name: "clock", isShared: false }] });
    assert.doesNotMatch((await command("chat", "--on", on, useClock)).stdout, /noon/);
  });

  it("fail with the reason while their machine is away, and work when it attaches again", async () => {
    assert.equal((await command("mcp", "share", on, "--yes")).code, 0);
    const first = await openEditor();
    const { value } = await first.request("session/new", { cwd: home.workspace, mcpServers: [] });
    const sessionId = stringOf(objectOf(value)["sessionId"]);
    await first.prompt(sessionId, useClock);
    assert.match(first.peer.text, /noon/);
    const elsewhere = scope().use(await createCommandFolder());
    const watcher = await openEditor(elsewhere);
    const attach = { sessionId, cwd: there.folder.workspace, mcpServers: [] };
    assert.equal((await watcher.request("session/resume", attach)).isError, false);
    first.endInput();
    assert.match(await first.child.exited, /ended with 0$/);
    await watcher.prompt(sessionId, useClock);
    assert.match(watcher.peer.text, /The machine that runs the MCP server "clock" isn't connected\./);
    const again = await openEditor();
    assert.equal((await again.request("session/resume", attach)).isError, false);
    await again.prompt(sessionId, useClock);
    assert.match(again.peer.text, /noon/);
  });
});
