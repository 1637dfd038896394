import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../src/app/cli/main.js", import.meta.url));

/** An agent that answers `initialize` with where it is and what it was given, and ends with its input. */
const agent = `#!/usr/bin/env node
process.stdin.setEncoding("utf8").on("data", (line) => {
  const { id } = JSON.parse(line);
  const agentInfo = { name: "probe", version: JSON.stringify([process.cwd(), process.env.PWD, process.argv.slice(2)]) };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 1, agentInfo } }) + "\\n");
});
`;

describe("an agent that npx starts", function () {
  this.timeout(300_000);

  let folder: string;
  let project: string;
  let ran: string;
  let registry: Server;
  let asked: string[];
  beforeEach(async function () {
    // The marks here are shell scripts.
    if (process.platform === "win32") this.skip();
    folder = await realpath(await mkdtemp(join(tmpdir(), "start-package-")));
    project = join(folder, "project");
    ran = join(folder, "ran");
    asked = [];
    registry = await serve(await packed());
    await write("home/.npmrc", `registry=${addressOf(registry)}\n`);
  });
  afterEach(async () => {
    registry.close();
    await rm(folder, { recursive: true, force: true });
  });

  const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  async function write(path: string, text: string, mode = 0o644): Promise<void> {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await chmod(file, mode);
  }

  /** The package as npm packs it. */
  async function packed(): Promise<Buffer> {
    const manifest = { name: "probe-agent", version: "1.0.0", bin: { "probe-program": "agent.js" } };
    await write("package/package.json", JSON.stringify(manifest));
    await write("package/agent.js", agent, 0o755);
    await mkdir(join(folder, "home"));
    await promisify(execFile)("npm", ["pack", "--silent"], { cwd: join(folder, "package"), env: environment() });
    return readFile(join(folder, "package", "probe-agent-1.0.0.tgz"));
  }

  /** The registry that the user's own configuration names. */
  async function serve(tarball: Buffer): Promise<Server> {
    const server = createServer((request, response) => {
      // Reports of known faults, which this registry has none of.
      if (request.url?.startsWith("/-/")) return response.writeHead(404).end();
      asked.push(request.url ?? "");
      if (request.url?.endsWith(".tgz")) return response.end(tarball);
      const dist = { tarball: `${addressOf(server)}probe-agent.tgz` };
      const version = { name: "probe-agent", version: "1.0.0", bin: { "probe-program": "agent.js" }, dist };
      const document = { name: "probe-agent", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } };
      return response.setHeader("content-type", "application/json").end(JSON.stringify(document));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  function environment(): NodeJS.ProcessEnv {
    const home = join(folder, "home");
    return { PATH: process.env["PATH"], HOME: home, npm_config_cache: join(folder, "cache"), TMPDIR: folder };
  }

  /**
   * Runs the agent through `run-with` in the project. Returns the JSON in its `agentInfo.version`, or the answer's line if there is no
   * result.
   */
  async function said(...agentWords: readonly string[]): Promise<unknown> {
    const words = [program, "run-with", "--agent", agentWords.join(" ")];
    const child = spawn(process.execPath, words, { cwd: project, env: environment() });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    const request = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding("utf8").once("data", resolve);
      child.once("exit", () => reject(new Error(errors)));
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.stdin.end();
    await ended;
    const { result } = JSON.parse(line) as { result?: { agentInfo: { version: string } } };
    return result ? JSON.parse(result.agentInfo.version) : line;
  }

  it("runs in the project's folder, with its arguments, from the user's own registry", async () => {
    await mkdir(project);
    const words = ["--acp", "two words", 'a"b'];
    const quoted = words.map((word) => `'${word}'`);
    assert.deepEqual(await said("npx", "-y", "probe-agent", ...quoted), [project, project, words]);
    assert.deepEqual(await said("npx", "-y", "--package", "probe-agent@1.0.0", "probe-program"), [
      project,
      project,
      [],
    ]);
    assert.deepEqual(new Set(asked), new Set(["/probe-agent", "/probe-agent.tgz"]));
  });

  it("is not what the project has under that name, and nothing of the project runs or is asked", async () => {
    const wrong: string[] = [];
    const hostile = createServer((request, response) => {
      wrong.push(request.url ?? "");
      response.statusCode = 404;
      response.end();
    });
    await new Promise<void>((resolve) => hostile.listen(0, "127.0.0.1", resolve));
    const mark = `#!/bin/sh\n: > '${ran}'\n`;
    const manifest = { name: "probe-agent", version: "1.0.0", bin: { "probe-program": "agent.sh" } };
    await write("project/package.json", JSON.stringify({ dependencies: { "probe-agent": "1.0.0" } }));
    await write("project/.npmrc", `registry=${addressOf(hostile)}\nscript-shell=${join(project, "shell")}\n`);
    await write("project/shell", mark, 0o755);
    await write("project/node_modules/probe-agent/package.json", JSON.stringify(manifest));
    await write("project/node_modules/probe-agent/agent.sh", mark, 0o755);
    for (const name of ["probe-agent", "probe-program", "node", "sh"]) {
      await write(`project/node_modules/.bin/${name}`, mark, 0o755);
    }
    try {
      assert.deepEqual(await said("npx", "-y", "probe-agent"), [project, project, []]);
      assert.deepEqual(wrong, []);
      await assert.rejects(readFile(ran), { code: "ENOENT" });
    } finally {
      hostile.close();
    }
  });
});
