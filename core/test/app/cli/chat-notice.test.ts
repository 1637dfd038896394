import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const modules = new URL("../../../src/", import.meta.url);
const script = `
  const { chat } = await import("${modules.href}app/cli/chat.js");
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
  this.timeout(120_000);
  let folder: string;
  beforeEach(async () => (folder = await realpath(await mkdtemp(join(tmpdir(), "chat-notice-")))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Both streams of a chat, as a terminal shows them: in one file. */
  async function shown(...words: readonly string[]): Promise<string> {
    const env = { PATH: process.env["PATH"], HOME: folder, USERPROFILE: folder, SYMPOSIUM_CONFIG_DIR: folder };
    await using output = await open(join(folder, "output"), "a");
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, "--", ...words], {
      cwd: folder,
      env,
      stdio: ["ignore", output.fd, output.fd],
    });
    assert.deepEqual(await once(child, "close"), [0, null]);
    return await readFile(join(folder, "output"), "utf8");
  }

  it("says before the answer which files of the user are broken, and where", async () => {
    await writeFile(join(folder, "agent.mjs"), agent);
    await writeFile(join(folder, "guard.jsonc"), '{\n  "rules": [\n    oops\n  ]\n}\n');
    await writeFile(join(folder, "trust.json"), '{\n  "folders": [],\n}\n');
    const lines = (await shown("--agent", "node agent.mjs", "hello")).split("\n");
    const answered = lines.indexOf("one answer");
    const said = lines.slice(0, answered).map((line) => line.replaceAll(folder, "~"));
    assert.equal(
      said.filter((line) => line.startsWith("symposium-acp-agent: ~/guard.jsonc:3:")).length,
      1,
      said.join("\n"),
    );
    assert.deepEqual(said.slice(-2, -1), [
      "symposium-acp-agent: Can't read ~/trust.json: line 2 isn't valid JSON. Fix the file, or delete it and trust your folders again.",
    ]);
  });

  it("says before the first answer that conversations are kept, and never again", async () => {
    await writeFile(join(folder, "agent.mjs"), agent);
    const text = await shown("--agent", "node agent.mjs", "hello");
    assert.match(text, /^symposium-acp-agent: your conversations are stored in [^\n]+\none answer\n$/);
    assert.equal((await shown("--agent", "node agent.mjs", "hello")).slice(text.length), "one answer\n");
  });

  it("says of a folder that --trusted-folder names whether it is there, and goes on", async () => {
    const words = ["hello", "--agent", "eliza", "--trusted-folder", folder, "--trusted-folder", join(folder, "gone")];
    const lines = (await shown(...words)).split("\n").filter((line) => line.includes("--trusted-folder"));
    const gone = JSON.stringify(join(folder, "gone"));
    assert.deepEqual(lines, [
      `symposium-acp-agent: --trusted-folder ${gone} has no effect: there is no such folder. Name an existing folder.`,
    ]);
  });
});
