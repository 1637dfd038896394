import assert from "node:assert/strict";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { objectOf, stringOf } from "../support/json.js";
import { RawClient } from "../support/raw-client.js";
import { conductorWords } from "../support/conductor-command.js";
import { agentText } from "../support/scripted-programs.js";
import {
  commandEnvironment,
  configFileOf,
  configFolderOf,
  createCommandFolder,
  StartedCommand,
} from "../support/started-command.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";
import { AcpClient } from "../support/acp-client.js";
import { runToEnd } from "../support/child.js";
import { needsSandbox } from "../support/needs-sandbox.js";
import type { PermissionPolicy } from "../support/permission-policy.js";
import { repositoryRoot } from "../support/repository.js";
import type { RunFolder } from "../support/run-folder.js";

const words = [...conductorWords, "run-with", "--agent", agentText("--keeps-nothing")];
const mebibytes = 100;
/** Of a process that holds one piece of the session after the other; all of it as text would be more than its own size. */
const mostMebibytes = 100;
/** Collects garbage early: otherwise the amount of it depends on how busy the machine is. */
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
    // It has nothing left to do.
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

/** The memory that it holds now. */
async function residentMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(stringOf(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])) / 1024;
}

async function processorTicks(pid: number): Promise<number> {
  const [user = 0, system = 0] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(" ").slice(13, 15).map(Number);
  return user + system;
}

describe("/symposium:continue in the configured chain", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  it("goes on in place, and in a new session of another process with the last conversation of the folder", async () => {
    const config = `{ "agent": ${JSON.stringify(agentText())}, "proxies": [] }`;
    const folder = scope().use(await createCommandFolder(config));
    const env = commandEnvironment(folder);
    const open = async (): Promise<readonly [client: AcpClient, sessionId: string]> => {
      const client = scope().use(new AcpClient({ words: [...conductorWords, "run"], env, cwd: folder.workspace }));
      await client.initialize();
      return [client, (await client.newSession()).sessionId];
    };
    const [first, firstId] = await open();
    await first.prompt(firstId, "echo the word is violet");
    await first.prompt(firstId, "/symposium:continue eliza");
    assert.match(first.agentText, /Done: Eliza[^]* continues this conversation/);
    await first.prompt(firstId, "I am in a hurry");
    await first[Symbol.asyncDispose]();
    const [second, secondId] = await open();
    await second.prompt(secondId, "/symposium:continue eliza");
    assert.match(second.agentText, /Done: Eliza[^]* continues this conversation/);
    await second.prompt(secondId, "I am here again");
    await second[Symbol.asyncDispose]();
    const words = [...conductorWords, "sessions", "export", "last", "--format", "handoff"];
    const { code, stdout, stderr } = await runToEnd({ words, env, cwd: folder.workspace }, 120_000);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /## Goal[^]*<user-\w+>\necho the word is violet[^]*I am in a hurry[^]*I am here again/);
    assert.doesNotMatch(stdout, /symposium:continue/);
  });
});

const chunkText = /"sessionUpdate":"agent_message_chunk".*?"text":"(\d+)\b/;

/** The numbers of the pieces of an answer, in order. */
function numbersIn(texts: readonly string[]): readonly number[] {
  return texts.flatMap((text) => {
    const number = chunkText.exec(text)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

describe("a conversation whose conductor is killed", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  for (const shown of [1, 40, 700, 9_000]) {
    it(`has everything that the editor was shown, killed when that were ${shown} pieces of an answer or more`, async () => {
      const command = await StartedCommand.start(scope(), ["run-with", "--agent", agentText()]);
      const { client, folder } = command;
      const stored = async (): Promise<string[]> => {
        const sessions = join(configFolderOf(folder), "sessions");
        const [file] = (await readdir(sessions).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
        return file === undefined ? [] : (await readFile(join(sessions, file), "utf8")).split("\n");
      };
      const sessionId = await client.newSession();
      await client.prompt(sessionId, "say hello");
      await until(stored, (lines) => lines.some((line) => line.includes('"end":')));
      const before = client.peer.received.length;
      const texts = (): readonly string[] => client.peer.received.slice(before).map(({ params }) => params?.text ?? "");
      client.openPrompt(sessionId, "stream 60000 60");
      while (client.peer.received.length < before + shown) await new Promise((resolve) => setImmediate(resolve));
      command.signal("SIGKILL");
      await command.ended();
      const seen = numbersIn(texts());
      assert.ok(seen.length >= shown && seen.length < 60_000, `${seen.length} were shown`);
      const lines = await stored();
      const torn = lines.pop();
      const kept = numbersIn(lines);
      assert.ok(
        kept.length >= seen.length,
        `${seen.length} were shown, ${kept.length} are kept before ${String(torn)}`,
      );
      assert.deepEqual(
        kept,
        Array.from({ length: kept.length }, (_one, index) => index + 1),
      );
    });
  }
});

const program = join(repositoryRoot, "test", "dist", "support", "programs", "fetching-agent.js");
const agent = JSON.stringify({ name: "Fetcher", command: "node", args: [program], env: [] });
const url = "http://asked.example.test/";

/** The agent's report on an address, and the questions to its user meanwhile. */
async function fetched(folder: RunFolder, permissions: PermissionPolicy): Promise<unknown> {
  const words = [...conductorWords, "run-with", "--agent", agent];
  await using client = new AcpClient({ words, env: commandEnvironment(folder), cwd: folder.workspace, permissions });
  await client.initialize();
  const { sessionId } = await client.newSession();
  await client.prompt(sessionId, url);
  const said = client.updates.map((update) => JSON.stringify(update)).join("");
  return [/was (\d+)\./.exec(said)?.[1], client.permissionRequests.map(({ toolCall }) => toolCall.title)];
}

describe("an agent that guard.jsonc has in a sandbox", function () {
  this.timeout(scaledMs(400_000));
  before(function () {
    needsSandbox(this);
  });
  const scope = useTestScope();

  it("asks about hosts in any editor; what was refused is listed, and opened by a rule", async () => {
    const folder = scope().use(await createCommandFolder());
    const guard = async (...words: readonly string[]): Promise<string> => {
      const all = [...conductorWords, "guard", ...words];
      const options = { words: all, env: commandEnvironment(folder), cwd: folder.workspace };
      const { code, stdout, stderr } = await runToEnd(options, 120_000);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const file = join(configFolderOf(folder), "guard.jsonc");
    await writeFile(file, "// Mine.\n{}\n");
    await guard("level", "--", agent, "sandbox");
    assert.match(
      await guard("status", "--", agent),
      /^Fetcher: sandbox .*Symposium asks you about every other host\./s,
    );
    // No name below `.test` has an address: an allowed request is answered with 502, another with 403.
    assert.deepEqual(await fetched(folder, ["reject_once"]), ["403", ["asked.example.test:80"]]);
    assert.match(
      await guard("log", "--refused"),
      /asked\.example\.test:80 {2}Fetcher {2}refused by the user {2}.* add /,
    );
    await guard("add", "allow", "host", "asked.example.test:80", "--in", ".");
    assert.deepEqual(await fetched(folder, ["reject_once"]), ["502", []]);
    assert.match(await guard("log", "--refused"), /^No refused hosts\./);
    await guard("level", "--", agent, "default");
    assert.doesNotMatch(await readFile(file, "utf8"), /sandbox/);
    // Without a sandbox nothing is asked, and curl itself finds no address.
    assert.deepEqual(await fetched(folder, ["reject_once"]), ["000", []]);
    assert.match(await readFile(file, "utf8"), /^\/\/ Mine\.\n/);
  });
});
