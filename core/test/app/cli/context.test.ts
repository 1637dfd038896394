import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Logger } from "../../../src/base/logger.js";
import { ListFiles } from "../../../src/context/servers/node/lists-file.js";
import { listsKey } from "../../../src/context/servers/server-hub.js";
import { parseMcpServers } from "../../../src/settings/mcp-servers.js";
import { runCommand } from "./run-command.js";

const modules = new URL("../../../src/", import.meta.url);
const switchScript = `
  const { switchContext } = await import("${modules.href}app/cli/context/context-switch.js");
  await switchContext(JSON.parse(process.argv[1]), process.argv[2], false);`;

const files = { command: "files-mcp" };

describe("context", function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "context-")));
    const mcpServers = {
      files,
      off: { command: "off-mcp", enabled: false },
      codexOnly: { command: "other-mcp", agents: ["codex"] },
      token: { url: "https://mcp.example/", headers: { Authorization: "${env:CONTEXT_TEST_TOKEN}" } },
      new: { command: "new-mcp" },
    };
    await write("symposium/config.jsonc", JSON.stringify({ agent: "gemini", mcpServers }));
    await write("project/AGENTS.md", "Use tabs.");
    const [server] = parseMcpServers({ files }, { kind: "user" }).servers;
    assert.ok(server);
    await new ListFiles(join(folder, "symposium", "mcp-lists"), Logger.silent).write(listsKey(server), {
      description: { serverInfo: {}, capabilities: { tools: {} } },
      isStateless: false,
      tools: [{ name: "read_file", description: "Reads a file.", inputSchema: { type: "object" } }],
      prompts: [],
    });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function write(path: string, content: string): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }

  const run = (...words: readonly string[]): Promise<string> => runIn({}, ...words);
  async function runIn(more: NodeJS.ProcessEnv, ...words: readonly string[]): Promise<string> {
    const { PATH = "" } = process.env;
    const env = { ...more, PATH, HOME: folder, USERPROFILE: folder, SYMPOSIUM_CONFIG_DIR: join(folder, "symposium") };
    const { stdout, stderr } = await runCommand({ name: "context", words, env, cwd: join(folder, "project") });
    return (stdout + stderr).replaceAll(folder, "~");
  }

  it("names the embedded agent, given or configured", async () => {
    assert.match(await run("--agent", "eliza"), /^Eliza in ~\/project: /);
    await write("symposium/config.jsonc", JSON.stringify({ agent: "elizacp" }));
    assert.match(await run(), /^Eliza in ~\/project: /);
  });

  it("says of each server whether the agent gets it, and why not", async () => {
    const report = JSON.parse(await run("--json")) as {
      readonly agent: string;
      readonly tools: unknown;
      readonly items: readonly { kind: string; title: string; isSent: boolean; reason: string; tools?: unknown }[];
    };
    const servers = report.items.filter(({ kind }) => kind === "server");
    assert.deepEqual(
      [report.agent, servers.map(({ title, isSent, reason }) => [title, isSent, reason]), servers[0]?.tools],
      [
        "gemini-cli",
        [
          ["files", true, "its tools are sent with each request"],
          ["off", false, "switched off"],
          ["codexOnly", false, "for codex only"],
          ["token", false, "no value for ${env:CONTEXT_TEST_TOKEN}"],
          ["new", true, "its tools are known after its first session"],
        ],
        ["read_file"],
      ],
    );
  });

  it("shows rules and servers with what they cost", async () => {
    const text = await run("--agent", "claude-acp");
    assert.match(text, /^Claude Code in ~\/project: \d+ bytes, about \d+ tokens\n\nRules\n {2}- AGENTS\.md: 9 bytes/);
    assert.match(text, /\n\nMCP servers\n {2}\+ files, 1 tool: 8\d bytes, about 2\d tokens\n/);
    assert.match(text, /\n\n1 tool, with each request: \d+ bytes, about \d+ tokens\n$/);
  });

  it("shows what Sparkle brings, as far as it is switched on", async () => {
    await write(".sparkle/collaborator-profile.md", "# Collaborator profile\n\nPrefers small commits.\n");
    const listed = async (): Promise<unknown> => {
      const { items } = JSON.parse(await run("--json")) as {
        items: readonly { kind: string; title: string; origin: string; bytes: number; isSent: boolean }[];
      };
      return items
        .filter(({ origin }) => origin === "sparkle")
        .map(({ kind, title, bytes, isSent }) => [kind, title, bytes > 100, isSent]);
    };
    const all = (isSent: boolean): unknown => [
      ["memory", "Sparkle", true, isSent],
      ["command", "/checkpoint", true, isSent],
      ["command", "/insight", true, isSent],
    ];
    assert.deepEqual(await listed(), all(true));
    const text = await run();
    assert.match(text, /\n\nMemory\n {2}\+ Sparkle: \d+ bytes/);
    assert.match(
      text,
      /\n\n2 slash commands, sent only when called and not included in the total: \d+ bytes, about \d+ tokens\n\n1 tool, with/,
    );
    await write("symposium/config.jsonc", JSON.stringify({ proxies: [{ name: "sparkle", enabled: false }] }));
    assert.deepEqual(await listed(), all(false));
    await write("symposium/config.jsonc", JSON.stringify({ proxies: [] }));
    assert.deepEqual(await listed(), []);
  });

  it("counts the tools of extensions that a session in the folder gets, as far as they are on", async () => {
    await write("project/package.json", "{}");
    const tools = async (...words: readonly string[]): Promise<unknown> => {
      const { items, bytes } = JSON.parse(await run("--json", ...words)) as {
        bytes: number;
        items: readonly { kind: string; title: string; bytes: number; isSent: boolean; tools: readonly string[] }[];
      };
      const extensions = items.filter(({ kind }) => kind === "extension");
      assert.ok(extensions.every((one) => !one.isSent || (one.bytes > 300 && one.bytes < bytes)));
      return extensions.map(({ title, isSent, tools: [first] }) => [title, isSent, first]);
    };
    const all = [
      ["sparkle", true, "session_checkpoint"],
      ["ide-operations", true, "find_definition"],
      ["tests", true, "run_tests"],
      ["sources", true, "package_sources"],
    ];
    assert.deepEqual(await tools(), all);
    assert.deepEqual(await tools("--extensions", "sparkle,tests"), [all[0], all[2]]);
    assert.deepEqual(await tools("--extensions", ""), []);
    assert.match(await run(), /\n\nTools of extensions\n {2}\+ sparkle, \d+ tools: \d+ bytes/);
    await write("symposium/config.jsonc", JSON.stringify({ proxies: [{ name: "tests", enabled: false }] }));
    assert.deepEqual(await tools(), [["tests", false, "run_tests"]]);
  });

  it("counts slash commands apart: they are sent only when they are called", async () => {
    const sizes = async (): Promise<readonly [sum: number, commands: unknown]> => {
      const { bytes, commands } = JSON.parse(await run("--json")) as { bytes: number; commands: { count: number } };
      return [bytes, commands];
    };
    await write("symposium/config.jsonc", JSON.stringify({ proxies: [] }));
    const [without] = await sizes();
    const template = "Look at it. ".repeat(100);
    await write(".claude/commands/look.md", template);
    assert.deepEqual(await sizes(), [without, { count: 1, bytes: template.length, tokens: template.length / 4 }]);
  });

  it("refuses an agent that nobody knows, unless any may be named", async () => {
    assert.match(
      await run("--agent", "nobody"),
      /^context: there is no agent "nobody"\. Known: claude-code, gemini-cli,/,
    );
    assert.match(await run("--agent", "nobody", "--any"), /^Unknown agent "nobody" in ~\/project: /);
    await write("symposium/config.jsonc", "{}");
    assert.match(await run(), /^Any agent \(none is configured\) in ~\/project: /);
  });

  interface Item {
    readonly title: string;
    readonly isSent: boolean;
    readonly reason: string;
    readonly tools?: readonly string[];
    readonly offTools?: readonly string[];
    readonly switch?: { readonly name: string; readonly isOff: boolean };
  }
  const itemOf = async (title: string, env: NodeJS.ProcessEnv = {}): Promise<Item | undefined> => {
    const { items } = JSON.parse(await runIn(env, "--json")) as { readonly items: readonly Item[] };
    return items.find((item) => item.title === title);
  };
  const config = (): Promise<string> => readFile(join(folder, "symposium", "config.jsonc"), "utf8");

  it("switches a server of config.jsonc by its entry, and one of its tools by excludeTools", async () => {
    const before = await config();
    assert.match(await run("off", "mcp:files/read_file"), /^files\/read_file is off from the next session \(/);
    const { tools, offTools } = (await itemOf("files")) ?? {};
    assert.deepEqual([tools, offTools], [[], ["read_file"]]);
    assert.match(await config(), /"excludeTools": \[\s*"read_file"\s*\]/);
    assert.match(await run("off", "files"), /^files is off from the next session/);
    const { isSent, reason, switch: own } = (await itemOf("files")) ?? {};
    assert.deepEqual([isSent, reason, own], [false, "switched off", { name: "mcp:files", isOff: true }]);
    assert.match(await run("off", "files"), /^files is off already/);
    assert.match(await run("on", "mcp:files"), /^files is on from the next session/);
    assert.match(await run("on", "mcp:files/read_file"), /^files\/read_file is on/);
    assert.deepEqual(JSON.parse(await config()), JSON.parse(before));
    assert.match(await run("on", "off"), /^off is on from the next session/);
    assert.equal((await itemOf("off"))?.isSent, true);
  });

  it("switches rules and skills by their file, that one alone, and shows the way back", async () => {
    await write("project/.cursor/rules/tabs.mdc", "---\nalwaysApply: true\n---\nUse tabs here.");
    await write(".claude/skills/fly/SKILL.md", "---\nname: fly\ndescription: Flies.\n---\nFlap.");
    assert.match(await run("off", ".cursor/rules/tabs.mdc"), /tabs\.mdc is off/);
    assert.match(await run("off", "fly"), /^fly is off/);
    const { context } = JSON.parse(await config()) as { readonly context: unknown };
    assert.deepEqual(context, {
      exclude: ["~/project/.cursor/rules/tabs.mdc", "~/.claude/skills/fly/SKILL.md"],
    });
    const { isSent, switch: own } = (await itemOf("fly")) ?? {};
    assert.deepEqual([isSent, own], [false, { name: "~/.claude/skills/fly/SKILL.md", isOff: true }]);
    assert.match(await run(), /switched off; switch on with `context on ~\/\.claude\/skills\/fly\/SKILL\.md`/);
    assert.match(await run("on", "~/.claude/skills/fly/SKILL.md"), /^fly is on/);
    assert.match(await run("on", ".cursor/rules/tabs.mdc"), /tabs\.mdc is on/);
    assert.equal((await itemOf("fly"))?.isSent, true);
    assert.equal((JSON.parse(await config()) as { context?: unknown }).context, undefined);
  });

  it("switches all that a pattern means, and says what that was", async () => {
    await write(".claude/skills/fly/SKILL.md", "---\nname: fly\ndescription: Flies.\n---\nFlap.");
    await write(".claude/skills/flee/SKILL.md", "---\nname: flee\ndescription: Flees.\n---\nRun.");
    await write(".claude/skills/stay/SKILL.md", "---\nname: stay\ndescription: Stays.\n---\nSit.");
    const before = await config();
    assert.equal(
      await run("off", "skill:fl*"),
      "2 switched off from the next session: ~/.claude/skills/flee/SKILL.md, ~/.claude/skills/fly/SKILL.md.\n",
    );
    assert.deepEqual([(await itemOf("fly"))?.isSent, (await itemOf("stay"))?.isSent], [false, true]);
    assert.match(await run("off", "mcp:files/read*"), /^1 switched off from the next session: mcp:files\/read_file\./);
    assert.match(await run("off", "mcp:*"), /^\d switched off from the next session: .*mcp:files.*mcp:new/);
    assert.match(await run("off", "skill:fl*"), /^context: nothing in .* that is on matches "skill:fl\*"\./);
    assert.match(await run("on", "skill:*"), /^2 switched on/);
    assert.match(await run("on", "mcp:*"), /mcp:off/);
    assert.match(await run("on", "mcp:files/*"), /^1 switched on/);
    const { mcpServers } = JSON.parse(before) as { mcpServers: { off: { enabled?: boolean } } };
    delete mcpServers.off.enabled;
    assert.deepEqual(JSON.parse(await config()), { ...(JSON.parse(before) as object), mcpServers });
  });

  it("switches a server with a slash in its name that is not of config.jsonc", async () => {
    const name = "io.github.x/y";
    const env = { SYMPOSIUM_MCP_SERVERS: JSON.stringify({ [name]: { command: "y-mcp" } }) };
    const isSent = async (): Promise<unknown> => (await itemOf(name, env))?.isSent;
    assert.equal(await isSent(), true);
    assert.match(await runIn(env, "off", `mcp:${name}`), /^io\.github\.x\/y is off from the next session/);
    assert.equal(await isSent(), false);
    assert.match(await runIn(env, "on", `mcp:${name}`), /^io\.github\.x\/y is on from the next session/);
    assert.equal(await isSent(), true);
  });

  it("keeps the comments of a list that its last entry leaves", async () => {
    await write(".claude/skills/fly/SKILL.md", "---\nname: fly\ndescription: Flies.\n---\nFlap.");
    const text = (item: string): string =>
      `{\n  "context": {\n    "exclude": [\n      // Too long for small models.\n${item}    ]\n  }\n}\n`;
    await write("symposium/config.jsonc", text(`      "fly"\n`));
    assert.match(await run("on", "fly"), /^fly is on/);
    assert.equal(await config(), text(""));
    assert.match(await run("off", "fly"), /^fly is off/);
    assert.match(await config(), /small models\.\n {6}"~\/\.claude\/skills\/fly\/SKILL\.md"\n/);
  });

  it("adds no entry for a server that has gone since the report", async () => {
    const before = await config();
    const item = { kind: "server", title: "gone", from: "user", offTools: [], tools: ["read"] };
    const report = { folder, items: [{ ...item, switch: { name: "mcp:gone", isOff: false } }] };
    const switchOff = (...words: readonly string[]): Promise<{ readonly stderr: string }> => {
      const env = { SYMPOSIUM_CONFIG_DIR: join(folder, "symposium") };
      const args = ["--input-type=module", "-e", switchScript, "--", ...words];
      return new Promise((resolve) =>
        execFile(process.execPath, args, { env }, (_error, _stdout, stderr) => resolve({ stderr })),
      );
    };
    for (const name of ["gone", "mcp:gone/read"]) {
      const { stderr } = await switchOff(JSON.stringify(report), name);
      assert.match(stderr.replaceAll(folder, "~"), /context: gone is no longer in ~\/symposium\/config\.jsonc\./);
    }
    assert.equal(await config(), before);
  });

  it("says what has no switch, and what nobody knows, and writes nothing", async () => {
    const before = await config();
    assert.match(await run("off", "codexOnly", "--agent", "gemini"), /^codexOnly is off from the next session/);
    assert.match(await run("on", "codexOnly", "--agent", "gemini"), /codexOnly is on/);
    assert.match(await run("off", "nobody"), /^context: there is no "nobody" in ~\/project\. Use the name that/);
    assert.match(
      await run("on", "token"),
      /^context: token can't be switched on: no value for \$\{env:CONTEXT_TEST_TOKEN\}\./,
    );
    assert.deepEqual(JSON.parse(await config()), JSON.parse(before));
  });
});
