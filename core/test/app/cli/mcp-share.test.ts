import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandOutcome, runCommand } from "./run-command.js";

describe("mcp share", function () {
  this.timeout(120_000);

  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "mcp-share-")));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function share(...words: readonly string[]): Promise<CommandOutcome> {
    const env = { PATH: process.env["PATH"], HOME: folder, SYMPOSIUM_CONFIG_DIR: folder };
    return runCommand({ name: "mcp", words: ["share", ...words], cwd: folder, env });
  }

  it("lists the answers about a machine, and stores new ones beside the user's comments", async () => {
    const off = { command: "c", enabled: false };
    const mcpServers = { git: { command: "a" }, db: { command: "b" }, local: { command: "c", on: "there" }, off };
    const text = `{\n  // mine\n  "mcpServers": ${JSON.stringify(mcpServers)}\n}\n`;
    await writeFile(join(folder, "config.jsonc"), text);
    assert.equal((await share("ssh:build")).stdout, "git  not asked\ndb  not asked\n");
    assert.equal((await share("ssh:build", "git", "--yes")).stdout, "git  shared\n");
    assert.equal((await share("ssh:build", "db", "--no")).stdout, "db  not shared\n");
    const listed = await share("ssh:build", "--json");
    const servers = [
      { name: "git", isShared: true },
      { name: "db", isShared: false },
    ];
    assert.deepEqual(JSON.parse(listed.stdout), { machine: "ssh:build", servers });
    assert.equal((await share("ssh:other")).stdout, "git  not asked\ndb  not asked\n");
    const edited = await readFile(join(folder, "config.jsonc"), "utf8");
    assert.match(edited, /^\{\n {2}\/\/ mine\n/);
    assert.match(edited, /"sharedServers": \{\s*"ssh:build": \{\s*"git": true,\s*"db": false\s*\}\s*\}/);
  });

  it("refuses servers that can't be shared, and this machine", async () => {
    await writeFile(join(folder, "config.jsonc"), `{ "mcpServers": { "local": { "command": "c", "on": "there" } } }`);
    assert.equal((await share("ssh:build")).stdout, "There are no MCP servers to share.\n");
    assert.match((await share("ssh:build", "local", "--yes")).stderr, /there is no server "local" to share/);
    assert.match((await share("here")).stderr, /names no other machine/);
  });
});
