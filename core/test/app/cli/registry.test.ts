import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RegistryServer } from "../../agents/registry/registry-server.js";
import { publishedList } from "../../agents/registry/published-list.js";
import { writeInstallation } from "./installations-fixture.js";

const modules = new URL("../../../src/", import.meta.url);

/** The subcommand in a process of its own; an installation says what it was asked to install. */
const script = `
  const { registry } = await import(process.env.REGISTRY_MODULES + "app/cli/registry.js");
  const { messageOf } = await import(process.env.REGISTRY_MODULES + "base/symposium-error.js");
  const install = async (entry, plan, kind) => ({ command: kind + "/" + plan.id, args: plan.args, env: plan.env });
  const services = process.env.WITH_INSTALLER ? [{ install }] : [];
  try {
    process.exitCode = await registry(...services)(process.argv.slice(1));
  } catch (failure) {
    process.stderr.write(messageOf(failure) + "\\n");
    process.exitCode = 2;
  }`;

interface Result {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

describe("registry", function () {
  this.timeout(60_000);

  let server: RegistryServer;
  let folder: string;
  beforeEach(async () => {
    server = await RegistryServer.open();
    folder = mkdtempSync(join(tmpdir(), "registry-"));
    server.serve("/list", publishedList());
    configure({});
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  function configure(members: object): void {
    const addresses = { registryUrl: server.address("/list"), registryFallbackUrl: "" };
    writeFileSync(join(folder, "config.jsonc"), JSON.stringify({ ...addresses, ...members }));
  }

  function run(words: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Result> {
    const env = { PATH: "", SYMPOSIUM_CONFIG_DIR: folder, REGISTRY_MODULES: modules.href, ...variables };
    const args = ["--input-type=module", "-e", script, "--", ...words];
    return new Promise((resolve) =>
      execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      ),
    );
  }

  /** Parses the single line of JSON on stdout. Fails unless the command succeeded with empty stderr. */
  function answerOf({ code, stdout, stderr }: Result): unknown {
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^[^\n]+\n$/);
    return JSON.parse(stdout);
  }

  it("lists a line for each agent in a pipe, unless JSON is asked for", async () => {
    const { stdout } = await run(["list"]);
    assert.match(stdout, /^claude-code {2,}\S.*\ngemini-cli /);
  });

  it("lists the built-in and published agents as JSON, and installs and starts nothing", async () => {
    const listed = answerOf(await run(["list", "--json"])) as Record<string, unknown>[];
    assert.equal(listed.length, 41);
    assert.deepEqual(
      listed.filter(({ id }) => id === "kiro-cli" || id === "goose"),
      [
        {
          id: "kiro-cli",
          name: "Kiro CLI",
          description: "AWS's coding agent",
          origin: "built-in",
          needs: "an AWS Builder ID or a Kiro subscription",
          missing: "kiro-cli-chat",
        },
        {
          id: "goose",
          name: "GOOSE",
          version: "1.30.0",
          description: "The agent goose",
          origin: "registry",
          icon: "https://icons.example/goose.svg",
          needs: "a model provider configured in the agent",
        },
      ],
    );
    assert.deepEqual(server.requests, ["GET /list"]);
    assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), ["cache", "cache/registry.json", "config.jsonc"]);
  });

  it("lists the configured agent, unless it is one that is listed already", async () => {
    const customIn = async (agent: unknown): Promise<unknown> => {
      configure({ agent });
      const listed = answerOf(await run(["list", "--json"])) as { id: string }[];
      return listed.slice(
        0,
        listed.findIndex(({ id }) => id === "claude-code"),
      );
    };
    assert.deepEqual(await customIn("/opt/own-agent --acp"), [
      { id: "own-agent", name: "own-agent", origin: "custom" },
    ]);
    assert.deepEqual(answerOf(await run(["resolve-agent", "own-agent"])), {
      name: "own-agent",
      command: "/opt/own-agent",
      args: ["--acp"],
      env: [],
    });
    for (const agent of ["eliza", "gemini", "npx -y @google/gemini-cli --acp", "kiro-cli-chat acp"]) {
      assert.deepEqual(await customIn(agent), [], agent);
    }
  });

  it("asks once for what an editor does in a row, and again when told to", async () => {
    await run(["list", "--json"]);
    await run(["list-extensions", "--json"]);
    await run(["resolve", "sigit"], { WITH_INSTALLER: "1" });
    assert.equal(server.requests.length, 1);
    await run(["list", "--refresh"]);
    assert.equal(server.requests.length, 2);
  });

  it("tells of an agent what is on this machine, what is installed and what choosing it takes, and starts nothing", async () => {
    const bin = join(folder, "path");
    mkdirSync(bin);
    writeFileSync(join(bin, "gemini"), `#!/bin/sh\ntouch "${join(folder, "was-run")}"\n`, { mode: 0o755 });
    writeFileSync(join(bin, "package.json"), JSON.stringify({ version: "2.3.4", bin: { gemini: "gemini" } }));
    writeInstallation(folder, "codex", "bin");
    server.serve("/list", { agents: [] });
    const environment = { PATH: bin, HOME: folder, ANTHROPIC_API_KEY: "sk-not-to-be-shown" };
    const listed = answerOf(await run(["list", "--json"], environment)) as Record<string, unknown>[];
    const facts = Object.fromEntries(
      listed.map(({ id, program, programVersion, installed, missing, downloadMegabytes, signIn }) => {
        const told = { program, programVersion, installed, missing, downloadMegabytes, signIn };
        return [String(id), JSON.parse(JSON.stringify(told)) as unknown];
      }),
    );
    assert.deepEqual(facts, {
      "claude-code": { downloadMegabytes: 80, signIn: "ANTHROPIC_API_KEY is set" },
      "gemini-cli": { program: join(bin, "gemini"), programVersion: "2.3.4" },
      codex: { downloadMegabytes: 175, installed: "1.0.0" },
      "kiro-cli": { missing: "kiro-cli-chat" },
      eliza: {},
    });
    assert.equal(existsSync(join(folder, "was-run")), false);
  });

  it("fetches the agents' icons once, from where the list is, and gives them by id", async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h4" fill="currentColor"/></svg>`;
    server.answer("/good.svg", (_request, response) => response.end(svg));
    server.answer("/bad.svg", (_request, response) => response.end(svg.replace("<path", "<script/><path")));
    const agent = (id: string, icon: string) => ({ id, icon, distribution: { npx: { package: id } } });
    const elsewhere = "https://elsewhere.invalid/icon.svg";
    const agents = [
      agent("good", server.address("/good.svg")),
      agent("bad", server.address("/bad.svg")),
      agent("lost", server.address("/lost.svg")),
      agent("else", elsewhere),
    ];
    server.serve("/list", { agents });
    assert.deepEqual(answerOf(await run(["icons"])), { good: svg });
    const asked = server.requests.toSorted();
    assert.deepEqual(answerOf(await run(["icons", "--offline"])), { good: svg });
    assert.deepEqual(asked, ["GET /bad.svg", "GET /good.svg", "GET /list", "GET /lost.svg"]);
    assert.equal(server.requests.length, 4);
  });

