import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { lockConfig } from "../../../src/settings/node/config-file.js";
import { type CommandOutcome, runCommand } from "./run-command.js";

const modules = new URL("../../../src/", import.meta.url);
const script = `
  const { mcp } = await import("${modules.href}app/cli/mcp.js");
  const { SymposiumError, messageOf } = await import("${modules.href}base/symposium-error.js");
  process.exitCode = await mcp(process.argv.slice(1)).catch((failure) => {
    process.stderr.write(messageOf(failure) + " " + (failure.hint ?? "") + "\\n");
    return 2;
  });`;

describe("mcp of the user's servers", function () {
  this.timeout(120_000);

  let folder: string;
  let config: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "mcp-servers-")));
    config = join(folder, "symposium", "config.jsonc");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const write = async (path: string, content: string | object): Promise<void> => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  };
  async function run(words: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<CommandOutcome> {
    const { PATH = "" } = process.env;
    const homes = { HOME: folder, USERPROFILE: folder, APPDATA: folder, SYMPOSIUM_CONFIG_DIR: dirname(config) };
    const { code, stdout, stderr } = await runCommand({
      name: "mcp",
      words,
      cwd: folder,
      env: { PATH, ...homes, ...more },
    });
    return { code, stdout: stdout.replaceAll(folder, "~"), stderr: stderr.replaceAll(folder, "~") };
  }
  const servers = async (): Promise<unknown> =>
    (JSON.parse(await readFile(config, "utf8")) as { mcpServers?: unknown }).mcpServers;

  it("add, list and remove a server, and leave the rest of the file as it is", async () => {
    const text = `{\n  // mine\n  "agent": "claude-code", // this one\n}\n`;
    await write("symposium/config.jsonc", text);
    const named = ["files", "--env", "KEY=${env:FILES_KEY}", "--agent", "codex", "--", "npx", "-y", "files-mcp"];
    const added = "Added files to ~/symposium/config.jsonc. Agents get it from their next session.\n";
    assert.deepEqual(await run(["add", ...named]), { code: 0, stdout: added, stderr: "" });
    const listed = await run(["list"]);
    assert.equal(
      listed.stdout,
      "files  incomplete: no value for ${env:FILES_KEY}\n    npx -y files-mcp\n    agents: codex; from ~/symposium/config.jsonc\n",
    );
    assert.match((await run(["list"], { FILES_KEY: "1" })).stdout, /^files {2}on\n/);
    assert.equal((await run(["remove", "files"])).stdout, "Removed files from ~/symposium/config.jsonc.\n");
    assert.equal(await readFile(config, "utf8"), text);
  });

  it("answer with JSON", async () => {
    const json = async (...words: readonly string[]): Promise<unknown> =>
      JSON.parse((await run([...words, "--json"])).stdout);
    const file = "~/symposium/config.jsonc";
    assert.deepEqual(await json("add", "web", "--url", "https://mcp.example/"), { added: "web", file });
    assert.deepEqual(await json("remove", "web"), { removed: "web", file });
    const { names } = (await json("secret", "list")) as { readonly names: unknown };
    assert.deepEqual(names, []);
  });

  it("add one that runs elsewhere where there is no file yet, without showing its headers", async () => {
    const added = await run([
      "add",
      "issues",
      "--url",
      "https://mcp.example",
      "--header",
      "Authorization: Bearer s3cret",
    ]);
    assert.deepEqual([added.code, added.stdout.includes("s3cret")], [0, false]);
    assert.deepEqual(await servers(), {
      issues: { url: "https://mcp.example", headers: { Authorization: "Bearer s3cret" } },
    });
    const [server] = JSON.parse((await run(["list", "--json"])).stdout) as unknown[];
    assert.deepEqual(server, {
      name: "issues",
      type: "http",
      state: "on",
      missing: [],
      variables: [],
      origin: "user",
      file: "~/symposium/config.jsonc",
      line: 3,
      start: "https://mcp.example",
      isSignedIn: false,
    });
  });

  for (const [what, words, said] of [
    ["nothing to start", ["add", "a"], /Give either a command or --url/],
    ["both", ["add", "a", "--url", "https://a.example", "--", "b"], /Give either a command or --url/],
    ["an address of another kind", ["add", "a", "--url", "ftp://a.example"], /https:\/\/ or http:\/\//],
    [
      "a header without a name, which is not shown",
      ["add", "a", "--url", "https://a.example", "--header", "s3cret"],
      /^((?!s3cret)[^])*--header takes NAME:VALUE/,
    ],
    ["a name that is taken", ["add", "taken", "--", "b"], /already has a server "taken"/],
    ["a name that is none", ["add", "a\u001b[2J", "--", "b"], /can't be used as a server name/],
    ["a server that is not there", ["remove", "b"], / has no server "b"/],
  ] as const) {
    it(`refuse ${what}, and write nothing`, async () => {
      const text = `{ "mcpServers": { "taken": { "command": "a" } } }`;
      await write("symposium/config.jsonc", text);
      const { code, stderr } = await run(words);
      assert.equal(code, 2);
      assert.match(stderr, said);
      assert.equal(await readFile(config, "utf8"), text);
    });
  }

  it("name the line of a broken file, and leave it", async () => {
    await write("symposium/config.jsonc", `{\n"agent": }`);
    const { code, stderr } = await run(["add", "a", "--", "b"]);
    assert.equal(code, 2);
    assert.match(stderr, /config\.jsonc:2:10: .*nothing was changed/);
  });

  describe("import", () => {
    beforeEach(async () => {
      await write("home/.cursor/mcp.json", {
        mcpServers: {
          files: { command: "npx", args: ["-y", "files-mcp"], env: { FILES_TOKEN: "s3cret-value" } },
          broken: { url: "unix:///x" },
        },
      });
      await write(
        "home/.codex/config.toml",
        `[mcp_servers.issues]\nurl = "https://mcp.example"\nbearer_token_env_var = "ISSUES_TOKEN"`,
      );
      await write("home/.gemini/settings.json", "{");
      await write(".mcp.json", { mcpServers: { repository: { command: "evil" } } });
    });
    const importing = (...words: readonly string[]): Promise<CommandOutcome> =>
      run(["import", ...words], {
        HOME: join(folder, "home"),
        USERPROFILE: join(folder, "home"),
        APPDATA: join(folder, "home"),
      });
    const kept = async (): Promise<unknown> =>
      Object.keys(
        (JSON.parse(await readFile(join(dirname(config), "secrets.json"), "utf8")) as { values: object }).values,
      );
    const files = { command: "npx", args: ["-y", "files-mcp"], env: { FILES_TOKEN: "${secret:files-FILES_TOKEN}" } };
    const issues = { url: "https://mcp.example", headers: { Authorization: "Bearer ${env:ISSUES_TOKEN}" } };

    it("shows what there is with all that it starts, and writes nothing where nobody chooses", async () => {
      const { code, stdout } = await importing();
      assert.deepEqual(
        [code, stdout.replaceAll("\\", "/")],
        [
          0,
          [
            "3 MCP servers to import, from 3 files of other products.",
            "",
            "  1. issues",
            "     https://mcp.example",
            "     header Authorization: Bearer ${env:ISSUES_TOKEN}",
            "     in Codex: ~/home/.codex/config.toml",
            "     already in codex",
            "     no value yet: ${env:ISSUES_TOKEN}",
            "",
            "  2. files",
            "     npx -y files-mcp",
            "     env FILES_TOKEN=${secret:files-FILES_TOKEN}",
            "     in Cursor: ~/home/.cursor/mcp.json",
            "     already in cursor-agent",
            "     secrets in plain text: env.FILES_TOKEN",
            "",
            "  3. repository",
            "     evil",
            "     in Claude Code: ~/.mcp.json",
            "     comes from this project, not from you: check what it starts",
            "     already in claude-code",
            "",
            "Not read:",
            "  ~/home/.gemini/settings.json: Line 1: A closing } is missing before this.",
            '  ~/home/.cursor/mcp.json: "broken" is left out. Its address begins with unix:, but only http: and https: are supported.',
            "",
            "Import them with --all, --from PRODUCT or --server NAME.",
            "",
          ].join("\n"),
        ],
      );
      await assert.rejects(readFile(config), { code: "ENOENT" });
    });

    it("takes all that are the user's, keeps their secrets apart, and finds nothing new the next time", async () => {
      const { code, stdout, stderr } = await importing("--all");
      assert.deepEqual([code, `${stdout}${stderr}`.includes("s3cret")], [0, false]);
      assert.match(stdout, /\nImported issues, files into ~.symposium.config\.jsonc\. /);
      assert.deepEqual([await servers(), await kept()], [{ issues, files }, ["secret:files-FILES_TOKEN"]]);
      const { stdout: again } = await importing("--all");
      assert.match(again, /^1 MCP server to import/);
      assert.match(again, /Already in config\.jsonc: issues, files\.[^]*Nothing was imported\.\n$/);
    });

    it("stores no secret where a server of that name was added meanwhile", async () => {
      const HOME = join(folder, "home");
      const own = { HOME, USERPROFILE: HOME, APPDATA: HOME, SYMPOSIUM_CONFIG_DIR: dirname(config) };
      const env = { PATH: process.env["PATH"], ...own };
      const words = ["--input-type=module", "-e", script, "--", "import", "--all"];
      let said = "";
      let ended: Promise<unknown[]>;
      {
        await using _lock = await lockConfig(config);
        const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
        ended = once(child, "close");
        child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
        await once(child.stdout, "data"); // Printed once config.jsonc has been read.
        await write("symposium/config.jsonc", { mcpServers: { files: { command: "mine" } } });
      }
      assert.deepEqual((await ended)[0], 2, said);
      assert.match(said, /A server "files" was just added to .*config\.jsonc\. config\.jsonc was not changed\./);
      assert.deepEqual(await servers(), { files: { command: "mine" } });
      await assert.rejects(readFile(join(dirname(config), "secrets.json")), { code: "ENOENT" });
    });

    it("takes what is named, that of a project too", async () => {
      await importing("--server", "repository", "--from", "codex");
      assert.deepEqual(await servers(), { issues, repository: { command: "evil" } });
    });

    it("takes those of installed plugins that are switched on, where the plugin's files are", async () => {
      const server = { command: "${CLAUDE_PLUGIN_ROOT}/serve", args: [] };
      const installed = (name: string): object => [{ scope: "user", installPath: join(folder, "cache", name) }];
      for (const name of ["on", "off"]) {
        await write(`cache/${name}/.claude-plugin/plugin.json`, { name });
        await write(`cache/${name}/.mcp.json`, { mcpServers: { [`of-${name}`]: server } });
      }
      const plugins = { "on@acme": installed("on"), "off@acme": installed("off") };
      await write("home/.claude/plugins/installed_plugins.json", { version: 2, plugins });
      await write("home/.claude/settings.json", { enabledPlugins: { "on@acme": true, "off@acme": false } });
      await write("home/.agents/plugins/kit/plugin.json", { name: "kit" });
      await write("home/.agents/plugins/kit/mcp.json", { mcpServers: { kit: { command: "./serve" } } });
      const { stdout } = await importing("--from", "plugins");
      assert.match(stdout, /in Agent Plugins: ~.cache.on.\.mcp\.json\n {5}already in claude-code/);
      assert.deepEqual(await servers(), {
        kit: { command: join(folder, "home/.agents/plugins/kit/serve") },
        "of-on": { command: join(folder, "cache/on/serve") },
      });
    });

    it("leaves secrets as they are where that is asked for, and keeps what config.jsonc says", async () => {
      await write("symposium/config.jsonc", `{\n  // mine\n  "agent": "codex"\n}\n`);
      await importing("--from", "cursor", "--literal-secrets");
      const text = await readFile(config, "utf8");
      assert.match(
        text,
        /^\{\n {2}\/\/ mine\n {2}"agent": "codex",\n {2}"mcpServers": \{[^]*"FILES_TOKEN": "s3cret-value"/,
      );
    });

    it("says what it would take, for programs too, without a secret's value", async () => {
      const all = await importing("--all", "--dry-run");
      assert.match(all.stdout, /\nWould import: issues, files\. Nothing was written\.\n$/);
      const { stdout } = await importing("--from", "cursor", "--dry-run", "--json");
      const { servers: shown } = JSON.parse(stdout) as { servers: readonly Readonly<Record<string, unknown>>[] };
      assert.deepEqual(
        shown.map(({ name, entry, scope, secrets, agents }) => ({ name, entry, scope, secrets, agents })),
        [
          {
            name: "files",
            entry: files,
            scope: "user",
            secrets: [{ name: "files-FILES_TOKEN", where: "env.FILES_TOKEN" }],
            agents: ["cursor-agent"],
          },
        ],
      );
      assert.ok(!stdout.includes("s3cret"));
      await assert.rejects(readFile(config), { code: "ENOENT" });
    });

    describe("by digests", () => {
      const digestsOf = async (): Promise<Readonly<Record<string, string>>> => {
        const { servers: shown } = JSON.parse((await importing("--json")).stdout) as {
          servers: readonly { readonly name: string; readonly digest: string }[];
        };
        return Object.fromEntries(shown.map(({ name, digest }) => [name, digest]));
      };
      const asWas = "--digest=";

      it("takes what was shown", async () => {
        const { files: one = "", repository: other = "" } = await digestsOf();
        const words = ["--server=files", "--server=repository", asWas + one, asWas + other];
        assert.equal((await importing(...words)).stderr, "");
        assert.deepEqual(await servers(), { files, repository: { command: "evil" } });
      });

      it("takes nothing where one of them has changed since, and names it", async () => {
        const { issues: one = "", repository: other = "" } = await digestsOf();
        const env = { NODE_OPTIONS: "--require ./x.js" };
        await write(".mcp.json", { mcpServers: { repository: { command: "evil", env } } });
        const named = ["--server=issues", "--server=repository", asWas + one, asWas + other];
        const { code, stderr } = await importing(...named, "--json");
        assert.equal(code, 2);
        assert.match(stderr, /^mcp import: "repository" has changed since it was shown\. Nothing was written\./);
        await assert.rejects(readFile(config), { code: "ENOENT" });
      });

      it("takes no server by the digest of another, and chooses none by a digest alone", async () => {
        const { issues: one = "" } = await digestsOf();
        assert.match((await importing("--server=files", asWas + one)).stderr, /"files" has changed since/);
        assert.match((await importing(asWas + one)).stderr, /--digest requires --server\..*--server NAME/);
        await assert.rejects(readFile(config), { code: "ENOENT" });
      });
    });

    it("refuses a product and a server that are not there", async () => {
      assert.match((await importing("--from", "cursr")).stderr, /no product "cursr".*Known: .*cursor/);
      assert.match((await importing("--server", "fils")).stderr, /no server "fils"/);
    });
  });

  describe("test and tools", () => {
    /** An extension of ours as a server of the user's. */
    const sparkle = { command: process.execPath, args: ["--input-type=module", "-e", script, "--", "sparkle"] };

    it("say what each server has, and why one does not start", async () => {
      await write("symposium/config.jsonc", {
        mcpServers: {
          notes: { ...sparkle, tools: ["save_*"] },
          lacking: { command: "x", env: { KEY: "${env:NOT_THERE}" } },
          unasked: { command: "x", env: { KEY: "${input:team}" } },
          absent: { command: "no-such-program-anywhere" },
          off: { command: "x", enabled: false },
        },
      });
      const { code, stdout } = await run(["test", "--json"]);
      const findings = JSON.parse(stdout) as readonly {
        check: string;
        status: string;
        text: string;
        remedy?: string;
      }[];
      assert.equal(code, 1);
      assert.deepEqual(
        findings.map(({ check, status }) => [check, status]),
        [
          ["notes", "ok"],
          ["lacking", "fail"],
          ["unasked", "fail"],
          ["absent", "fail"],
        ],
      );
      assert.match(findings[0]?.text ?? "", /^\d+ tools, of which agents get \d+, after \d+ ms$/);
      assert.equal(findings[1]?.text, "${env:NOT_THERE} has no value.");
      assert.equal(findings[1].remedy, "Set the variable in the environment.");
      assert.equal(findings[2]?.remedy, "Run `symposium-acp-agent mcp login unasked` to enter it.");
      const absent = findings[3];
      assert.equal(absent?.text, 'MCP server "absent" could not be started (ENOENT).');
      assert.match(absent.remedy ?? "", /no-such-program-anywhere/);
    });

    it("list tools with their sizes, and what an agent's model sees of them", async () => {
      await write("symposium/config.jsonc", { mcpServers: { notes: { ...sparkle, excludeTools: ["save_*"] } } });
      const { code, stdout, stderr } = await run(["tools", "--agent", "opencode"]);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /^notes: \d+ tools, \d+ bytes, about \d+ tokens\n/);
      assert.match(stdout, /\n {2}save_insight +left out\n/);
      assert.match(stdout, /\n {2}read_working_memory +\d+ bytes, about \d+ tokens\n/);
      assert.match(
        stdout,
        /\nopencode: \d+ tools, \d+ bytes, about \d+ tokens; its model sees every tool with each request\n$/,
      );
    });

    it("say in the list of tools which server did not start, and why", async () => {
      await write("symposium/config.jsonc", {
        mcpServers: { bad: { command: "x", env: { KEY: "${env:NOT_THERE}" } } },
      });
      const fault = "${env:NOT_THERE} has no value. Set the variable in the environment.";
      const { code, stdout, stderr } = await run(["tools", "--agent", "opencode"]);
      const none = "opencode: 0 tools, 0 bytes, about 0 tokens; its model sees none";
      assert.deepEqual([code, stdout, stderr], [0, `bad: did not start. ${fault}\n\n${none}\n`, ""]);
      const { servers } = JSON.parse((await run(["tools", "--json"])).stdout) as { servers: readonly object[] };
      assert.deepEqual(servers, [{ name: "bad", tools: [], fault }]);
    });

    it("refuse names that nobody has", async () => {
      assert.match((await run(["test", "nobody"])).stderr, /no MCP server "nobody"/);
      assert.match((await run(["tools", "--agent", "nobody"])).stderr, /no agent "nobody".*claude-code/);
    });
  });
});
