import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../src/app/cli/main.js", import.meta.url));

/** Files of a project that a session reads when it opens. */
const read = [
  ...[".git", "AGENTS.md", "CLAUDE.md", ".mcp.json", ".claude/settings.json", ".gitignore", ".gitmodules"],
  ...["config.jsonc", "config.local.jsonc", "guard.jsonc", "rules/one.md"].map((name) => `.symposium/${name}`),
  ...[".symposium", ".agents", ".claude"].map((folder) => `${folder}/skills/one/SKILL.md`),
  ...["Cargo.toml", "Cargo.lock", "package.json", "go.mod", "pyproject.toml", "tsconfig.json", "compile_commands.json"],
  "node_modules/typescript/package.json",
];

describe("a project with pipes instead of files", function () {
  this.timeout(120_000);
  let folder = "";
  let project = "";
  before(function () {
    // Windows has no pipes in folders.
    if (process.platform === "win32") this.skip();
  });
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "pipes-")));
    project = join(folder, "project");
    for (const name of read) await mkdir(dirname(join(project, name)), { recursive: true });
    execFileSync(
      "mkfifo",
      read.map((name) => join(project, name)),
    );
    await mkdir(join(folder, ".symposium"));
    await writeFile(join(folder, ".symposium/config.jsonc"), '{ "agent": "eliza" }');
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

  /** Runs the command in the project until it has answered every request. Gives the ids of the answers, and the signal that ended it. */
  async function answered(words: readonly string[], requests: readonly object[]): Promise<readonly unknown[]> {
    const env = { ...process.env, HOME: folder, SYMPOSIUM_CONFIG_DIR: join(folder, ".symposium") };
    const child = spawn(process.execPath, [program, ...words], {
      cwd: project,
      env,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const late = setTimeout(() => child.kill("SIGKILL"), 60_000);
    const ids: unknown[] = [];
    let session: unknown;
    const send = (): void => {
      const request = requests[ids.length];
      if (!request) child.stdin.end();
      else child.stdin.write(`${JSON.stringify(request).replace('"SESSION"', JSON.stringify(session))}\n`);
    };
    send();
    let rest = "";
    for await (const chunk of child.stdout.setEncoding("utf8")) {
      const lines = (rest + (chunk as string)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const { id, method, result } = JSON.parse(line) as { id?: unknown; method?: string; result?: object };
        if (method !== undefined) continue;
        if (result && "sessionId" in result) session = result.sessionId;
        ids.push(result && id);
        send();
      }
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    clearTimeout(late);
    return [...ids, child.signalCode];
  }

  const request = (id: number, method: string, params: object): object => ({ jsonrpc: "2.0", id, method, params });

  it("opens its sessions, and ends with its input", async () => {
    const requests = [
      request(1, "initialize", { protocolVersion: 1, clientCapabilities: {} }),
      request(2, "session/new", { cwd: project, mcpServers: [] }),
      request(3, "session/prompt", { sessionId: "SESSION", prompt: [{ type: "text", text: "Hello" }] }),
    ];
    assert.deepEqual(await answered(["run"], requests), [1, 2, 3, null]);
  });

  for (const words of [["recommendations", "list"], ["doctor", "eliza"], ["guard", "status"], ["context"]]) {
    it(`is read by \`${words.join(" ")}\` to its end`, () => {
      const env = { ...process.env, HOME: folder, SYMPOSIUM_CONFIG_DIR: join(folder, ".symposium") };
      const ran = (): string => {
        try {
          return execFileSync(process.execPath, [program, ...words], {
            cwd: project,
            env,
            encoding: "utf8",
            stdio: ["ignore", "pipe", "pipe"],
            timeout: 60_000,
            killSignal: "SIGKILL",
          });
        } catch (error) {
          // A command that reports faults ends with another code.
          return error instanceof Error && "signal" in error && error.signal !== null ? "" : "ended";
        }
      };
      assert.notEqual(ran(), "");
    });
  }
});
