import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { formatProblem } from "../../src/base/problem.js";
import {
  agentFault,
  commandFault,
  isBypass,
  levelFault,
  lowestLevel,
  type ManagedPolicy,
  registryFault,
  serverFault,
  telemetryLimits,
  tightened,
} from "../../src/settings/managed-policy/managed-policy.js";
import { parsePolicyFile, policySchema } from "../../src/settings/managed-policy/policy-file.js";
import { defaultSettings } from "../../src/settings/settings-table.js";

const schemaFile = new URL("../../../policy.schema.json", import.meta.url);

/** Returns the policy of the files, named a.jsonc, b.jsonc and so on. */
function policyOf(...texts: readonly string[]): ManagedPolicy {
  const files = texts.map((text, index) => {
    const { policy, problems } = parsePolicyFile(text, `/p/${"abc"[index] ?? ""}.jsonc`);
    assert.deepEqual(problems, []);
    assert.ok(policy);
    return policy;
  });
  return { files };
}

describe("a managed policy", () => {
  it("has a schema of the same definitions (UPDATE_GOLDEN=1 rewrites it)", () => {
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(schemaFile, `${JSON.stringify(policySchema(), null, 2)}\n`);
    assert.deepEqual(JSON.parse(readFileSync(schemaFile, "utf8")), policySchema());
  });

  it("is used only if every word of its file is understood, and names file and line otherwise", () => {
    const problemsOf = (text: string): readonly string[] => {
      const { policy, problems } = parsePolicyFile(text, "/p");
      assert.equal(policy, undefined, text);
      return problems.map((problem) => formatProblem(problem, "/p").split(" ")[0] ?? "");
    };
    const faulty = [
      '{\n "allowedAgent": [] }',
      '{\n "allowedAgents": "codex" }',
      '{\n "allowedRegistries": ["https://*/x"] }',
      '{\n "allowedRegistries": ["https://example.com"] }',
      '{\n "allowedMcpServers": [{ "sha256": "ab" }] }',
      '{\n "allowedMcpServers": [{}] }',
      '{\n "lowestProtection": "rule" }',
      '{\n "bypassPermissions": true }',
      '{\n "conversations": { "days": 0 } }',
      '{\n "conversations": { "keep": true } }',
      '{\n "telemetry": { "allowed": 1 } }',
      '{ "allowedAgents": [],\n "allowedAgents": ["codex"] }',
      '{\n "rules": [1] }',
      "[\n1",
    ];
    for (const text of faulty) assert.match(problemsOf(text)[0] ?? "", /^\/p:[12]:\d+:$/, text);
    assert.deepEqual(parsePolicyFile("", "/p").problems, []);
  });

  it("lets each file only tighten the others", () => {
    const policy = policyOf(
      '{ "allowedAgents": ["codex", "claude-code"], "lowestProtection": "sandbox", "conversations": { "days": 30 } }',
      '{ "allowedAgents": ["codex", "opencode"], "lowestProtection": "off", "conversations": { "days": 60 } }',
      '{ "telemetry": { "allowed": false, "endpoint": "https://a" } }',
    );
    const isAllowed = (id: string): boolean => agentFault(policy, { name: id, known: [id] }) === undefined;
    assert.deepEqual(["codex", "claude-code", "opencode"].map(isAllowed), [true, false, false]);
    assert.deepEqual(lowestLevel(policy), { level: "sandbox", file: "/p/a.jsonc" });
    const { guard, conversations } = tightened(policy, { ...defaultSettings, guard: "off" });
    assert.deepEqual([guard, conversations.days], ["sandbox", 30]);
    assert.deepEqual(telemetryLimits(policy), { allowed: false, endpoint: "https://a" });
  });

  it("leaves stricter settings of the user as they are", () => {
    const policy = policyOf('{ "lowestProtection": "rules", "conversations": { "days": 60 } }');
    const own = {
      ...defaultSettings,
      guard: "sandbox",
      conversations: { keep: false, days: 3, megabytes: 1 },
    } as const;
    assert.deepEqual(tightened(policy, own), own);
    assert.equal(tightened(undefined, own), own);
  });

  it("requires at least the level rules if it has rules, hosts or forbids to bypass permissions", () => {
    for (const text of ['{ "rules": [] }', '{ "allowedHosts": [] }', '{ "bypassPermissions": false }']) {
      assert.equal(lowestLevel(policyOf(text))?.level, "rules", text);
    }
    assert.equal(lowestLevel(policyOf('{ "allowedAgents": [] }')), undefined);
  });

  it("names the organisation and the file in each refusal", () => {
    const policy = policyOf('{ "allowedAgents": ["codex"], "lowestProtection": "sandbox" }');
    assert.deepEqual(agentFault(policy, { name: "mine", known: [] }), {
      kind: "problem",
      message: "The agent mine isn't allowed: set by your organisation (/p/a.jsonc).",
      hint: "Allowed: codex.",
    });
    assert.match(levelFault(policy, "rules")?.message ?? "", /"sandbox", set by your organisation \(\/p\/a\.jsonc\)/);
  });

  it("compares addresses with their scheme, host and path", () => {
    const policy = policyOf('{ "allowedRegistries": ["https://agents.example.com/v1/*", "https://*.corp.test/*"] }');
    const isAllowed = (address: string): boolean => registryFault(policy, address) === undefined;
    const allowed = [
      "https://agents.example.com/v1/list.json",
      "HTTPS://Agents.Example.com/v1/",
      "https://a.corp.test",
    ];
    const refused = [
      "http://agents.example.com/v1/x",
      "https://agents.example.com.evil.test/v1/x",
      "https://evil.test/?https://agents.example.com/v1/x",
      "https://evil.test@agents.example.com/v1/x",
      "https://agents.example.com@evil.test/v1/x",
      "https://evil.test\\@agents.example.com/v1/x",
      "https://agents.example.com/v1/../v2/x",
      "https://agents.example.com/v1/%2e%2e/v2/x",
      "https://agents.example.com:8443/v1/x",
      "https://corp.test/x",
      "https://evilcorp.test/x",
      "",
    ];
    assert.deepEqual([allowed.filter((one) => !isAllowed(one)), refused.filter(isAllowed)], [[], []]);
  });

  it("allows an MCP server by digest or address, and no variables that load other code", () => {
    const sha256 = "ab".repeat(32);
    const policy = policyOf(`{ "allowedMcpServers": [{ "sha256": "${sha256}" }, { "url": "https://mcp.test/*" }] }`);
    const isAllowed = (...[server]: [Parameters<typeof serverFault>[2]]): boolean =>
      serverFault(policy, "s", server) === undefined;
    assert.deepEqual(
      [
        isAllowed({ sha256, variables: ["TOKEN"] }),
        isAllowed({ url: "https://mcp.test/x" }),
        isAllowed({ sha256: "cd".repeat(32), variables: [] }),
        isAllowed({ sha256, variables: ["NODE_OPTIONS"] }),
        isAllowed({ sha256, variables: ["LD_PRELOAD"] }),
        isAllowed({ url: "https://other.test/x" }),
      ],
      [true, true, false, false, false, false],
    );
  });

  it("knows the modes, options and variables with which agents don't ask", () => {
    const modes = ["bypassPermissions", "yolo", "agent-full-access", "full-access", "allow-all"];
    assert.deepEqual(
      [modes.filter((mode) => !isBypass(mode)), ["default", "plan", "acceptEdits", "auto"].filter(isBypass)],
      [[], []],
    );
    const policy = policyOf('{ "bypassPermissions": false }');
    const isAllowed = (args: readonly string[], env: Readonly<Record<string, string>> = {}): boolean =>
      commandFault(policy, { name: "a", args, env }) === undefined;
    const refused = [
      isAllowed(["--yolo"]),
      isAllowed(["--approval-mode=yolo"]),
      isAllowed(["--dangerously-skip-permissions"]),
      isAllowed(["--allow-all-tools"]),
      isAllowed(["--permission-mode", "bypassPermissions"]),
      isAllowed([], { COPILOT_ALLOW_ALL: "1" }),
      isAllowed([], { CODEX_CONFIG: '{"approval_policy":"never"}' }),
      isAllowed([], { OPENCODE_CONFIG_CONTENT: '{"permission":"allow"}' }),
    ];
    assert.deepEqual(new Set(refused), new Set([false]));
    assert.equal(isAllowed(["acp"], { COPILOT_ALLOW_ALL: "0", PATH: "/bin" }), true);
  });
});