  it("lists offline what was kept last, and asks nobody", async () => {
    await run(["list", "--json"]);
    const kept = answerOf(await run(["list", "--offline", "--json"])) as unknown[];
    rmSync(join(folder, "cache"), { recursive: true });
    const none = answerOf(await run(["list", "--offline", "--json"])) as unknown[];
    assert.deepEqual([kept.length, none.length], [41, 5]);
    assert.deepEqual(server.requests, ["GET /list"]);
  });

  it("lists what was kept, the built-in and the configured when nothing answers, and says so on stderr", async () => {
    await run(["list", "--json"]);
    server.answer("/list", (request) => request.socket.destroy());
    const kept = await run(["list", "--refresh", "--json"]);
    assert.equal((JSON.parse(kept.stdout) as unknown[]).length, 41);
    assert.match(kept.stderr, /^registry: Can't fetch .*\nregistry: using the list from less than a minute ago\.\n$/);
    rmSync(join(folder, "cache"), { recursive: true });
    const none = await run(["list", "--json"]);
    assert.deepEqual(
      (JSON.parse(none.stdout) as { id: string }[]).map(({ id }) => id),
      ["claude-code", "gemini-cli", "codex", "kiro-cli", "eliza"],
    );
    assert.equal(none.code, 0);
  });

  it("lists published, separately published and configured extensions", async () => {
    const npx = { npx: { package: "x" } };
    server.serve("/list", { agents: [], extensions: [{ id: "shared", version: "2", distribution: npx }] });
    server.serve("/extensions", { extensions: [{ id: "separate", description: "Alone", distribution: npx }] });
    configure({
      extensionRegistryUrl: server.address("/extensions"),
      proxies: [{ name: "own", distribution: { local: { command: "own-proxy" } } }],
    });
    const listed = answerOf(await run(["list-extensions", "--json"])) as { id: string }[];
    assert.deepEqual(
      listed.filter(({ id }) => ["own", "separate", "shared"].includes(id)),
      [
        { id: "own", name: "own", origin: "custom" },
        { id: "separate", name: "separate", description: "Alone", origin: "registry" },
        { id: "shared", name: "shared", version: "2", origin: "registry" },
      ],
    );
    assert.deepEqual(answerOf(await run(["resolve-extension", "own"])), {
      name: "own",
      command: "own-proxy",
      args: [],
      env: [],
    });
  });

  it("resolves what needs no installation to an McpServer", async () => {
    const local = { id: "x", name: "X", distribution: { local: { command: "p", args: ["a b"], env: { A: "1" } } } };
    assert.deepEqual(
      [
        answerOf(await run(["resolve-agent", JSON.stringify(local)])),
        answerOf(await run(["resolve", '{"command":"p"}'])),
        answerOf(await run(["resolve", "kiro-cli"])),
      ],
      [
        { name: "X", command: "p", args: ["a b"], env: [{ name: "A", value: "1" }] },
        { name: "p", command: "p", args: [], env: [] },
        { name: "Kiro CLI", command: "kiro-cli-chat", args: ["acp"], env: [] },
      ],
    );
    const eliza = answerOf(await run(["resolve-agent", "elizacp"])) as { command: string; args: string[] };
    assert.deepEqual([eliza.command, eliza.args.at(-1)], [process.execPath, "eliza"]);
  });

  it("has installed what has to be, and says how it starts", async () => {
    assert.deepEqual(answerOf(await run(["resolve-agent", "auggie"], { WITH_INSTALLER: "1" })), {
      name: "AUGGIE",
      command: "agent/auggie",
      args: ["--acp"],
      env: [{ name: "AUGMENT_DISABLE_AUTO_UPDATE", value: "1" }],
    });
    const extension = server.address("/extension.json");
    server.serve("/extension.json", { id: "e", distribution: { cargo: { crate: "e" } } });
    assert.deepEqual(answerOf(await run(["resolve-extension", extension], { WITH_INSTALLER: "1" })), {
      name: "e",
      command: "extension/e",
      args: [],
      env: [],
    });
  });

  const failures = [
    [["resolve", "nobody"], /^There is no agent "nobody"\. Known: claude-code, .*\n$/],
    [["resolve-extension", "nobody"], /^There is no extension "nobody"\./],
    [["resolve", "{"], /^The agent cannot be resolved\. A closing } is missing/],
    [["resolve", '{"id":"x","distribution":{"binary":{}}}'], /^x has no build for .*\. Available: none\./],
    [["resolve", ""], /^The agent cannot be resolved\. The text is empty\./],
    [
      ["resolve"],
      /^registry resolve: Missing required argument "WHAT"\. <WHAT> is an id, .*Run `symposium-acp-agent registry resolve --help`/,
    ],
    [["resolve", "a", "b"], /^registry resolve: Too many arguments\. Expected 1 argument but got 2\./],
    [["list", "a"], /^registry list: Too many arguments\./],
    [[], /^registry needs a subcommand: list, list-extensions, plan, /],
    [["lists"], /^registry: Unknown command "lists"\. Did you mean list\?/],
    [["toString"], /^registry: Unknown command "toString"\. Known: list, .*, remove, /],
    [["install"], /^registry install: Missing required argument "WHAT"\./],
    [["install", "nobody"], /^There is no agent or extension named "nobody"\. Known: claude-code, .*\n$/],
    [["install", "--extension", "auggie"], /^There is no extension "auggie"\./],
    [["install", '{"id":"../x","distribution":{"npx":{"package":"x"}}}'], /^"\.\.\/x" cannot be installed: /],
    [["update", "a", "b"], /^registry update: Too many arguments\./],
    [["update", ""], /^"" cannot be installed: its id isn't a valid folder name\./],
    [["update", "auggie"], /^auggie is not installed\. Run `symposium-acp-agent registry install auggie`\.\n$/],
    [["pin", "auggie"], /^registry pin: Missing required argument "VERSION"\./],
    [["pin", "auggie", "1"], /^auggie is not installed\. Run `symposium-acp-agent registry install auggie`\.\n$/],
    [["unpin", "auggie"], /^auggie is not installed\./],
    [["rollback", "auggie"], /^auggie is not installed\./],
    [["remove", "auggie"], /^auggie is not installed\. Run `symposium-acp-agent registry installed` for the list\.\n$/],
    [["remove", "../bin"], /^"\.\.\/bin" cannot be installed: its id isn't a valid folder name\.\n$/],
    [["list", "--wrong"], /--wrong/],
  ] as const;
  for (const [words, text] of failures) {
    it(`fails for "registry ${words.join(" ")}" with one line on stderr and nothing on stdout`, async () => {
      const { code, stdout, stderr } = await run(words);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, text);
      assert.equal(stderr.trim().split("\n").length, 1);
    });
  }

  it("lists and finds what is installed and in no list", async () => {
    const program = writeInstallation(folder, "theirs", "extensions");
    for (const id of ["own-agent", "gemini"]) writeInstallation(folder, id, "bin");
    const agents = answerOf(await run(["list", "--json"])) as { id: string }[];
    assert.deepEqual([agents.length, agents.at(-1)?.id], [42, "own-agent"]);
    const listed = answerOf(await run(["list-extensions", "--json"])) as unknown[];
    assert.deepEqual(listed.at(-1), {
      id: "theirs",
      name: "theirs",
      version: "1.0.0",
      description: "Installed",
      installed: "1.0.0",
    });
    assert.deepEqual(
      [
        answerOf(await run(["resolve-extension", "theirs"])),
        answerOf(await run(["plan", "theirs", "--extension", "--json"])),
      ],
      [
        { name: "theirs", command: process.execPath, args: [program, "a"], env: [] },
        { id: "theirs", name: "theirs", needsInstallation: false },
      ],
    );
  });

  it("works with a configuration that cannot be read, and says so", async () => {
    writeFileSync(join(folder, "config.jsonc"), "{");
    const { code, stdout, stderr } = await run(["resolve", "eliza"]);
    assert.deepEqual([code, (JSON.parse(stdout) as { name: string }).name], [0, "Eliza"]);
    assert.match(stderr, /config\.jsonc:\d+:\d+: .*\nUntil you fix it, Symposium ignores everything in this file\.\n$/);
    assert.equal(existsSync(join(folder, "cache")), false);
  });

  it("says what starting something would need, and installs nothing", async () => {
    const inline = JSON.stringify({
      id: "mine",
      name: "Mine",
      distribution: { cargo: { crate: "mine", version: "1.2.3" } },
    });
    const needed = await run(["plan", inline, "--json"]);
    assert.equal(needed.stderr, "");
    assert.deepEqual(JSON.parse(needed.stdout), {
      id: "mine",
      name: "Mine",
      needsInstallation: true,
      what: "the Rust crate mine 1.2.3",
      size: "of unknown size",
    });
    const known = await run(["plan", "claude-code", "--offline", "--json"]);
    assert.deepEqual(JSON.parse(known.stdout), {
      id: "claude-code",
      name: "Claude Code",
      needsInstallation: true,
      what: "the npm package @agentclientprotocol/claude-agent-acp",
      size: "about 80 MB with dependencies",
      bytes: 80_000_000,
    });
    server.answer("/agent.tar.gz", (_, response) => response.writeHead(200, { "content-length": 1234 }).end());
    const archive = server.address("/agent.tar.gz");
    const target = { archive, cmd: "./agent" };
    const platforms = ["linux-x86_64", "linux-aarch64", "darwin-x86_64", "darwin-aarch64", "windows-x86_64"];
    const binary = Object.fromEntries(platforms.map((platform) => [platform, target]));
    const packed = await run([
      "plan",
      JSON.stringify({ id: "packed", version: "1.0.0", distribution: { binary } }),
      "--json",
    ]);
    assert.deepEqual(JSON.parse(packed.stdout), {
      id: "packed",
      name: "packed",
      needsInstallation: true,
      what: `the program at ${archive}`,
      size: "1.2 kB",
      bytes: 1234,
    });
    const local = JSON.stringify({ id: "here", distribution: { local: { command: process.execPath } } });
    const ready = await run(["plan", local, "--json"]);
    assert.deepEqual(JSON.parse(ready.stdout), { id: "here", name: "here", needsInstallation: false });
    assert.deepEqual(readdirSync(folder).sort(), ["config.jsonc"]);
  });
});
