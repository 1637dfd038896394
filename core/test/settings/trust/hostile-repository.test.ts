import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { resolveCommand, systemLookup } from "../../../src/base/node/resolve-command.js";
import { hostileFiles, plant, runIn } from "./hostile-files.js";

const program = fileURLToPath(new URL("../../../src/app/cli/main.js", import.meta.url));

/** One call of a tool of an MCP server, as its input. */
function callOf(name: string, args: object): string {
  const version = "2025-06-18";
  const initialize = { protocolVersion: version, capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const requests = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name, arguments: args } },
  ];
  return requests.map((request) => `${JSON.stringify(request)}\n`).join("");
}

/** Commands that read a folder before the user trusts it: arguments, and the input until the answer to request 2. */
const readings: readonly (readonly [words: readonly string[], input?: string])[] = [
  [["recommendations", "list"]],
  [["doctor", "eliza"]],
  [["mcp", "ide-operations"], callOf("symbols", { query: "main" })],
  [["mcp", "ide-operations"], callOf("diagnostics", {})],
  [["mcp", "ferris"], callOf("crate_sources", { crate_name: "a" })],
  [["mcp", "cargo"], callOf("cargo_check", {})],
];

describe("a hostile repository that nobody has trusted", function () {
  this.timeout(300_000);

  let folder: string;
  beforeEach(async function () {
    // The marks are shell scripts.
    if (process.platform === "win32") this.skip();
    folder = await realpath(await mkdtemp(join(tmpdir(), "hostile-")));
    await mkdir(join(folder, "project"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

  /** Runs the command in the folder, with an empty configuration, until it has answered. */
  async function read(project: string, words: readonly string[], input?: string, more = {}): Promise<string> {
    const env = { ...process.env, ...more, SYMPOSIUM_CONFIG_DIR: join(folder, "c"), CARGO_NET_OFFLINE: "true" };
    const child = spawn(process.execPath, [program, ...words], { cwd: project, env });
    let output = "";
    child.stderr.resume();
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (/"id":\s*2\b/.test(output)) child.stdin.end();
    });
    if (input === undefined) child.stdin.end();
    else child.stdin.write(input);
    await new Promise((resolve) => child.once("close", resolve));
    return output;
  }

  // In one of their own, a toolchain of the project would hide what cargo's configuration does.
  for (const group of [
    hostileFiles.filter(({ tool }) => tool !== "rustup"),
    hostileFiles.filter(({ tool }) => tool === "rustup"),
  ]) {
    it(`runs nothing of ${group.map(({ tool }) => tool).join(", ")} where we read`, async () => {
      const project = join(folder, "project");
      const marks = group.map(({ tool }) => [tool, join(folder, tool, "ran")] as const);
      for (const [index, row] of group.entries()) {
        const ran = marks[index]?.[1] ?? "";
        await mkdir(dirname(ran), { recursive: true });
        await plant(row, project, ran);
      }
      await writeFile(join(project, "Cargo.lock"), 'version = 4\n\n[[package]]\nname = "a"\nversion = "0.1.0"\n');
      for (const [words, input] of readings) {
        const output = await read(project, words, input);
        assert.notEqual(output, "", words.join(" "));
        const ran = marks.filter(([, file]) => existsSync(file)).map(([tool]) => tool);
        assert.deepEqual(ran, [], `${words.join(" ")} ran what the files of these tools name`);
      }
    });
  }

  it("runs none of its programs by doctor where PATH names them before the user's own", async () => {
    const project = join(folder, "project");
    const inner = [".venv/bin", "node_modules/.bin"].map((name) => join(project, name));
    const own = join(folder, "bin");
    for (const one of [...inner, own]) await mkdir(one, { recursive: true });
    const names = ["node", "npm", "npx", "uv", "pipx", "cargo", "rustc", "rustup", "rust-analyzer", "tsc", "tsserver"];
    const others = ["typescript-language-server", "gopls", "go", "clangd", "pyright-langserver", "git", "bwrap", "env"];
    for (const name of [...names, ...others]) {
      for (const [index, place] of inner.entries())
        await writeFile(join(place, name), `#!/bin/sh\n: >'${folder}/ran ${index} ${name}'\n`, { mode: 0o755 });
    }
    // Scripts of the user's own, whose interpreter PATH has twice.
    for (const name of ["npm", "uv", "tsc"])
      await writeFile(join(own, name), "#!/usr/bin/env node\nconsole.log('Version 7.0.2')\n", { mode: 0o755 });
    for (const name of ["a.ts", "a.rs", "a.go", "a.py", "a.c", "package.json", "tsconfig.json"])
      await writeFile(join(project, name), "{}");
    const PATH = [...inner, own, dirname(process.execPath), process.env["PATH"]].join(":");
    const output = await read(project, ["doctor", "eliza", "--json"], undefined, { PATH });
    assert.match(output, /Version 7\.0\.2/);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith("ran")),
      [],
    );
  });

  for (const row of hostileFiles) {
    it(`would run its program by ${row.tool} itself, so that the row is real`, async function () {
      const [command = ""] = row.trigger;
      if (resolveCommand(command, systemLookup()) === undefined) {
        if (this.test) this.test.title += ` (${command} is not on this machine)`;
        this.skip();
      }
      const project = join(folder, "project");
      const ran = join(folder, "ran");
      await plant(row, project, ran);
      await runIn(project, row.trigger);
      assert.equal(existsSync(ran), true);
    });
  }
});
