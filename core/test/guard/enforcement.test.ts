import assert from "node:assert/strict";
import { agentTable } from "../../src/agents/registry/agent-table.js";
import type { ProtectionLevel } from "../../src/base/safety/protection-level.js";
import { enforcementOf, type Enforcer } from "../../src/guard/enforcement.js";
import { type GuardRule, parseGuardFile } from "../../src/guard/guard-rule.js";

const { rules } = parseGuardFile(
  JSON.stringify({
    rules: [
      { effect: "deny", command: ["git push", "git push --force"] },
      { effect: "ask", command: "npm publish" },
      { effect: "deny", read: ["~/.ssh/id_rsa", "secrets/"] },
      { effect: "deny", write: "/.github/" },
      { effect: "deny", host: "evil.test" },
      { effect: "deny", mcp: "github/delete_repo" },
      { effect: "allow", command: "npm test" },
    ],
  }),
  { file: "/g", isOfProject: false },
);

function enforcers(
  id: string,
  level: ProtectionLevel = "rules",
  of: readonly GuardRule[] = rules,
): readonly Enforcer[] {
  const row = agentTable.find((one) => one.id === id);
  return enforcementOf(of, { level, row, isGivenAtStart: () => true, isWindows: false }).map(({ by }) => by);
}

describe("what enforces a rule", () => {
  it("differs between the agents", () => {
    const always = ["gate", "requests"] as const;
    assert.deepEqual(
      Object.fromEntries(agentTable.flatMap(({ id, nativeRules }) => (nativeRules ? [[id, enforcers(id)]] : []))),
      {
        "claude-code": ["agent", "requests", "requests", "agent", "agent", "agent", "agent", ...always],
        "gemini-cli": ["agent", "requests", "requests", "nothing", "nothing", "requests", "nothing", ...always],
        codex: ["agent", "agent", "nothing", "nothing", "nothing", "nothing", "nothing", ...always],
        opencode: ["agent", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing", ...always],
        "qwen-code": ["agent", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing", ...always],
        "github-copilot": ["agent", "requests", "requests", "nothing", "nothing", "requests", "nothing", ...always],
      },
    );
    assert.deepEqual(enforcers("unknown").slice(0, 2), ["requests", "requests"]);
  });

  it("is the sandbox for hosts and hidden folders, and nothing without protection", () => {
    assert.deepEqual(enforcers("opencode", "sandbox"), [
      ...["agent", "nothing", "nothing", "sandbox", "nothing", "nothing", "sandbox"],
      ...["gate", "requests"],
    ]);
    assert.deepEqual(new Set(enforcers("claude-code", "off")), new Set(["nothing"]));
  });

  it("isn't the agent itself for a rule that the agent doesn't get at its start", () => {
    const [rule] = rules;
    assert.ok(rule);
    const of = (id: string): unknown =>
      enforcementOf([rule], {
        level: "rules",
        row: agentTable.find((one) => one.id === id),
        isGivenAtStart: () => false,
        isWindows: false,
      })[0]?.by;
    assert.deepEqual(["claude-code", "codex", "gemini-cli"].map(of), ["agent", "nothing", "requests"]);
  });
});
