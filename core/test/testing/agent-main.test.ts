import assert from "node:assert/strict";
import process from "node:process";
import { PartProcess } from "./part-process.js";

/** Starts the agent and opens `session-1`. */
async function started(...args: string[]): Promise<PartProcess> {
  const agent = new PartProcess("agent-main", ...args);
  await agent.request("init", "initialize", { protocolVersion: 1, clientCapabilities: {} });
  await agent.request("new", "session/new", { cwd: "/project", mcpServers: [] });
  return agent;
}

function prompt(agent: PartProcess, text: string): void {
  agent.send({
    id: "prompt",
    method: "session/prompt",
    params: { sessionId: "session-1", prompt: [{ type: "text", text }] },
  });
}

/** An agent whose long stream waits for a reader, after a second session has run `command`. */
async function busy(command: string, ...args: string[]): Promise<PartProcess> {
  const agent = await started(...args);
  await agent.request("new 2", "session/new", { cwd: "/project", mcpServers: [] });
  agent.setReading(false);
  prompt(agent, "stream 4000 2000\nstderr finished");
  const block = { type: "text", text: `${command}\nstderr ready` };
  agent.send({ id: "second", method: "session/prompt", params: { sessionId: "session-2", prompt: [block] } });
  await agent.stderrHolds("ready");
  return agent;
}

/** Reads the long stream to its end, which takes the agent many turns of its event loop. */
async function finished(agent: PartProcess): Promise<void> {
  agent.setReading(true);
  await agent.answer("prompt");
  await agent.stderrHolds("finished");
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const updateCount = (agent: PartProcess): number =>
  agent.messages.filter((message) => message["method"] === "session/update").length;

describe("the scripted agent as a process", () => {
  it("answers a prompt, and leaves with 0 when its input ends", async () => {
    await using agent = await started();
    prompt(agent, "echo hello");
    assert.deepEqual((await agent.answer("prompt"))["result"], { stopReason: "end_turn" });
    agent.endInput();
    assert.equal(await agent.exited(), 0);
    assert.equal(updateCount(agent), 1);
  });

  it("declares the capabilities its flags ask for", async () => {
    await using agent = new PartProcess(
      "agent-main",
      "--no-http",
      "--acp-mcp",
      "--protocol-version",
      "9",
      "--auth-required",
    );
    const { result } = await agent.request(1, "initialize", {});
    const refusal = await agent.request(2, "session/new", { cwd: "/" });
    assert.match(
      JSON.stringify(result),
      /"protocolVersion":9,.*"mcpCapabilities":{"http":false,"sse":false,"acp":true}/,
    );
    assert.match(JSON.stringify(refusal["error"]), /"code":-32000/);
  });

  it("answers initialize late when its start is slow, and other requests meanwhile", async () => {
    await using agent = new PartProcess("agent-main", "--slow-start", "30");
    agent.send({ id: 1, method: "initialize", params: {} });
    await agent.request(2, "_test/received", {});
    await agent.answer(1);
    assert.deepEqual(
      agent.messages.map((message) => message["id"]),
      [2, 1],
    );
  });

  it("dies at initialize with the code asked for", async () => {
    await using agent = new PartProcess("agent-main", "--die-at-initialize", "7");
    agent.send({ id: 1, method: "initialize", params: {} });
    assert.deepEqual([await agent.exited(), agent.lines, agent.stderr], [7, [], "scripted death at initialize\n"]);
  });

  it("never answers initialize when told so, yet leaves when its input ends", async () => {
    await using agent = new PartProcess("agent-main", "--never-answer");
    agent.send({ id: 1, method: "initialize", params: {} });
    await agent.request(2, "_test/received", {});
    agent.endInput();
    assert.deepEqual([await agent.exited(), agent.messages.map((message) => message["id"])], [0, [2]]);
  });

  it("pauses a stream while nobody reads, serves other sessions meanwhile, and sends everything in the end", async () => {
    await using agent = await busy("stderr alive");
    assert.equal(agent.stderr, "alive\nready\n");
    await finished(agent);
    assert.equal(updateCount(agent), 4000);
  });
});

describe("faults of the scripted agent as a process", () => {
  it("crash exits with the code, after what it said before, with a line on stderr", async () => {
    await using agent = await started();
    prompt(agent, "echo last words\ncrash 42");
    assert.deepEqual(
      [await agent.exited(), updateCount(agent), agent.stderr],
      [42, 1, "scripted crash with code 42\n"],
    );
    assert.equal(
      agent.messages.some((message) => message["id"] === "prompt"),
      false,
    );
  });

  it("exit_silently exits with 0 and no answer", async () => {
    await using agent = await started();
    prompt(agent, "exit_silently");
    assert.deepEqual([await agent.exited(), agent.stderr, agent.lines.length], [0, "", 2]);
  });

  it("garbage stands between two messages", async () => {
    await using agent = await started();
    prompt(agent, "garbage");
    await agent.answer("prompt");
    const texts = agent.lines
      .slice(2)
      .map((line) => (line.includes("session/update") && line.endsWith("}") ? "update" : line));
    assert.equal(texts[0], "update");
    assert.equal(texts.at(-2), "update");
    assert.ok(texts.length > 6);
    assert.ok(texts.slice(1, -2).includes("}{"));
  });

  it("oversize is one line of exactly that size", async () => {
    await using agent = await started();
    prompt(agent, "oversize 300000");
    await agent.answer("prompt");
    assert.equal(agent.lines.at(-2)?.length, 300_000);
  });

  it("truncated leaves half a line behind", async () => {
    await using agent = await started();
    prompt(agent, "truncated");
    assert.equal(await agent.exited(), 0);
    assert.match(agent.rest, /^{"jsonrpc":"2.0","method":"session\/update"/);
  });

  it("stop_reading ends the turn, then takes no input although it goes on working", async () => {
    await using agent = await busy("stop_reading");
    agent.send({ id: "late", method: "_test/received", params: {} });
    agent.endInput();
    await finished(agent);
    assert.equal(
      agent.messages.some((message) => message["id"] === "late"),
      false,
    );
    agent.signal("SIGTERM");
    assert.equal(await agent.exited(), "SIGTERM");
  });

  it("ignore_eof stays when its input ends, and --ignore-sigterm on SIGTERM", async () => {
    await using agent = await busy("ignore_eof", "--ignore-sigterm");
    agent.signal("SIGTERM");
    agent.endInput();
    await finished(agent);
    agent.signal("SIGKILL");
    assert.equal(await agent.exited(), "SIGKILL");
  });

  it("hang answers other requests, and never the prompt", async () => {
    await using agent = await started();
    prompt(agent, "hang");
    await agent.request("other", "_test/received", {});
    assert.equal(
      agent.messages.some((message) => message["id"] === "prompt"),
      false,
    );
  });

  it("child outlives its parent", async () => {
    await using agent = await started();
    prompt(agent, "child");
    await agent.answer("prompt");
    const pid = Number(/child (\d+)/.exec(agent.lines.join("\n"))?.[1]);
    try {
      agent.endInput();
      assert.equal(await agent.exited(), 0);
      assert.equal(isAlive(pid), true);
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });

  it("is told of lines that are no messages, and goes on", async () => {
    await using agent = await started();
    agent.sendText("not JSON");
    const refusal = await agent.message((message) => message["id"] === null);
    assert.match(JSON.stringify(refusal), /-32700/);
    await agent.request("after", "_test/received", {});
  });
});
