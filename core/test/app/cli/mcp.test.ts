import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { rustFolders } from "../../../testing/node/rust-here.js";
import { needsCargo } from "../../needs-cargo.js";
import { awaitEnd, killAll } from "../../base/node/surviving-processes.js";

const modules = new URL("../../../src/", import.meta.url);
const fixtures = fileURLToPath(new URL("../../../../../test/fixtures", import.meta.url));

/** The subcommand in a process of its own, which ends as the command does. */
const script = `
  const { mcp } = await import("${modules.href}app/cli/mcp.js");
  const { messageOf } = await import("${modules.href}base/symposium-error.js");
  process.exit(await mcp(process.argv.slice(1)).catch((failure) => {
    process.stderr.write(messageOf(failure) + "\\n");
    return 2;
  }));`;
const wordsOf = (words: readonly string[]): string[] => ["--input-type=module", "-e", script, "--", ...words];

/** Words that start a server, and the tool that a client then calls. */
interface Visit {
  readonly words: readonly string[];
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

describe("mcp", function () {
  this.timeout(120_000);

  let folder: string;
  let started: ChildProcessWithoutNullStreams | undefined;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "mcp-test-")));
    started = undefined;
  });
  afterEach(async () => {
    started?.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });

  /** Cargo of this machine, and the notes of nobody. */
  const environment = (): Record<string, string> => {
    const { PATH = "" } = process.env;
    return { PATH, ...rustFolders(), HOME: folder, USERPROFILE: folder, CARGO_NET_OFFLINE: "true" };
  };
  const start = (...words: readonly string[]): ChildProcessWithoutNullStreams =>
    (started = spawn(process.execPath, wordsOf(words), { cwd: folder, env: environment() }));
  const parameters = ({ words }: Visit) =>
    ({ command: process.execPath, args: wordsOf(words), cwd: folder, env: environment(), stderr: "inherit" }) as const;
  const seen = (
    tools: readonly { name: string }[],
    server: { name: string } | undefined,
    content: unknown,
  ): unknown => [server?.name, tools.map(({ name }) => name), content];

  const visits: Readonly<Record<string, (visit: Visit) => Promise<unknown>>> = {
    "2025-11-25": async (visit) => {
      const client = new OlderClient({ name: "test", version: "1" });
      await client.connect(new OlderTransport(parameters(visit)));
      const { tools } = await client.listTools();
      const { content } = await client.callTool({ name: visit.tool, arguments: visit.args });
      const server = client.getServerVersion();
      await client.close();
      return seen(tools, server, content);
    },
    "2026-07-28": async (visit) => {
      const options = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
      const client = new ModernClient({ name: "test", version: "1" }, options);
      await client.connect(new ModernTransport(parameters(visit)));
      const { tools } = await client.listTools();
      const { content } = await client.callTool({ name: visit.tool, arguments: visit.args ?? {} });
      const server = client.getServerVersion();
      await client.close();
      return seen(tools, server, content);
    },
  };

  for (const [revision, visit] of Object.entries(visits)) {
    it(`serves sparkle for the folder it is started in to a client of ${revision}`, async () => {
      const options = JSON.stringify({ tools: ["save_insight", "read_working_memory"] });
      const text = "The working memory of this workspace is empty.";
      assert.deepEqual(await visit({ words: ["sparkle", "--options", options], tool: "read_working_memory" }), [
        "sparkle",
        ["save_insight", "read_working_memory"],
        [{ type: "text", text }],
      ]);
    });

    it(`serves ferris, without what needs an agent, to a client of ${revision}`, async function () {
      needsCargo(this);
      await cp(join(fixtures, "ferris/workspace"), folder, { recursive: true });
      const answer = await visit({ words: ["ferris"], tool: "crate_sources", args: { crate_name: "greeter" } });
      assert.deepEqual((answer as unknown[]).slice(0, 2), ["ferris", ["crate_sources", "crate_search", "crate_item"]]);
      assert.match(JSON.stringify(answer), /greeter 0\.2\.0: .*greeter-0\.2/);
    });

    it(`serves cargo to a client of ${revision}`, async function () {
      needsCargo(this);
      await cp(join(fixtures, "cargo/borrow"), folder, { recursive: true });
      const options = JSON.stringify({ tools: ["cargo_check"] });
      const answer = await visit({
        words: ["cargo", "--options", options, "--trusted-folder", folder],
        tool: "cargo_check",
      });
      assert.deepEqual((answer as unknown[]).slice(0, 2), ["cargo", ["cargo_check"]]);
      assert.match(JSON.stringify(answer), /cargo check: exit 101.*4:17 E0382/);
    });
  }

  it("runs no cargo in a folder that nobody has trusted, and names the command that trusts it", async () => {
    await cp(join(fixtures, "cargo/borrow"), folder, { recursive: true });
    const answer = await visits["2025-11-25"]?.({ words: ["cargo"], tool: "cargo_check" });
    assert.match(JSON.stringify(answer), new RegExp(`not trusted.*symposium-acp-agent trust ${folder}`));
  });

  for (const name of ["tests", "cargo", "sources"]) {
    it(`serves the tools of ${name} also where projects are further down than extensions look`, async () => {
      await mkdir(join(folder, "packages/web"), { recursive: true });
      await writeFile(join(folder, "packages/web/package.json"), "{}");
      const child = start(name);
      child.stdin.write(request("tools/list", {}));
      const [answer] = (await once(child.stdout, "data")) as [Buffer];
      child.stdin.end();
      const { result } = JSON.parse(answer.toString()) as { result: { tools: readonly unknown[] } };
      assert.ok(result.tools.length > 0);
      assert.deepEqual(await once(child, "close"), [0, null]);
    });
  }

  it("ends with its input, and takes the cargo that still runs with it", async function () {
    if (process.platform === "win32") this.skip();
    needsCargo(this);
    await cp(join(fixtures, "cargo/sleeping"), folder, { recursive: true });
    const child = start("cargo", "--trusted-folder", folder);
    const env = { SLEEP_IN_BUILD: "1", PIDS: join(folder, "pids") };
    child.stdin.write(request("tools/call", { name: "cargo_check", arguments: { env } }));
    const pids = await sleepers(join(folder, "pids"));
    try {
      child.stdin.end();
      const output = text(child.stdout);
      assert.deepEqual(await once(child, "close"), [0, null]);
      assert.deepEqual([await output, await awaitEnd(pids)], ["", []]);
    } finally {
      killAll(pids);
    }
  });

  it("ends at SIGTERM with the exit code of the signal", async function () {
    if (process.platform === "win32") this.skip();
    const child = start("sparkle");
    child.stdin.write(request("ping", {}));
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "close"), [143, null]);
  });

  it("answers a line that is not JSON, and goes on", async () => {
    const child = start("sparkle");
    child.stdin.end(`what?\n${request("ping", {})}`);
    const answers = (await text(child.stdout)).trim().split("\n");
    assert.deepEqual(answers.map(codeOf), [-32700, undefined]);
  });

  for (const [name, [words, said]] of Object.entries({
    "an unknown name": [["feris"], /Unknown command "feris".*/],
    "no name": [[], /sparkle, ferris, cargo/],
    "two names": [["ferris", "cargo"], /Too many arguments/],
  } as const)) {
    it(`refuses ${name} and says what there is`, async () => {
      const { code, stdout, stderr } = await run(words);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, said);
    });
  }

  it("refuses options that are no JSON object", async () => {
    for (const options of ["[]", "{", "null", "7"]) {
      const { code, stderr } = await run(["ferris", "--options", options]);
      assert.equal(code, 2);
      assert.match(stderr, /must be a JSON object, not /);
    }
  });

  function run(words: readonly string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
    return new Promise((resolve) =>
      execFile(process.execPath, wordsOf(words), { cwd: folder, env: environment() }, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      ),
    );
  }
});

function request(method: string, params: unknown): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`;
}

function codeOf(line: string): unknown {
  return (JSON.parse(line) as { error?: { code: number } }).error?.code;
}

/** The processes that the crate `sleeping` has written down, once it has. */
async function sleepers(file: string): Promise<number[]> {
  for (;;) {
    const written = await readFile(file, "utf8").catch(() => "");
    if (written.endsWith("\n")) return written.trim().split(" ").map(Number);
    await delay(20);
  }
}
