import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { listSessions } from "../../../../src/sessions/conversations/node/session-index.js";

const program = fileURLToPath(new URL("../../../../src/app/cli/main.js", import.meta.url));

/** Writes its process id and its stage to files. Stops at the stage in AT; the stage `end` keeps it alive after its input ended. */
const agent = `
  import { writeFileSync } from "node:fs";
  import { createInterface } from "node:readline";
  const { AT, MARKS, LENGTH = "0" } = process.env;
  writeFileSync(MARKS + "/pid", String(process.pid));
  setInterval(() => undefined, 2 ** 30);
  const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const isStopped = (stage) => {
    if (stage !== AT) return false;
    writeFileSync(MARKS + "/stage", stage);
    return true;
  };
  const input = createInterface({ input: process.stdin });
  input.on("close", () => {
    if (isStopped("end")) return;
    writeFileSync(MARKS + "/ended", "ended");
    process.exit(0);
  });
  if (isStopped("start")) input.removeAllListeners("close");
  else input.on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (method === "initialize" && !isStopped(method)) send({ id, result: { protocolVersion: 1 } });
    if (method === "session/new" && !isStopped(method)) send({ id, result: { sessionId: "s" } });
    if (method !== "session/prompt" || isStopped(method)) return;
    const update = (content) => send({ method: "session/update", params: { sessionId: "s", update: content } });
    const content = { type: "text", text: "x".repeat(Number(LENGTH)) };
    update({ sessionUpdate: "agent_message_chunk", content });
    if (isStopped("answer")) return;
    update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Wait", kind: "execute", status: "in_progress" });
    if (isStopped("tool call")) return;
    send({ id, result: { stopReason: "end_turn" } });
  });`;

type Chat = ChildProcessByStdio<null, Readable, null>;

describe("a run without a user", function () {
  this.timeout(120_000);
  let folder: string;
  let marks: string;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "ended-runs-")));
    await writeFile(join(folder, "agent.mjs"), agent);
  });
  beforeEach(async () => (marks = await mkdtemp(join(folder, "marks-"))));
  after(() => rm(folder, { recursive: true, force: true }));

  function start(more: Readonly<Record<string, string>>, ...words: readonly string[]): Chat {
    const env = {
      PATH: process.env["PATH"],
      HOME: marks,
      USERPROFILE: marks,
      SYMPOSIUM_CONFIG_DIR: marks,
      MARKS: marks,
    };
    const all = [program, "chat", "--agent", `${process.execPath} ${join(folder, "agent.mjs")}`, ...words, "go"];
    return spawn(process.execPath, all, { cwd: folder, env: { ...env, ...more }, stdio: ["ignore", "pipe", "ignore"] });
  }

  async function mark(name: string): Promise<string> {
    for (;;) {
      const found = await readFile(join(marks, name), "utf8").catch(() => "");
      if (found !== "") return found;
      await pause(10);
    }
  }

  async function hasEnded(pid: number): Promise<boolean> {
    for (let tries = 0; tries < 1_000; tries++) {
      if (!isRunning(pid)) return true;
      await pause(10);
    }
    return false;
  }

  for (const stage of ["start", "initialize", "session/new", "session/prompt", "answer", "tool call", "end"]) {
    it(`prints a cancelled result and leaves no agent on SIGTERM at the stage "${stage}"`, async () => {
      const chat = start({ AT: stage }, "--output", "json");
      const [output] = await Promise.all([
        text(chat.stdout),
        mark("stage").then(() => chat.kill("SIGTERM")),
        once(chat, "exit"),
      ]);
      const { status } = JSON.parse(output) as { readonly status: string };
      assert.deepEqual([chat.exitCode, status], [143, "cancelled"]);
      assert.equal(isRunning(Number(await mark("pid"))), false);
    });

    it(`leaves no agent on SIGKILL at the stage "${stage}"`, async () => {
      const chat = start({ AT: stage }, "--output", "jsonl");
      chat.stdout.resume();
      await mark("stage");
      chat.kill("SIGKILL");
      await once(chat, "exit");
      assert.equal(await hasEnded(Number(await mark("pid"))), true);
    });
  }

  for (const output of ["text", "jsonl"]) {
    it(`prints all of a long answer as ${output} to a reader that starts after the agent has ended`, async () => {
      const length = 700_000;
      const chat = start({ LENGTH: String(length) }, "--output", output);
      await mark("ended");
      const [printed] = await Promise.all([text(chat.stdout), once(chat, "exit")]);
      assert.equal(chat.exitCode, 0);
      assert.ok(printed.length >= length, `${printed.length} characters`);
    });
  }

  it("answers and is stored beside a second run in the same folder", async () => {
    const chats = [start({ LENGTH: "1" }, "--output", "json"), start({ LENGTH: "2" }, "--output", "json")];
    const printed = await Promise.all(chats.map(({ stdout }) => text(stdout)));
    const results = printed.map((line) => JSON.parse(line) as { readonly status: string; readonly answer: string });
    assert.deepEqual(
      results.map(({ status, answer }) => [status, answer]),
      [
        ["done", "x"],
        ["done", "xx"],
      ],
    );
    const stored = await listSessions(join(marks, "sessions"));
    assert.deepEqual(
      stored.map(({ cwd, turns }) => [cwd, turns]),
      [
        [folder, 1],
        [folder, 1],
      ],
    );
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
