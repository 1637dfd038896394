import assert from "node:assert/strict";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { arrayOf, objectOf, stringOf } from "../support/json.js";
import { HostWindow } from "../support/host-window.js";
import type { RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { poll, scaledMs } from "../support/until.js";

const limitMs = 60_000;

describe("the host", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  async function openFolder(): Promise<RunFolder> {
    const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    scope().defer(async () => {
      await run(folder, "stop");
      assert.deepEqual(await survivingProcesses(folder.root), new Map());
    });
    return folder;
  }

  function window(folder: RunFolder, agent = agentText()): HostWindow {
    const made = new HostWindow(folder, agent);
    scope().use(made.client);
    return made;
  }

  async function run(folder: RunFolder, ...words: readonly string[]): Promise<string> {
    const command = [...conductorWords, "host", ...words];
    return (await runToEnd({ words: command, env: commandEnvironment(folder), cwd: folder.workspace }, limitMs)).stdout;
  }

  async function statusOf(folder: RunFolder): Promise<ReturnType<typeof objectOf>> {
    return objectOf(JSON.parse(await run(folder, "status", "--json")));
  }

  it("keeps a turn whose window is killed, and lets another window answer its question", async () => {
    const folder = await openFolder();
    const first = window(folder);
    const id = await first.open();
    void first.prompt(id, "echo before\npermission allow\necho after");
    await first.asked();
    first.client.child.process.kill("SIGKILL");
    const waiting = await poll(
      async () => arrayOf((await statusOf(folder))["sessions"]).map(objectOf),
      ([session]) => session?.["isAttached"] === false,
      limitMs,
    );
    assert.deepEqual(
      waiting.map(({ sessionId, state }) => [sessionId, state]),
      [[id, "waiting"]],
    );
    const second = window(folder);
    await second.load(id);
    await second.asked();
    second.answer("option-3");
    const isOver = ({ _meta }: Readonly<Record<string, unknown>>): boolean =>
      objectOf(objectOf(objectOf(_meta)["symposium"])["turn"])["state"] === "idle";
    const shown = await poll(
      () => Promise.resolve(second.peer.updates),
      (updates) => updates.some(isOver),
      limitMs,
    );
    assert.equal(shown.filter(isOver).length, 1);
    assert.match(second.peer.text, /^before\nsession\/request_permission result .*"option-3".*\nafter\n$/);
    assert.deepEqual(second.client.faults, []);
  });

  it("lets a chat in a terminal attach to a session that waits, and answer its question", async () => {
    const folder = await openFolder();
    const first = window(folder);
    const id = await first.open();
    void first.prompt(id, "echo before\npermission allow\necho after");
    await first.asked();
    first.client.child.process.kill("SIGKILL");
    const options = { env: commandEnvironment(folder), cwd: folder.root };
    const command = (...words: readonly string[]): ReturnType<typeof runToEnd> =>
      runToEnd({ words: [...conductorWords, ...words], ...options }, limitMs);
    const listed = (await command("sessions", "list", "--json")).stdout;
    const [conversation = {}] = arrayOf(JSON.parse(listed)).map(objectOf);
    assert.deepEqual([conversation["session"], conversation["state"]], [id, "waiting"]);
    assert.match((await command("sessions", "list")).stdout, /, 1 turn, waiting for an answer: echo before/);
    const { stdout, code } = await command("chat", "--attach", id, "--yes", "echo more");
    assert.match(stdout, /^before\nsession\/request_permission result .*"option-3".*\nafter\n+more\n/);
    assert.equal(code, 0);
    assert.deepEqual(
      arrayOf((await statusOf(folder))["sessions"]).map((session) => objectOf(session)["state"]),
      ["idle"],
    );
    const again = await command("chat", "--attach", stringOf(conversation["id"]), "--yes", "echo once more");
    assert.match(again.stdout, /more\n+once more\n/);
  });

  it("gives the agent one of two answers, and takes the question back from the other window", async () => {
    const folder = await openFolder();
    const [first, second] = [window(folder), window(folder)];
    const id = await first.open();
    await second.load(id);
    const turn = first.prompt(id, "permission");
    await Promise.all([first.asked(), second.asked()]);
    first.answer("option-3");
    second.answer("option-2");
    assert.deepEqual(await turn, { stopReason: "end_turn" });
    const answers = first.peer.text.match(/session\/request_permission result/g);
    assert.equal(answers?.length, 1, first.peer.text);
    const third = window(folder);
    await third.load(id);
    assert.equal(third.peer.text, first.peer.text);
    const { pid } = await statusOf(folder);
    const conductors = [...(await survivingProcesses(folder.root, 0))].filter(([, words]) =>
      words.includes("in-process"),
    );
    assert.deepEqual([typeof pid, conductors.length], ["number", 1]);
  });

  it("takes its agents with it when it is killed, and the next host goes on with the conversation", async () => {
    const folder = await openFolder();
    const first = window(folder, "eliza");
    const id = await first.open();
    await first.prompt(id, "I remember the sea.");
    process.kill(Number((await statusOf(folder))["pid"]), "SIGKILL");
    assert.deepEqual(await survivingProcesses(folder.root), new Map());
    assert.match(first.client.child.stderrTail, /the host has ended/);
    const second = window(folder, "eliza");
    await second.client.initialize();
    const { value } = await second.client.request("session/list", { cwd: folder.workspace });
    assert.deepEqual(
      arrayOf(objectOf(value)["sessions"]).map((entry) => objectOf(entry)["sessionId"]),
      [id],
    );
    await second.load(id);
    assert.deepEqual(second.shown.slice(0, 1), [
      { sessionUpdate: "user_message_chunk", content: { type: "text", text: "I remember the sea." } },
    ]);
    assert.deepEqual(await second.prompt(id, "And now?"), { stopReason: "end_turn" });
  });
});
