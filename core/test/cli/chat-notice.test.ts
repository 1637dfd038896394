import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const modules = new URL("../../src/", import.meta.url);
const script = `
  const { chat } = await import("${modules.href}cli/chat.js");
  process.exitCode = await chat(process.argv.slice(1));`;

/** Ends its answer when the first half of it is kept. */
const agent = `
  import { readdirSync } from "node:fs";
  import { createInterface } from "node:readline";
  const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const say = (text) => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    send({ method: "session/update", params: { sessionId: "s", update } });
  };
  const isKept = () => {
    try {
      return readdirSync(process.env.SYMPOSIUM_CONFIG_DIR + "/sessions").some((name) => name.endsWith(".jsonl"));
    } catch {
      return false;
    }
  };
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (method === "initialize") send({ id, result: { protocolVersion: 1 } });
    if (method === "session/new") send({ id, result: { sessionId: "s" } });
    if (method !== "session/prompt") return;
    say("one ");
    const watch = setInterval(() => {
      if (!isKept()) return;
      clearInterval(watch);
      say("answer");
      send({ id, result: { stopReason: "end_turn" } });
    }, 10);
  });`;

describe("chat", function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(async () => (folder = await realpath(await mkdtemp(join(tmpdir(), "chat-notice-")))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("says after the answer, not within it, that conversations are kept from now on", async () => {
    await writeFile(join(folder, "agent.mjs"), agent);
    const env = { PATH: process.env["PATH"], HOME: folder, USERPROFILE: folder, SYMPOSIUM_CONFIG_DIR: folder };
    const words = ["--agent", "node agent.mjs", "hello"];
    // One file for both, as a terminal shows them.
    await using output = await open(join(folder, "output"), "a");
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, "--", ...words], {
      cwd: folder,
      env,
      stdio: ["ignore", output.fd, output.fd],
    });
    assert.deepEqual(await once(child, "close"), [0, null]);
    const text = await readFile(join(folder, "output"), "utf8");
    assert.match(text, /^one answer\nsymposium-acp-agent: your conversations are kept in [^\n]+\n$/);
  });
});
