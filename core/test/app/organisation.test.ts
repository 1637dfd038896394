import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { findAgentCommand, readAgentText } from "../../src/agents/node/find-agent.js";
import { MergedCatalogues } from "../../src/agents/registry/node/merged-catalogues.js";
import { assertAgentAllowed, organisationLimits } from "../../src/app/organisation.js";
import { proxiesOfConfig, proxiesOfTexts, toAgent } from "../../src/app/components.js";
import { conversationSettings } from "../../src/app/recorded-conversations.js";
import type { Environment } from "../../src/app/environment.js";
import { canBypass } from "../../src/base/acp/must-ask.js";
import { Logger } from "../../src/base/logger.js";
import { messageOf, SymposiumError } from "../../src/base/symposium-error.js";
import { Notification } from "../../src/base/rpc/message.js";
import { nobody } from "../../src/base/rpc/peer.js";
import type { ProtectionLevel } from "../../src/base/safety/protection-level.js";
import { serverAccess } from "../../src/context/servers/node/secrets-and-sign-in.js";
import type { GuardedCall } from "../../src/guard/decision.js";
import { readTarget } from "../../src/guard/network/target.js";
import { HostGate } from "../../src/guard/network/host-gate.js";
import { saveLevel } from "../../src/guard/node/guard-edit.js";
import { GuardFiles } from "../../src/guard/node/guard-rule-files.js";
import { judgedCall } from "../../src/guard/node/guard-request.js";
import { ProtectionLevels } from "../../src/guard/node/protection-levels.js";
import { RunningProtection } from "../../src/guard/node/running-protection.js";
import { systemPolicy, usePolicyFolder } from "../../src/settings/managed-policy/node/system-policy.js";
import { tightened } from "../../src/settings/managed-policy/managed-policy.js";
import { parseMcpServers } from "../../src/settings/mcp-servers.js";
import { defaultSettings } from "../../src/settings/settings-table.js";
import { onStage, PlayedAgent, type Stage } from "../conductor/chain/chain-fixture.js";

const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

function digestOf(...words: readonly string[]): string {
  return createHash("sha256")
    .update(words.map((word) => `${word}\0`).join(""))
    .digest("hex");
}

const policy = `{
  "allowedAgents": ["codex", "/opt/acme/agent"],
  "allowedRegistries": ["https://agents.example.com/*"],
  "allowedMcpServers": [{ "sha256": "${digestOf("node", "/opt/acme/server.js")}" }, { "url": "https://mcp.example.com/*" }],
  "allowedExtensions": ["cargo"],
  "allowedHosts": ["api.example.com"],
  "lowestProtection": "rules",
  "rules": [
    { "effect": "deny", "command": "git push", "reason": "CI pushes." },
    { "effect": "ask", "write": "~/.npmrc" }
  ],
  "bypassPermissions": false,
  "conversations": { "days": 30 }
}`;

const modes = {
  currentModeId: "default",
  availableModes: [
    { id: "default", name: "Default" },
    { id: "bypassPermissions", name: "Bypass" },
  ],
};

