import assert from "node:assert/strict";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { objectOf, stringOf } from "../support/json.js";
import { RawClient } from "../support/raw-client.js";
import { conductorWords } from "../support/conductor-command.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, configFileOf, configFolderOf, createCommandFolder } from "../support/started-command.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";

const words = [...conductorWords, "run-with", "--agent", agentText("--keeps-nothing")];
const mebibytes = 100;
/** Of a process that holds one piece of the session after the other; all of it as text would be more than its own size. */
const mostMebibytes = 100;
/** What nobody holds any more is collected early: how much of that is left to lie depends on how busy the machine is. */
const frugal = "--max-old-space-size=64 --max-semi-space-size=2";
/** One after the other, in which a process that has something to do gets a part of the processor. */
const idleReadings = 20;

describe("a session that its agent cannot bring back", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  it(`comes in pieces where its ${mebibytes} MB are more than a slow editor reads`, async function () {
    if (process.platform !== "linux") skipBecause(this, "Linux alone tells how much memory another process has");
    const folder = scope().use(await createCommandFolder());
    const env = { ...commandEnvironment(folder), NODE_OPTIONS: frugal };
    const start = (): RawClient => new RawClient({ words, env, cwd: folder.workspace });
    let sessionId: string;
    {
      await using client = start();
      sessionId = await client.newSession();
      await client.prompt(sessionId, "say hello");
      client.endInput();
      await client.child.exited;
    }
    const sessions = join(configFolderOf(folder), "sessions");
    const [name = ""] = (await readdir(sessions)).filter((one) => one.endsWith(".jsonl"));
    const text = "x".repeat(10_000);
    const content = { type: "text", text };
    const update = { sessionId, update: { sessionUpdate: "agent_message_chunk", content } };
    const line = `${JSON.stringify({ at: 1, update })}\n`;
    const pieces = Math.ceil((mebibytes * 1024 * 1024) / line.length);
    await appendFile(join(sessions, name), line.repeat(pieces));

    await using client = start();
    await client.initialize();
    await client.request("_test/received");
    const { pid = 0, stdout } = client.child.process;
    const before = await residentMebibytes(pid);
    stdout.pause();
    const loaded = client.open("session/load", { sessionId, cwd: "/project", mcpServers: [] });
    // It has done what it can do by then.
    const spent: number[] = [];
    await until(
      async () => spent.unshift(await processorTicks(pid)),
      (count) => count > idleReadings && new Set(spent.slice(0, idleReadings)).size === 1,
    );
    const held = await residentMebibytes(pid);
    assert.ok(held < before + mostMebibytes, `${held} MiB while nobody reads, ${before} before`);
    stdout.resume();
    const { isError, text: answer } = await loaded.answer;
    assert.equal(isError, false, answer);
    const shown = client.peer.received.filter(({ params }) => params?.text.includes(text) === true);
    assert.equal(shown.length, pieces);
  });

  it("is announced by no conductor where nothing is kept", async () => {
    const folder = scope().use(await createCommandFolder());
    const announced = async (): Promise<unknown> => {
      await using client = new RawClient({ words, env: commandEnvironment(folder), cwd: folder.workspace });
      const { value } = await client.initialize();
      return objectOf(objectOf(value)["agentCapabilities"])["loadSession"];
    };
    assert.equal(await announced(), true);
    await writeFile(configFileOf(folder), '{ "conversations": { "keep": false } }');
    assert.equal(await announced(), false);
  });
});

/** What it holds now. */
async function residentMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(stringOf(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])) / 1024;
}

async function processorTicks(pid: number): Promise<number> {
  const [user = 0, system = 0] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(" ").slice(13, 15).map(Number);
  return user + system;
}
