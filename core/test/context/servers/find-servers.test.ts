import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { serverFiles, type Machine } from "../../../src/context/servers/formats/server-files.js";
import { findServers, ownServersOf, thisMachine } from "../../../src/context/servers/node/find-servers.js";

describe("serverFiles", () => {
  const paths = (machine: Machine, product: string): readonly string[] =>
    serverFiles(machine).flatMap((file) => (file.product === product ? [file.path] : []));

  it("follows the variables that move folders", () => {
    const env = {
      XDG_CONFIG_HOME: "/xdg",
      CLAUDE_CONFIG_DIR: "/claude",
      CODEX_HOME: "/codex",
      COPILOT_HOME: "/copilot",
      CLINE_DIR: "/cline",
      OPENCODE_CONFIG: "/mine.json",
    };
    const machine = { platform: "linux", home: "/home/me", env, folders: [] } as const;
    const products = ["vscodium", "claude-code", "codex", "github-copilot", "opencode", "goose", "zed"];
    assert.deepEqual(
      products.map((product) => paths(machine, product)),
      [
        ["/xdg/VSCodium/User/mcp.json", "/xdg/VSCodium/User/profiles/*/mcp.json"],
        ["/claude/.claude.json"],
        ["/codex/config.toml", "/etc/codex/config.toml"],
        ["/copilot/mcp-config.json"],
        ["/xdg/opencode/opencode.json", "/xdg/opencode/opencode.jsonc", "/mine.json"],
        ["/xdg/goose/config.yaml"],
        ["/xdg/zed/settings.json"],
      ],
    );
  });

  it("knows where macOS keeps what belongs to programs", () => {
    const machine = { platform: "darwin", home: "/Users/me", env: {}, folders: [] } as const;
    assert.deepEqual(
      ["vscode-insiders", "claude-desktop", "zed", "goose"].map((product) => paths(machine, product)[0]),
      [
        "/Users/me/Library/Application Support/Code - Insiders/User/mcp.json",
        "/Users/me/Library/Application Support/Claude/claude_desktop_config.json",
        "/Users/me/.config/zed/settings.json",
        "/Users/me/.config/goose/config.yaml",
      ],
    );
  });

  it("knows where Windows does", () => {
    const env = { APPDATA: "C:\\Users\\me\\AppData\\Roaming" };
    const machine = { platform: "win32", home: "C:\\Users\\me", env, folders: ["D:\\app"] } as const;
    assert.deepEqual(
      ["vscode", "claude-desktop", "zed", "goose", "codex", "cursor"].map((product) => paths(machine, product)),
      [
        [
          "C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json",
          "C:\\Users\\me\\AppData\\Roaming\\Code\\User\\profiles\\*\\mcp.json",
          "C:\\Users\\me\\.vscode-server\\data\\User\\mcp.json",
          "C:\\Users\\me\\.vscode-server\\data\\User\\profiles\\*\\mcp.json",
          "D:\\app\\.vscode\\mcp.json",
          "D:\\app\\.devcontainer\\devcontainer.json",
        ],
        ["C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json"],
        ["C:\\Users\\me\\AppData\\Roaming\\Zed\\settings.json", "D:\\app\\.zed\\settings.json"],
        ["C:\\Users\\me\\AppData\\Roaming\\Block\\goose\\config\\config.yaml"],
        ["C:\\Users\\me\\.codex\\config.toml", "D:\\app\\.codex\\config.toml"],
        ["C:\\Users\\me\\.cursor\\mcp.json", "D:\\app\\.cursor\\mcp.json"],
      ],
    );
  });
});

