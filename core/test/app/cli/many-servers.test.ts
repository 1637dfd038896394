import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const main = fileURLToPath(new URL("../../../src/app/cli/main.js", import.meta.url));

const server = `
  import { createInterface } from "node:readline";
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const serverInfo = { name: "s", version: "1" };
    const described = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
    const tools = [{ name: "t", description: "d", inputSchema: { type: "object" } }];
    const result = method === "initialize" ? described : method === "tools/list" ? { tools } : {};
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });`;

describe("a session with twelve MCP servers", function () {
  this.timeout(120_000);

  it("writes no warning of Node to the terminal", async () => {
    const folder = await mkdtemp(join(tmpdir(), "many-servers-"));
    try {
      const program = join(folder, "server.mjs");
      await writeFile(program, server);
      const entries = Array.from({ length: 12 }, (_, index) => {
        const launch = { command: process.execPath, args: [program] };
        return `"server${index}": ${JSON.stringify(launch)}`;
      });
      await writeFile(join(folder, "config.jsonc"), `{ "mcpServers": { ${entries.join(", ")} } }`);
      const env = { PATH: process.env["PATH"], HOME: folder, USERPROFILE: folder, SYMPOSIUM_CONFIG_DIR: folder };
      const words = [main, "chat", "--agent", "eliza", "hello"];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { cwd: folder, env });
      assert.notEqual(stdout.trim(), "");
      assert.doesNotMatch(stderr, /Warning/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
