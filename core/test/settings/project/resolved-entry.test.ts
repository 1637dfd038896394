import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { approvedContent } from "../../../src/settings/project/node/named-files.js";

describe("the approval of an entry of a project", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "resolved-entry-")));
    for (const name of ["server/index.js", "server/part.js", "x.js", "run.sh", "run.js", "run.py", "other.txt"]) {
      await write(`tools/${name}`, "1");
    }
    await write("node_modules/package/index.js", "1");
    await write(".git/HEAD", "1");
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }

  /** Whether the approval of an entry is asked for again once a file has another content. */
  async function asksAfter(name: string, key: string, value: unknown): Promise<boolean> {
    const content = () =>
      approvedContent([{ key, value, file: "config.jsonc", line: 1 }], { folder, root: folder }, new Map());
    const before = await content();
    await write(name, "2");
    return JSON.stringify(before) !== JSON.stringify(await content());
  }

  const server = (command: string, args: readonly string[] = [], more: object = {}): readonly [string, unknown] => [
    "mcpServers.a",
    { command, args, ...more },
  ];
  const unresolved: readonly (readonly [key: string, value: unknown])[] = [
    server("node", ["tools/server"]),
    server("node", ["-r", "./tools/x", "tools/run.js"]),
    server("node", ["--import=./tools/x.js", "tools/run.js"]),
    server("python3", ["-m", "tools.server"]),
    server("go", ["run", "./tools"]),
    server("sh", ["tools/*.sh"]),
    server("sh", ["-c", "cd tools && ./run.sh"]),
    server("env", ["-C", "tools", "./run.sh"]),
    server("npx", ["./tools"]),
    server("npx", ["--prefix", "tools", "package"]),
    server("make"),
    server("npm", ["run", "serve"]),
    server("./tools/missing"),
    server("python3", ["tools/run.py"], { env: { PYTHONPATH: "tools" } }),
    server("./tools/run.sh", [], { env: { NODE_OPTIONS: "-r ./tools/x" } }),
    server("./tools/run.sh", [], { env: [{ name: "RUBYOPT", value: "-rtools/x" }] }),
    server("unknown-program", ["--root", "."]),
    ["agent", "node tools/server"],
    ["agent", "PYTHONPATH=tools python3 tools/run.py"],
    ["proxies.a", { name: "a", command: "node", args: ["tools/server"] }],
    ["hooks.Stop", [{ hooks: [{ type: "command", command: "PYTHONPATH=tools python3 tools/run.py" }] }]],
    ["env.NODE_OPTIONS", "--require=./tools/x"],
    ["env.PATH", "tools:/usr/bin"],
  ];
  for (const [key, value] of unresolved) {
    it(`covers all files of the project for ${JSON.stringify(value)}`, async () => {
      assert.equal(await asksAfter("tools/server/part.js", key, value), true);
      assert.equal(await asksAfter("new.txt", key, value), true);
      assert.equal(await asksAfter("node_modules/package/index.js", key, value), false);
      assert.equal(await asksAfter(".git/HEAD", key, value), false);
    });
  }

  const resolved: readonly (readonly [key: string, value: unknown, file?: string])[] = [
    [...server("node", ["tools/run.js", "--root=${workspaceFolder}"]), "tools/run.js"],
    [...server("python3", ["-u", "run.py"], { cwd: "tools" }), "tools/run.py"],
    [...server("./tools/run.sh", ["-c", "."]), "tools/run.sh"],
    server("npx", ["-y", "@scope/server@1.2", "${workspaceFolder}"]),
    server("uvx", ["server-fetch==1.0"], {
      env: { TOKEN: "${env:TOKEN}", MODEL: "anthropic/some-1", URL: "https://x.example/a" },
    }),
    ["mcpServers.a", { url: "https://x.example/mcp" }],
    ["agent", "claude-code"],
    ["env.ANTHROPIC_BASE_URL", "https://x.example"],
    ["disabledProxies.a", "a"],
  ];
  for (const [key, value, file] of resolved) {
    it(`covers the files that are named for ${JSON.stringify(value)}`, async () => {
      assert.equal(await asksAfter("tools/other.txt", key, value), false);
      if (file !== undefined) assert.equal(await asksAfter(file, key, value), true);
    });
  }

  it("is impossible for a command that Symposium cannot resolve in a project of more files than are compared", async () => {
    await mkdir(join(folder, "many"));
    for (let number = 0; number <= 10_000; number++) writeFileSync(join(folder, "many", String(number)), "");
    const [key, value] = server("make");
    const place = { folder, root: folder };
    assert.equal(await approvedContent([{ key, value, file: "config.jsonc", line: 1 }], place, new Map()), undefined);
  }).timeout(30_000);
});
