import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const page = new URL("../../../../../../docs/automation.md", import.meta.url);
const program = fileURLToPath(new URL("../../../../src/app/cli/main.js", import.meta.url));

/** Reports its process id in its answer, then crashes, hangs or writes forever, as its prompt says. */
const agent = `
  import { createInterface } from "node:readline";
  const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const say = (text) => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    send({ method: "session/update", params: { sessionId: "s", update } });
  };
  let ending;
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") send({ id, result: { protocolVersion: 1 } });
    if (method === "session/new") send({ id, result: { sessionId: "s" } });
    if (method === "session/cancel" && ending !== undefined) send({ id: ending, result: { stopReason: "end_turn" } });
    if (method !== "session/prompt") return;
    say(String(process.pid));
    const prompt = JSON.stringify(params.prompt);
    if (prompt.includes("crash")) process.exit(7);
    if (prompt.includes("end")) ending = id;
    if (prompt.includes("write")) setInterval(() => say("more"), 1);
  });`;

type Child = ChildProcessByStdio<null, Readable, null>;

describe("chat for programs", function () {
  this.timeout(120_000);
  let folder: string;
  let agentWords: string;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "automation-")));
    agentWords = `${process.execPath} ${join(folder, "agent.mjs")}`;
    await writeFile(join(folder, "agent.mjs"), agent);
    await writeFile(join(folder, "config.jsonc"), '{ "conversations": { "keep": false } }');
    const shim = join(folder, "symposium-acp-agent");
    await writeFile(shim, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    await chmod(shim, 0o755);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  function start(command: string, words: readonly string[], place: { cwd?: string; settings?: string } = {}): Child {
    const { cwd = folder, settings = folder } = place;
    const PATH = [folder, process.env["PATH"]].join(delimiter);
    const env = { PATH, HOME: folder, USERPROFILE: folder, SYMPOSIUM_CONFIG_DIR: settings };
    return spawn(command, words, { cwd, env, stdio: ["ignore", "pipe", "ignore"] });
  }

  async function codeBlock(language: string): Promise<string> {
    const source = await readFile(page, "utf8");
    return new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "m").exec(source)?.[1] ?? "";
  }

  async function runs(command: string, words: readonly string[]): Promise<string> {
    const child = start(command, words);
    const [said] = await Promise.all([text(child.stdout), once(child, "spawn")]);
    return said;
  }

  const said = 'refused: Deploy\nrefused: You chose "Reject" (reject_once).\n';

  it("is driven by the Node script of the documentation", async () => {
    const script = await codeBlock("js");
    assert.equal(await runs(process.execPath, ["--input-type=module", "-e", script]), said);
  });

  it("is driven by the Python script of the documentation", async function () {
    const script = await codeBlock("python");
    try {
      assert.equal(await runs("python3", ["-c", script]), said);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") this.skip();
      throw error;
    }
  });

  interface Ended {
    readonly exit: readonly unknown[];
    readonly result: Record<string, unknown>;
  }

  async function ended(child: Child): Promise<Ended> {
    const [out, exit] = await Promise.all([text(child.stdout), once(child, "exit")]);
    const last = out.trimEnd().split("\n").at(-1) ?? "";
    return { exit, result: JSON.parse(last) as Record<string, unknown> };
  }

  function isRunning(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  it("exits with 1 and a result when the agent crashes", async () => {
    const { exit, result } = await ended(
      start(process.execPath, [program, "chat", "--agent", agentWords, "--output", "json", "crash"]),
    );
    const { status, exitCode, error, answer } = result;
    assert.deepEqual([exit, status, exitCode, error], [[1, null], "failed", 1, '"agent" exited with code 7.']);
    assert.equal(isRunning(Number(answer)), false);
  });

  it("continues a conversation in the conversation's folder", async () => {
    const settings = join(folder, "kept");
    const project = join(folder, "project");
    await mkdir(settings);
    await mkdir(project);
    const run = (cwd: string, ...words: readonly string[]): Promise<string> => {
      const all = [program, "chat", "--agent", "eliza", "--output", "jsonl", ...words];
      return text(start(process.execPath, all, { cwd, settings }).stdout);
    };
    await run(project, "hello");
    const [session = ""] = (await run(folder, "--session", "last", "go on")).split("\n");
    assert.equal((JSON.parse(session) as { cwd: string }).cwd, project);
  });

  it("fails if config.jsonc, which may turn on the sandbox, can't be read", async () => {
    const settings = join(folder, "broken");
    await mkdir(settings);
    await writeFile(join(settings, "config.jsonc"), '{ "guard": "sandbox"');
    const words = [program, "chat", "--agent", "eliza", "--output", "json", "hello"];
    const { exit, result } = await ended(start(process.execPath, words, { settings }));
    assert.deepEqual([exit, result["status"]], [[1, null], "failed"]);
    assert.match(String(result["error"]), /config\.jsonc/);
  });

  it("exits with 5 when a budget ends the turn of an agent that ends it as if by itself", async () => {
    const words = ["chat", "--agent", agentWords, "--output", "json", "--budget", "minutes=0.005", "end"];
    const { exit, result } = await ended(start(process.execPath, [program, ...words]));
    assert.deepEqual([exit, result["status"], result["refused"]], [[5, null], "over_budget", []]);
    assert.equal((result["budget"] as { figure: string }).figure, "minutes");
  });

  it("exits with 143 and a result on SIGTERM, and leaves no agent", async () => {
    const child = start(process.execPath, [program, "chat", "--agent", agentWords, "--output", "jsonl", "hang"]);
    child.stdout.on("data", (chunk: Buffer) => {
      if (chunk.includes("agent_message_chunk")) child.kill("SIGTERM");
    });
    const { exit, result } = await ended(child);
    assert.deepEqual([exit, result["status"], result["exitCode"]], [[143, null], "cancelled", 143]);
    assert.equal(isRunning(Number(result["answer"])), false);
  });

  it("exits with 1 when its reader is gone, and leaves no agent", async () => {
    const child = start(process.execPath, [program, "chat", "--agent", agentWords, "--output", "jsonl", "write"]);
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (/"text":"\d+"/.test(output)) child.stdout.destroy();
    });
    assert.deepEqual(await once(child, "exit"), [1, null]);
    const [, pid] = /"text":"(\d+)"/.exec(output) ?? [];
    assert.equal(isRunning(Number(pid)), false);
  });
});