describe("an organisation's policy", () => {
  let root = "";
  let config = "";
  let project = "";
  let using: Disposable | undefined;
  const before = process.env["SYMPOSIUM_CONFIG_DIR"];
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "organisation-")));
    [config, project] = [join(root, "config"), join(root, "project")];
    await Promise.all(
      [config, join(project, ".symposium"), join(project, ".git")].map((one) => mkdir(one, { recursive: true })),
    );
    await writePolicy("policy.jsonc", policy);
    process.env["SYMPOSIUM_CONFIG_DIR"] = config;
    using = usePolicyFolder(join(root, "etc"), [0, process.getuid?.() ?? 0]);
  });
  afterEach(async () => {
    using?.[Symbol.dispose]();
    if (before === undefined) delete process.env["SYMPOSIUM_CONFIG_DIR"];
    else process.env["SYMPOSIUM_CONFIG_DIR"] = before;
    await rm(root, { recursive: true });
  });

  async function writePolicy(name: string, text: string): Promise<void> {
    await mkdir(join(root, "etc", "policy.d"), { recursive: true, mode: 0o755 });
    await writeFile(join(root, "etc", name), text, { mode: 0o644 });
  }

  /** Resolves with true if the attempt fails with the organisation's refusal. */
  async function refuses(attempt: Promise<unknown>): Promise<boolean> {
    const error = await attempt.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof SymposiumError)) return false;
    assert.match(messageOf(error), /set by your organisation \(.*policy\.jsonc\)/);
    return error.code === "forbidden-by-policy";
  }

  const agent = async (text: string): Promise<boolean> =>
    refuses(findAgentCommand(readAgentText(text)).then(assertAgentAllowed));
  const process_ = (command: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    refuses(assertAgentAllowed({ kind: "process", name: "codex", command: { command, args, env } }));

  const codex = { kind: "process", name: "codex", command: { command: "codex-acp", args: [], env: {} } } as const;
  async function levelWith(
    usual: ProtectionLevel,
    { guard, isFixed = false }: { guard?: string; isFixed?: boolean } = {},
  ): Promise<boolean> {
    if (guard !== undefined) await writeFile(join(config, "guard.jsonc"), guard);
    return (await RunningProtection.open({ usual, isFixed })).start(codex) === "rules";
  }

  async function effectWith(
    file: string | undefined,
    rules: unknown,
    call: Partial<GuardedCall>,
  ): Promise<string | undefined> {
    if (file !== undefined) await writeFile(file, typeof rules === "string" ? rules : JSON.stringify({ rules }));
    const found = await new GuardFiles(process.env["SYMPOSIUM_CONFIG_DIR"] ?? "").rulesFor(project, () => true);
    const whole = { kind: "execute", rawInput: {}, locations: [], ...call };
    return (await judgedCall(found.rules, whole, { roots: [project], home: homedir() })).decision?.effect;
  }
  const push = { rawInput: { command: "git push origin main" } };
  const guardOfUser = (): string => join(config, "guard.jsonc");
  const guardOfProject = (): string => join(project, ".symposium", "guard.jsonc");

  async function hostWith(host: string, rules: readonly object[]): Promise<boolean> {
    await writeFile(guardOfUser(), JSON.stringify({ rules }));
    const gate = new HostGate({
      hosts: { needed: [host], refused: [] },
      rules: () => new GuardFiles(config).rulesFor(project),
      registries: () => Promise.resolve([]),
      ask: () => Promise.resolve({ choice: "always", session: "s" }),
      save: () => Promise.resolve(),
      record: () => undefined,
      isOwnAddress: () => false,
    });
    return !(await gate.admit(readTarget(host, 443) ?? assert.fail())).isAllowed;
  }

  async function server(entry: object, kind: "user" | "project" | "editor" = "user"): Promise<boolean> {
    const { servers } = parseMcpServers({ known: entry }, { kind });
    const [one] = servers;
    assert.ok(one);
    const access = serverAccess({ logger: Logger.silent, learn: () => undefined, signedIn: () => undefined });
    const session = { cwd: project, roots: [project], client: nobody, clientCapabilities: {}, sessionId: undefined };
    return refuses(access.expand(one, { ...session, signal: new AbortController().signal }));
  }

  const environment = { logger: Logger.silent } as Environment;

  async function withAgent(
    body: (stage: Stage, played: PlayedAgent) => Promise<boolean>,
    opened: Readonly<Record<string, unknown>> = { modes },
  ): Promise<boolean> {
    const played = new PlayedAgent({
      initialize: { protocolVersion: 1, agentInfo: { name: "played", version: "1" } },
      "session/new": () => ({ sessionId: "s", ...opened }),
      "session/set_mode": () => ({}),
      "session/set_config_option": () => ({ configOptions: [] }),
    });
    const found = await systemPolicy();
    assert.ok(found);
    const { servers, modes: kept } = await organisationLimits(found);
    const lastProxies = [servers, kept].flatMap((one) => one ?? []);
    let isRefused = false;
    await onStage({ agent: played, conductor: { lastProxies } }, async (stage) => {
      await stage.initialize();
      isRefused = await body(stage, played);
    });
    return isRefused;
  }

  const open = { cwd: "/", mcpServers: [] };
  const modesSet = (played: PlayedAgent): readonly unknown[] =>
    played.peer.received.flatMap(({ method, params }) =>
      method === "session/set_mode" ? [params?.object?.["modeId"]] : [],
    );

  const attempts: Readonly<Record<string, () => Promise<boolean>>> = {
    "the user chooses another agent": () => agent("gemini --acp"),
    "the user gives another program an allowed agent's name": () =>
      agent('{ "name": "codex", "command": "/tmp/evil", "args": [] }'),
    "the user names another program like an allowed agent's": () => process_("/tmp/codex-acp"),
    "the user leaves an allowed program's folder": () => process_("/opt/acme/../evil/agent"),
    "the user runs another package with npx": () => process_("npx", ["-y", "evil-acp"]),
    "the user starts a program with an allowed package as its argument": () =>
      process_("node", ["/tmp/evil.js", "@agentclientprotocol/codex-acp"]),
    "the user runs another package with an allowed package as its argument": () =>
      process_("npx", ["-y", "evil-acp", "@agentclientprotocol/codex-acp"]),
    "the user starts a program with an installed agent's file as its argument": () =>
      process_("node", ["/tmp/evil.js", join(config, "bin", "codex", "main.js")]),
    "the user loads a program before an installed agent": () =>
      process_("node", ["--require", "/tmp/evil.js", join(config, "bin", "codex", "main.js")]),
    "the project sets another agent": async () => refuses(toAgent(readAgentText("evil --acp"), environment)),
    "the editor starts Eliza": () => refuses(assertAgentAllowed("eliza")),
    "the user starts an agent with --yolo": () => process_("codex-acp", ["--yolo"]),
    "the editor's agent entry turns permissions off with a variable": () =>
      process_("codex-acp", [], { CODEX_CONFIG: '{"approval_policy":"never"}' }),
    "the environment turns permissions off": async () => {
      process.env["COPILOT_ALLOW_ALL"] = "1";
      const isRefused = await process_("codex-acp");
      delete process.env["COPILOT_ALLOW_ALL"];
      return isRefused;
    },
    "the user sets the level off in config.jsonc": () => levelWith("off"),
    "the user sets all agents off in guard.jsonc": () => levelWith("rules", { guard: '{ "agents": { "*": "off" } }' }),
    "the user sets an agent off in guard.jsonc": () =>
      levelWith("rules", { guard: '{ "agents": { "codex": "off" } }' }),
    "the editor passes --guard off": () => levelWith("off", { isFixed: true }),
    "the user runs `guard level` or `/symposium:guard off`": () => refuses(saveLevel(config, "codex", "off")),
    "the user allows a denied command": async () =>
      (await effectWith(guardOfUser(), [{ effect: "allow", command: "git push" }], push)) === "deny",
    "the user allows a denied command exactly": async () =>
      (await effectWith(guardOfUser(), [{ effect: "allow", command: "git push origin main", exact: true }], push)) ===
      "deny",
    "the user allows all commands": async () =>
      (await effectWith(guardOfUser(), [{ effect: "allow", command: "*" }], { rawInput: { command: "ls" } })) ===
      undefined,
    "the user allows a file that must be asked about": async () => {
      const file = join(homedir(), ".npmrc");
      const call = { kind: "edit", locations: [file] };
      return (await effectWith(guardOfUser(), [{ effect: "allow", write: "~/.npmrc" }], call)) === "ask";
    },
    "the project allows a denied command": async () =>
      (await effectWith(guardOfProject(), [{ effect: "allow", command: "git push" }], push)) === "deny",
    "the user's rules are broken": async () => (await effectWith(guardOfUser(), "{ broken", push)) === "deny",
    "the environment moves the configuration": async () => {
      process.env["SYMPOSIUM_CONFIG_DIR"] = join(root, "elsewhere");
      return (await effectWith(undefined, [], push)) === "deny";
    },
    "the user allows another host": () => hostWith("evil.test", [{ effect: "allow", host: "evil.test" }]),
    "the agent needs another host, and the user answers always": () => hostWith("evil.test", []),
    "the user allows an address": () => hostWith("10.0.0.1", [{ effect: "allow", host: "10.0.0.1" }]),
    "the user adds another MCP server": () => server({ command: "npx", args: ["-y", "evil"] }),
    "the user adds an argument to an allowed MCP server": () =>
      server({ command: "node", args: ["/opt/acme/server.js", "--all"] }),
    "the user injects code into an allowed MCP server": () =>
      server({ command: "node", args: ["/opt/acme/server.js"], env: { NODE_OPTIONS: "--require /tmp/evil.js" } }),
    "the project adds a server at another address": () =>
      server({ url: "https://mcp.example.com.evil.test/x" }, "project"),
    "the editor's settings add an MCP server": () => server({ url: "http://mcp.example.com/x" }, "editor"),
    "the editor sends MCP servers with a session": () =>
      withAgent(async (stage, played) => {
        const mcpServers = [
          { name: "evil", command: "npx", args: ["evil"], env: [] },
          { name: "good", command: "node", args: ["/opt/acme/server.js"], env: [] },
          { type: "http", name: "web", url: "https://evil.test/", headers: [] },
        ];
        await stage.result("session/new", { ...open, mcpServers });
        const sent = played.peer.received.find(({ method }) => method === "session/new")?.params?.object?.[
          "mcpServers"
        ];
        return JSON.stringify(sent) === JSON.stringify([mcpServers[1]]);
      }),
    "the user enables another extension": async () =>
      (await proxiesOfConfig([{ name: "tests", enabled: true, required: true }], environment)).length === 0,
    "the editor gives a program an allowed extension's name": async () =>
      (await proxiesOfTexts(['{ "name": "cargo", "command": "/tmp/evil", "args": [] }'], environment)).length === 0,
    "the user sets another registry": async () => {
      const settings = tightened(await systemPolicy(), {
        ...defaultSettings,
        registryUrl: "https://evil.test/list.json",
      });
      return [settings.registryUrl, settings.registryFallbackUrl, settings.recommendationsUrl].join("") === "";
    },
    "the user installs an agent from an address": () =>
      refuses(
        new MergedCatalogues({
          sources: [],
          builtIn: { agent: [], extension: [] },
          custom: { agent: [], extension: [] },
        }).find("agent", "https://evil.test/agent.json"),
      ),
    "the user keeps conversations longer": async () => {
      await writeFile(join(config, "config.jsonc"), '{ "conversations": { "days": 365 } }');
      return (await conversationSettings(Logger.silent)).days === 30;
    },
    "the editor chooses a mode that doesn't ask": () =>
      withAgent(async (stage) => {
        await stage.result("session/new", open);
        const { isError, json } = await stage.ask("session/set_mode", { sessionId: "s", modeId: "bypassPermissions" });
        return isError && json.text.includes("set by your organisation");
      }),
    "the editor chooses an option that doesn't ask": () =>
      withAgent(async (stage) => {
        await stage.result("session/new", open);
        return (await stage.ask("session/set_config_option", { sessionId: "s", configId: "mode", value: "yolo" }))
          .isError;
      }),
    "the agent's own settings start it in such a mode": () =>
      withAgent(
        async (stage, played) => {
          const result = JSON.stringify(await stage.result("session/new", open));
          return modesSet(played).join("") === "default" && !result.includes("bypass");
        },
        { modes: { ...modes, currentModeId: "bypassPermissions" } },
      ),
    "the agent has only such a mode": () =>
      withAgent(async (stage) => (await stage.ask("session/new", open)).isError, {
        configOptions: [
          { id: "mode", category: "mode", currentValue: "yolo", options: [{ value: "yolo", name: "YOLO" }] },
        ],
      }),
    "the agent changes to such a mode itself": () =>
      withAgent(async (stage, played) => {
        await stage.result("session/new", open);
        const update = { sessionUpdate: "current_mode_update", currentModeId: "bypassPermissions" };
        played.client.notify(Notification.of("session/update", { sessionId: "s", update }));
        await stage.ask("session/set_mode", { sessionId: "s", modeId: "default" });
        return modesSet(played).length === 2;
      }),
    "the editor's setting bypasses permissions": () =>
      withAgent(async (stage, played) => {
        await stage.result("session/new", open);
        const toolCall = { toolCallId: "c", title: "Do it", kind: "execute", rawInput: { command: "ls" } };
        await played.ask("session/request_permission", { sessionId: "s", toolCall, options });
        const asked = stage.client.received.find(({ method }) => method === "session/request_permission");
        return asked !== undefined && !canBypass(asked.params?.object);
      }),
    "the agent offers such a mode as an answer": () =>
      withAgent(async (stage, played) => {
        await stage.result("session/new", open);
        const bypass = { optionId: "bypassPermissions", name: "Yes, and bypass permissions", kind: "allow_always" };
        const toolCall = { toolCallId: "c", title: "Leave the plan mode", kind: "switch_mode" };
        await played.ask("session/request_permission", { sessionId: "s", toolCall, options: [bypass, ...options] });
        const asked = stage.client.received.find(({ method }) => method === "session/request_permission");
        return JSON.stringify(asked?.params?.object?.["options"]) === JSON.stringify(options);
      }),
    "a later drop-in allows more": async () => {
      await writePolicy("policy.d/99.jsonc", '{ "allowedAgents": ["gemini", "codex"], "lowestProtection": "off" }');
      using?.[Symbol.dispose]();
      using = usePolicyFolder(join(root, "etc"), [0, process.getuid?.() ?? 0]);
      return (await process_("gemini", ["--acp"])) && (await levelWith("off"));
    },
  };

  for (const [attempt, isRefused] of Object.entries(attempts)) {
    it(`stays in effect if ${attempt}`, async () => assert.equal(await isRefused(), true));
  }

  it("leaves what it allows alone", async () => {
    const installed = join(config, "bin", "codex", "main.js");
    assert.equal(await process_("npx", ["-y", "@agentclientprotocol/codex-acp@1.0.0"]), false);
    assert.equal(await process_("node", [installed]), false);
    assert.equal(await process_("node", ["--require", join(config, "bin", "codex", "preload.js"), installed]), false);
    assert.deepEqual(
      [
        await process_("codex-acp"),
        await process_("/opt/acme/agent"),
        await levelWith("sandbox"),
        await server({ command: "node", args: ["/opt/acme/server.js"], env: { TOKEN: "x" } }),
        await server({ url: "https://mcp.example.com/x" }),
        await hostWith("api.example.com", [{ effect: "allow", host: "api.example.com" }]),
      ],
      [false, false, false, false, false, false],
    );
    assert.equal(
      await effectWith(guardOfUser(), [{ effect: "allow", command: "npm test" }], {
        rawInput: { command: "npm test" },
      }),
      "allow",
    );
    assert.equal((await ProtectionLevels.read("sandbox")).of(codex), "sandbox");
  });

  it("names its file as the place of its rules", async () => {
    const { rules } = await new GuardFiles(config).rulesFor(project);
    assert.deepEqual(
      rules.map(({ effect, subject, place }) => [effect, subject, place.slice(root.length)]),
      [
        ["deny", "command", "/etc/policy.jsonc:9"],
        ["ask", "write", "/etc/policy.jsonc:10"],
        ["deny", "host", "/etc/policy.jsonc"],
      ],
    );
  });
});
