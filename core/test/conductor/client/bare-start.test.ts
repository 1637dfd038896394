import assert from "node:assert/strict";
import type { Command } from "../../../src/base/command.js";
import { bareStart } from "../../../src/agents/agent-quirks.js";

const folder = "/ours";

function start(words: string, env: Readonly<Record<string, string>> = {}, inherited: Record<string, string> = {}) {
  const [command = "", ...args] = words.split(" ");
  return bareStart({ command, args, env }, { inherited: (name) => inherited[name], folder, server: "vscode_tools" });
}

function json(command: Command | undefined, name: string): unknown {
  return JSON.parse(command?.env[name] ?? "null");
}

describe("the start of an agent without its own tools", () => {
  const agent = { mode: "primary", permission: { "*": "deny", "vscode_tools_*": "allow" } };

  it("gives OpenCode an agent of ours, and leaves what the user says in the same variable", () => {
    const given = `{ "model": "fake/m1", /* mine */ "agent": { "mine": { "mode": "all" } }, }`;
    const own = { model: "fake/m1", agent: { mine: { mode: "all" }, "symposium-editor-tools": agent } };
    const expected = { ...own, default_agent: "symposium-editor-tools" };
    const name = "OPENCODE_CONFIG_CONTENT";
    const starts = [
      start("opencode acp", { [name]: given, A: "1" }),
      start("opencode acp", {}, { [name]: given }),
      start("opencode acp", { [name]: given }, { [name]: "{}" }),
    ];
    assert.deepEqual(
      starts.map((found) => json(found?.command, name)),
      [expected, expected, expected],
    );
    assert.deepEqual([starts[0]?.command.args, starts[0]?.command.env["A"]], [["acp"], "1"]);
  });

  it("is left alone where the user's variable cannot be read", () => {
    for (const given of ["{", "[]", "7"]) {
      assert.equal(start("opencode acp", { OPENCODE_CONFIG_CONTENT: given }), undefined);
      assert.equal(start("codex-acp", {}, { CODEX_CONFIG: given }), undefined);
    }
  });

  it("gives Gemini CLI a policy in a file of ours, after the user's own arguments", () => {
    const found = start("gemini --acp -m fast");
    assert.deepEqual(found?.command.args, [
      "--acp",
      "-m",
      "fast",
      "--admin-policy=/ours/gemini-policy.toml",
      "--allowed-mcp-server-names=vscode_tools",
    ]);
    assert.equal(found.file?.path, "/ours/gemini-policy.toml");
    assert.match(found.file.content, /toolName = "\*"\ndecision = "deny"\npriority = 998\n[^]*mcpName = "\*"/);
  });

  it("switches off what Codex can do without, and has it ask for the rest", () => {
    const found = start("codex-acp", {
      CODEX_CONFIG: `{"model": "m1", "features": {"memories": true, "goals": true}}`,
    });
    const { features, ...others } = json(found?.command, "CODEX_CONFIG") as { features: Record<string, boolean> };
    assert.deepEqual(others, { model: "m1", web_search: "disabled" });
    const { memories, goals, shell_tool } = features;
    assert.deepEqual([memories, goals, shell_tool], [true, false, false]);
    assert.deepEqual([found?.command.env["INITIAL_AGENT_MODE"], found?.agent], ["read-only", { hasNoTools: false }]);
  });

  it("knows that Copilot says in its answers what it lacks", () => {
    const found = start("copilot --acp");
    assert.deepEqual(found?.command.args, ["--acp", "--available-tools=vscode_tools"]);
    const said = ["Info: Disabled tools: bash, vscode_tools-shout", "Info: Disabled tools: none of\nthem", "Hello."];
    assert.deepEqual(
      said.map((text) => found.agent.notice?.test(text)),
      [true, false, false],
    );
  });

  const known = [
    "opencode acp",
    "/opt/opencode/bin/opencode acp",
    "C:\\tools\\gemini.CMD --acp",
    "npx -y @google/gemini-cli --acp",
    "npx -y @google/gemini-cli@0.61.0 --acp",
    "/usr/bin/node /home/a/agents/gemini-cli/node_modules/@google/gemini-cli/bundle/gemini.js --acp",
    "qwen --acp",
    "bunx @qwen-code/qwen-code --acp",
  ];
  for (const words of known) {
    it(`is found for ${words}`, () => assert.notEqual(start(words), undefined));
  }

  const unknown = [
    "claude-agent-acp",
    "my-agent --model gemini",
    "node opencode/index.js",
    "npx -y @google/gemini-cli-core",
    "npx -y @github/copilot-language-server --acp",
    "opencode2 acp",
  ];
  for (const words of unknown) {
    it(`is not there for ${words}`, () => assert.equal(start(words), undefined));
  }
});
