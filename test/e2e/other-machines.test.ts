import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { RecordingPeer } from "@symposium-dev/core/testing";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { arrayOf, objectOf, stringOf } from "../support/json.js";
import { PseudoTerminal } from "../support/pseudo-terminal.js";
import { repositoryRoot } from "../support/repository.js";
import { RawClient } from "../support/raw-client.js";
import type { RunFolder } from "../support/run-folder.js";
import { ContainerMachine, whyNoContainer } from "../support/container-machine.js";
import { OtherMachine } from "../support/other-machine.js";
import { SshMachine, whyNoSshServer } from "../support/ssh-machine.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { poll, scaledMs } from "../support/until.js";

const limitMs = 60_000;
const clock = join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js");

interface Machine {
  /** Its name for `--on`. */
  readonly on: string;
  /** The home folder there, with an empty folder `project`. */
  readonly home: string;
  readonly connection: RegExp;
  run(...words: readonly string[]): Promise<string>;
  has(path: string): Promise<boolean>;
}

type Start = (stack: AsyncDisposableStack, client: RunFolder) => Promise<Machine>;
const startSsh: Start = (stack, client) => SshMachine.start(stack, client);
const startContainer: Start = (stack, client) => ContainerMachine.start(stack, client);

describe("a machine without Symposium", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  it("gets this version over SSH if the user agrees", async function () {
    const missing = whyNoSshServer();
    if (missing !== undefined) skipBecause(this, missing);
    const home = scope().use(await createCommandFolder());
    const machine = await SshMachine.start(scope(), home);
    await rm(join(machine.home, ".local", "lib"), { recursive: true });
    await rm(join(machine.home, ".local", "bin", "symposium-acp-agent"));
    const words = [...conductorWords, "chat", "--on", machine.on, "--agent", "eliza"];
    const options = { env: commandEnvironment(home), cwd: home.workspace };
    const once = await runToEnd({ words: [...words, "hello"], ...options }, limitMs);
    assert.match(
      once.stderr,
      /symposium-acp-agent isn't installed on ssh:build\. Install it there: npm install --global/,
    );
    const terminal = scope().use(new PseudoTerminal({ words, ...options }));
    await terminal.shows(
      /Copy this version to ~\/\.symposium\/versions on ssh:build\? It needs Node there\. \[y\/N\] $/,
    );
    assert.equal(await machine.has(join(machine.home, ".symposium")), false);
    await terminal.type("y", /Eliza[^]*> $/);
    await terminal.leave("/exit");
    assert.match(await machine.run("version"), /symposium-acp-agent \d/);
    const { version } = objectOf(JSON.parse(await readFile(join(repositoryRoot, "package.json"), "utf8")));
    assert.deepEqual(await readdir(join(machine.home, ".symposium", "versions")), [version]);
  });
});

describe("the board of another machine", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  it("stops a turn there", async function () {
    if (process.platform === "win32") skipBecause(this, "a shell script plays the other machine");
    const there = await OtherMachine.create(scope());
    const home = scope().use(await createCommandFolder());
    const on = `command:${there.entrance}`;
    const start = { env: commandEnvironment(home), cwd: home.workspace };
    const run = [...conductorWords, "run-with", "--on", on, "--folder", ".", "--agent", "eliza"];
    const editor = scope().use(new RawClient({ words: run, ...start }));
    editor.peer = new RecordingPeer({ "session/request_permission": () => undefined });
    await editor.initialize();
    const { value } = await editor.request("session/new", { cwd: home.workspace, mcpServers: [] });
    const { sessionId } = objectOf(value);
    const prompt = [{ type: "text", text: "ask permission to paint the fence" }];
    const turn = editor.request("session/prompt", { sessionId, prompt });
    const words = [...conductorWords, "sessions", "board", "--on", on];
    const terminal = scope().use(new PseudoTerminal({ words, ...start }));
    await terminal.shows(/> waiting +Eliza .*ask permission/);
    await terminal.press("s", /Stopping "ask permission/);
    assert.equal(objectOf((await turn).value)["stopReason"], "cancelled");
    assert.match(await terminal.leave("q"), /ended with 0$/);
  });
});

const kinds = [
  { name: "of another user behind sshd", why: whyNoSshServer, start: startSsh },
  { name: "in a container", why: whyNoContainer, start: startContainer },
];

