import assert from "node:assert/strict";
import { denialsOf, rowNamed, sessionRulesOf, withDenials } from "../../src/guard/native-denials.js";
import { parseGuardFile } from "../../src/guard/guard-rule.js";
import { copilotRules, geminiRules, opencodeRules } from "../../src/agents/registry/native-rules.js";
import { Request } from "../../src/base/rpc/message.js";

const { rules } = parseGuardFile(
  JSON.stringify({
    rules: [
      { effect: "deny", command: ["git push", "curl", "git push --force", "npm run *", "a*b c d"] },
      { effect: "deny", read: [".env*", "~/.ssh", "/keys/x", "docs/secret"] },
      { effect: "deny", write: ["/ci/", "a.{b,c}"] },
      { effect: "deny", host: ["*.evil.example", "x.example:8443"] },
      { effect: "deny", mcp: ["github/delete_repo", "jira/*", "git*/x"] },
      { effect: "ask", command: "rm" },
      { effect: "allow", command: "ls" },
    ],
  }),
  { file: "g", isOfProject: false },
);
const denied = denialsOf(rules);
const claudeDeny = [
  "Bash(git push)",
  "Bash(git push *)",
  "Bash(curl)",
  "Bash(curl *)",
  "Bash(npm run)",
  "Bash(npm run *)",
  "Read(**/.env*)",
  "Read(~/.ssh)",
  "Read(./keys/x)",
  "Read(./docs/secret)",
  "Edit(./ci/)",
  "WebFetch(domain:*.evil.example)",
  "mcp__github__delete_repo",
  "mcp__jira",
];

describe("denials that agents take themselves", () => {
  const claude = sessionRulesOf(rowNamed("@agentclientprotocol/claude-agent-acp"));
  assert.ok(claude);
  const opened = (meta: object): unknown => {
    const request = Request.of("session/new", { cwd: "/w", mcpServers: [], _meta: meta });
    return withDenials(request, claude, rules).params?.value;
  };
  const withSettings = (managedSettings: object, more: object = {}): object => ({
    cwd: "/w",
    mcpServers: [],
    _meta: { claudeCode: { options: { ...more, managedSettings } } },
  });

  it("are no more than the rules deny: what an agent would read in another way is left to us", () => {
    assert.deepEqual(opened({}), withSettings({ permissions: { deny: claudeDeny } }));
    assert.deepEqual(copilotRules.kind === "arguments" && copilotRules.words(denied), [
      "--deny-tool=shell(git push)",
      "--deny-tool=shell(curl)",
      "--deny-tool=shell(npm run)",
    ]);
    const policy = geminiRules.kind === "file" ? geminiRules.content(denied) : "";
    assert.deepEqual(policy.match(/commandPrefix = .*/g), [
      'commandPrefix = "git push"',
      'commandPrefix = "curl"',
      'commandPrefix = "npm run"',
    ]);
  });

  it("stay whatever a client puts there, and so does what it denies itself", () => {
    const options = {
      model: "opus",
      managedSettings: { permissions: { deny: ["Bash(rm)"], allow: ["Bash"] }, sandbox: {} },
    };
    assert.deepEqual(
      opened({ claudeCode: { options } }),
      withSettings(
        { permissions: { deny: ["Bash(rm)", ...claudeDeny], allow: ["Bash"] }, sandbox: {} },
        { model: "opus" },
      ),
    );
    for (const odd of [null, "x", [], { claudeCode: [] }, { claudeCode: { options: "x" } }]) {
      const { _meta } = opened(odd as object) as { _meta: unknown };
      assert.deepEqual(_meta, { claudeCode: { options: { managedSettings: { permissions: { deny: claudeDeny } } } } });
    }
  });

  it("leave a request as it is where rules deny nothing", () => {
    const request = Request.of("session/new", { cwd: "/w" });
    assert.equal(
      withDenials(
        request,
        claude,
        rules.filter(({ effect }) => effect !== "deny"),
      ),
      request,
    );
  });

  it("stand behind the user's own permissions of OpenCode, where the last one counts", () => {
    assert.ok(opencodeRules.kind === "config");
    const { members } = opencodeRules;
    const patterns = ["git push", "git push *", "curl", "curl *", "npm run", "npm run *"];
    const bash = Object.fromEntries(patterns.map((pattern) => [pattern, "deny"]));
    assert.deepEqual(members({}, denied), { permission: { bash } });
    const given = { permission: { bash: { "curl *": "allow", "*": "allow" }, edit: "ask" } };
    const { permission } = members(given, denied) as { permission: { bash: object } };
    assert.deepEqual(Object.entries(permission.bash), [["*", "allow"], ...Object.entries(bash)]);
    assert.deepEqual(members({ permission: "allow" }, denied), { permission: { "*": "allow", bash } });
    assert.deepEqual(members({ permission: { bash: "ask" } }, denied), {
      permission: { bash: { "*": "ask", ...bash } },
    });
  });
});