describe("findServers", () => {
  let root: string;
  let home: string;
  let project: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "find-servers-")));
    home = join(root, "home");
    project = join(home, "project");
    await mkdir(join(project, ".git"), { recursive: true });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const write = async (path: string, content: string | object): Promise<void> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  };
  const machine = (cwd = project): Machine => ({ ...thisMachine(cwd, {}, home), platform: "linux" });
  /** File by file: the servers' names, then the problems. */
  const found = async (): Promise<readonly (readonly string[])[]> =>
    (await findServers(machine()))
      .filter(({ path }) => path.startsWith(root))
      .map(({ servers, problems }) => [...servers.map(({ server }) => server.name), ...problems]);

  it("names broken files, without what is in them, and reads the others", async () => {
    await write(join(home, ".cursor/mcp.json"), `{ "mcpServers": { "a": { "env": { "TOKEN": "s3cret" }, }`);
    await write(join(home, ".codex/config.toml"), `[mcp_servers.a]\ntoken = s3cret`);
    await write(join(home, ".config/goose/config.yaml"), `extensions:\n  a: { s3cret: [ }`);
    await write(join(home, ".gemini/settings.json"), `["s3cret"]`);
    await write(join(home, ".junie/mcp/mcp.json"), { mcpServers: { a: { command: "a" } } });
    const all = await found();
    assert.deepEqual(all, [
      ["Line 2: This isn't valid TOML."],
      ["It must be an object."],
      ["Line 1: A closing } is missing before this."],
      ["a"],
      ["Line 2: This isn't valid YAML."],
    ]);
  });

  it("is not held up by what is huge, deep, no file, or leads in a circle", async function () {
    this.timeout(60_000);
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    await write(
      join(home, ".cursor/mcp.json"),
      `{"mcpServers": {"a": {"command": "a", "args": ${deep}}, "b": {"command": "b", "x": ${deep}}}}`,
    );
    await write(join(home, ".gemini/settings.json"), `// a comment\n{"mcpServers": {"a": ${deep}}}`);
    await write(join(home, ".codex/config.toml"), `mcp_servers = ${deep}`);
    await write(
      join(home, ".config/goose/config.yaml"),
      `a: &a [x, x]\nb: &b [*a, *a]\n${Array.from({ length: 40 }, (_, index) => `c${index}: &c${index} [*${index === 0 ? "b" : `c${index - 1}`}, *b]`).join("\n")}`,
    );
    await mkdir(join(home, ".qwen/settings.json"), { recursive: true });
    await write(join(home, ".copilot/mcp-config.json"), {
      mcpServers: Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`s${index}`, { command: "a" }])),
    });
    if (process.platform !== "win32") {
      await mkdir(join(home, ".junie/mcp"), { recursive: true });
      execFileSync("mkfifo", [join(home, ".junie/mcp/mcp.json")]);
      await symlink(join(project, ".mcp.json"), join(project, ".mcp.json"));
      await mkdir(join(home, ".codeium/windsurf"), { recursive: true });
      await symlink("/dev/zero", join(home, ".codeium/windsurf/mcp_config.json"));
    }
    const all = await found();
    const [codex, gemini, qwen, copilot, cursor, ...others] = all;
    assert.deepEqual(
      [codex, gemini, qwen, cursor],
      [
        ["Line 1: This isn't valid TOML."],
        ["Line 2: JSON can be nested at most 100 levels deep."],
        ["It isn't a file."],
        ["b", `"a" is left out. "args[0]" must be a string.`],
      ],
    );
    assert.deepEqual([copilot?.length, copilot?.at(-1)], [1_001, "It has more than 1000 servers."]);
    if (process.platform !== "win32") {
      assert.deepEqual(others, [
        ["It isn't a file."],
        ["It isn't a file."],
        ["This isn't valid YAML."],
        ["It cannot be read: ELOOP."],
      ]);
    }
  });

  it("takes names that objects have by themselves as names, and none that a terminal would act on", async () => {
    await write(
      join(home, ".cursor/mcp.json"),
      `{"mcpServers": {"__proto__": {"command": "a", "__proto__": {"url": "https://a.example"}}, "constructor": {"command": "b"}, "toString": 1, "x\\u001b]0;y": {"command": "c"}, "\\u202ex": {"command": "c"}}}`,
    );
    await write(join(home, ".codex/config.toml"), `[mcp_servers.__proto__]\ncommand = "a"`);
    assert.deepEqual(await found(), [
      ["__proto__"],
      [
        "__proto__",
        "constructor",
        `"toString" is left out. It must be an object.`,
        `"x\\u001b]0;y" can't be used as a server name.`,
        `"‮x" can't be used as a server name.`,
      ],
    ]);
    assert.ok(!("command" in {}));
  });

  it("gives nobody the user's secrets who writes their names", async () => {
    await write(join(project, ".vscode/mcp.json"), { servers: { a: { command: "a", args: ["${secret:github}"] } } });
    const [file] = await findServers(machine());
    assert.deepEqual(file?.servers[0]?.server.launch, {
      type: "stdio",
      command: "a",
      args: ["$${secret:github}"],
      env: {},
    });
  });

  describe("ownServersOf", () => {
    const named = async (agent: string, cwd = project): Promise<readonly string[]> =>
      (await ownServersOf(agent, cwd, machine(cwd))).map(({ name, needsTrust }) => (needsTrust ? `${name}?` : name));

    it("says what an agent reads by itself, and what only after its user has trusted the folder", async () => {
      const server = (name: string) => ({ mcpServers: { [name]: { command: name } } });
      await write(join(home, ".claude.json"), {
        ...server("user"),
        projects: { [project]: server("here"), "/elsewhere": server("elsewhere") },
      });
      await write(join(project, ".mcp.json"), server("shared"));
      await write(join(home, ".copilot/mcp-config.json"), server("copilot"));
      await write(join(project, ".gemini/settings.json"), server("gemini"));
      await write(join(project, ".codex/config.toml"), `[mcp_servers.codex]\ncommand = "codex"`);
      await write(join(home, ".cursor/mcp.json"), server("cursor"));
      assert.deepEqual(
        await Promise.all(["claude-code", "github-copilot", "gemini-cli", "codex", "eliza"].map((id) => named(id))),
        [["user", "here", "shared"], ["copilot", "shared?"], ["gemini?"], ["codex"], []],
      );
    });

    it("looks for OpenCode's files up to the root of the repository, and no further", async () => {
      await write(join(home, "opencode.json"), { mcp: { outside: { type: "local", command: ["a"] } } });
      await write(join(project, "opencode.json"), { mcp: { root: { type: "local", command: ["a"] } } });
      await write(join(project, "sub/opencode.jsonc"), `{ "mcp": { "sub": { "type": "local", "command": ["a"] }, } }`);
      assert.deepEqual(await named("opencode", join(project, "sub")), ["sub", "root"]);
    });
  });
});