for (const { name, why, start } of kinds) {
  describe(`an agent ${name}`, function () {
    this.timeout(scaledMs(limitMs));
    const scope = useTestScope();
    let home: RunFolder;
    let machine: Machine;

    beforeEach(async function () {
      const missing = why();
      if (missing !== undefined) skipBecause(this, missing);
      home = scope().use(await createCommandFolder());
      scope().defer(async () => assert.deepEqual(await survivingProcesses(home.root), new Map()));
      machine = await start(scope(), home);
    });

    function chat(...words: readonly string[]): ReturnType<typeof runToEnd> {
      const options = { env: commandEnvironment(home), cwd: home.workspace };
      return runToEnd({ words: [...conductorWords, "chat", "--on", machine.on, ...words], ...options }, limitMs);
    }

    async function openEditor(): Promise<RawClient> {
      const run = ["run-with", "--on", machine.on, "--folder", "~/project", "--agent", "eliza"];
      const words = [...conductorWords, ...run];
      const editor = scope().use(new RawClient({ words, env: commandEnvironment(home), cwd: home.workspace }));
      editor.peer = new RecordingPeer({ "session/request_permission": () => undefined });
      await editor.initialize();
      return editor;
    }

    async function sessions(): Promise<readonly ReturnType<typeof objectOf>[]> {
      const text = await machine.run("host", "status", "--json");
      return arrayOf(objectOf(JSON.parse(text.slice(text.indexOf("{"))))["sessions"]).map(objectOf);
    }

    it("calls an MCP server of the user's machine once the user shares it", async () => {
      const mcp = async (...words: readonly string[]): Promise<void> => {
        const options = { env: commandEnvironment(home), cwd: home.workspace };
        assert.equal((await runToEnd({ words: [...conductorWords, "mcp", ...words], ...options }, limitMs)).code, 0);
      };
      await mcp("add", "clock", "--", "node", clock);
      const words = ["--agent", "eliza", "use tool clock::now with {}"];
      assert.doesNotMatch((await chat(...words)).stdout, /noon/);
      await mcp("share", machine.on, "--yes");
      assert.match((await chat(...words)).stdout, /noon/);
    });

    it("goes on when the connection is killed in its turn, and the whole turn is replayed", async () => {
      const editor = await openEditor();
      const { value } = await editor.request("session/new", { cwd: home.workspace, mcpServers: [] });
      const sessionId = stringOf(objectOf(value)["sessionId"]);
      const prompt = [{ type: "text", text: "ask permission to paint the fence" }];
      void editor.request("session/prompt", { sessionId, prompt });
      await editor.peer.waitFor("session/request_permission");
      const clients = [...(await survivingProcesses(home.root, 0))].filter(([, line]) => machine.connection.test(line));
      assert.equal(clients.length, 1);
      for (const [pid] of clients) process.kill(pid, "SIGKILL");
      assert.match(await editor.child.exited, /ended with 1$/);
      assert.match(editor.child.stderrTail, /The connection to \w+:build ended; its sessions continue there/);
      const left = await poll(sessions, ([first]) => first?.["isAttached"] === false, limitMs);
      assert.deepEqual(
        left.map(({ state, cwd }) => [state, cwd]),
        [["waiting", join(machine.home, "project")]],
      );
      const again = await chat("--attach", sessionId, "--yes", "hello");
      assert.match(again.stdout, /^You chose "Allow once" \(allow_once\)\.\n+\S/);
      assert.equal(again.code, 0, again.stderr);
      assert.deepEqual(
        (await sessions()).map(({ state }) => state),
        ["idle"],
      );
      const later = await openEditor();
      const cwd = join(machine.home, "project");
      assert.equal((await later.request("session/load", { sessionId, cwd, mcpServers: [] })).isError, false);
      const prompts = later.peer.updates.filter(({ sessionUpdate }) => sessionUpdate === "user_message_chunk");
      assert.deepEqual(
        prompts.map(({ content }) => objectOf(content)["text"]),
        ["ask permission to paint the fence", "hello"],
      );
      assert.match(later.peer.text, /^You chose "Allow once" \(allow_once\)\.\S/);
      assert.equal(await machine.has(join(machine.home, ".symposium", "sessions")), true);
      assert.equal(existsSync(join(home.root, "config", "sessions")), false);
    });
  });
}
