import assert from "node:assert/strict";
import { join } from "node:path";
import { RecordingPeer } from "@symposium-dev/core/testing";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { objectOf, stringOf } from "../support/json.js";
import { OtherMachine } from "../support/other-machine.js";
import { RawClient } from "../support/raw-client.js";
import type { RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { poll, scaledMs } from "../support/until.js";

const limitMs = 60_000;

describe("agents on another machine", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  beforeEach(function () {
    if (process.platform === "win32") skipBecause(this, "a shell script plays the other machine");
  });

  async function openHome(): Promise<RunFolder> {
    const home = scope().use(await createCommandFolder());
    scope().defer(async () => assert.deepEqual(await survivingProcesses(home.root), new Map()));
    return home;
  }

  function chat(home: RunFolder, ...words: readonly string[]): ReturnType<typeof runToEnd> {
    const options = { env: commandEnvironment(home), cwd: home.workspace };
    return runToEnd({ words: [...conductorWords, "chat", ...words], ...options }, limitMs);
  }

  it("talk to a chat here, in a folder there", async () => {
    const there = await OtherMachine.create(scope());
    const home = await openHome();
    const on = `command:${there.entrance}`;
    const { stdout, code } = await chat(home, "--on", on, "--folder", "../workspace", "hello");
    assert.deepEqual([code, stdout.trim() === ""], [0, false]);
    const sessions = await there.sessions();
    assert.deepEqual(
      sessions.map(({ cwd, title, isAttached }) => [cwd, title, isAttached]),
      [[there.folder.workspace, "hello", false]],
    );
    const wrong = await chat(home, "--on", on, "--folder", "nowhere", "hello");
    assert.match(wrong.stderr, /--folder: .*\/home\/nowhere isn't a folder on that machine/);
    assert.equal(wrong.code, 1);
  });

  it("go on when the connection is killed, and a client that attaches gets the whole turn", async () => {
    const there = await OtherMachine.create(scope());
    const home = await openHome();
    const on = JSON.stringify({ command: [there.entrance] });
    const run = ["run-with", "--on", on, "--folder", there.folder.workspace, "--agent", agentText()];
    const editor = scope().use(
      new RawClient({ words: [...conductorWords, ...run], env: commandEnvironment(home), cwd: home.workspace }),
    );
    editor.peer = new RecordingPeer({ "session/request_permission": () => undefined });
    await editor.initialize();
    const { value } = await editor.request("session/new", { cwd: join(home.root, "not there"), mcpServers: [] });
    const sessionId = stringOf(objectOf(value)["sessionId"]);
    const prompt = [{ type: "text", text: "echo before\npermission allow\necho after" }];
    void editor.request("session/prompt", { sessionId, prompt });
    await editor.peer.waitFor("session/request_permission");
    const bridges = [...(await survivingProcesses(there.folder.root, 0))].filter(([, words]) => /--stdio$/.test(words));
    for (const [pid] of bridges) process.kill(pid, "SIGKILL");
    assert.match(await editor.child.exited, /ended with 1$/);
    assert.match(editor.child.stderrTail, /The connection to command:\S+ ended; its sessions continue there/);
    const [session] = await poll(
      () => there.sessions(),
      ([first]) => first?.["isAttached"] === false,
      limitMs,
    );
    assert.deepEqual([session?.["state"], session?.["cwd"]], ["waiting", there.folder.workspace]);
    const again = await chat(home, "--on", on, "--attach", sessionId, "--yes", "echo more");
    assert.match(again.stdout, /^before\nsession\/request_permission result .*"option-3".*\nafter\n+more\n/);
    assert.equal(again.code, 0);
  });

  it("are chosen by config.jsonc, unless the option says here", async () => {
    const there = await OtherMachine.create(scope());
    const config = JSON.stringify({ on: { command: [there.entrance] } });
    const home = scope().use(await createCommandFolder(config));
    assert.equal((await chat(home, "hello")).code, 0);
    assert.equal((await there.sessions()).length, 1);
    assert.equal((await chat(home, "--on", "here", "--agent", "eliza", "hello")).code, 0);
    assert.equal((await there.sessions()).length, 1);
    const clash = await chat(home, "--output", "json", "hello");
    assert.match(clash.stderr, /another machine can't be used with --output/);
  });
});
