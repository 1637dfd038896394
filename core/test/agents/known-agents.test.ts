import assert from "node:assert/strict";
import { knownAgent, knownAgents } from "../../src/agents/known-agents.js";
import { parseComponentSpec } from "../../src/settings/component-spec.js";

function listed(...programs: string[]): unknown[] {
  return knownAgents((program) => programs.includes(program)).map(({ name, words, missing }) =>
    missing === undefined ? [name, words] : [name, words, `without ${missing}`],
  );
}

describe("knownAgents", () => {
  it("says of Claude Code which Node.js it needs before it is chosen", () => {
    const claude = knownAgents(() => false).find(({ id }) => id === "claude-code");
    assert.match(claude?.needs ?? "", /^Node\.js 22 or newer, and /);
  });

  it("runs the packages of the well-known agents with npx, and has Eliza last", () => {
    assert.deepEqual(listed("npx", "kiro-cli-chat"), [
      ["Claude Code", "npx -y @agentclientprotocol/claude-agent-acp"],
      ["Gemini CLI", "npx -y @google/gemini-cli --acp"],
      ["Codex", "npx -y @agentclientprotocol/codex-acp"],
      ["Kiro CLI", "kiro-cli-chat acp"],
      ["Eliza", "eliza"],
    ]);
  });

  it("keeps the well-known agents in the list and says what is missing where nothing is on PATH", () => {
    assert.deepEqual(listed(), [
      ["Claude Code", "npx -y @agentclientprotocol/claude-agent-acp", "without npx"],
      ["Gemini CLI", "npx -y @google/gemini-cli --acp", "without npx"],
      ["Codex", "npx -y @agentclientprotocol/codex-acp", "without npx"],
      ["Kiro CLI", "kiro-cli-chat acp", "without kiro-cli-chat"],
      ["Eliza", "eliza"],
    ]);
  });

  it("prefers programs that are on PATH and adds the agents it finds there", () => {
    const programs = ["claude-agent-acp", "gemini", "codex-acp", "kiro-cli-chat"];
    const found = ["opencode", "qwen", "copilot", "goose", "auggie", "cursor-agent"];
    assert.deepEqual(listed(...programs, ...found), [
      ["Claude Code", "claude-agent-acp"],
      ["Gemini CLI", "gemini --acp"],
      ["Codex", "codex-acp"],
      ["Kiro CLI", "kiro-cli-chat acp"],
      ["OpenCode", "opencode acp"],
      ["Qwen Code", "qwen --acp"],
      ["GitHub Copilot CLI", "copilot --acp"],
      ["Goose", "goose acp"],
      ["Auggie", "auggie --acp"],
      ["Cursor Agent", "cursor-agent acp"],
      ["Eliza", "eliza"],
    ]);
  });

  it("gives each its own id and name, and words that the configuration can read", () => {
    const agents = knownAgents(() => true);
    const names = agents.flatMap(({ id, name }) => (id === name.toLowerCase() ? [id] : [id, name.toLowerCase()]));
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(
      [...agents, ...knownAgents(() => false)].filter(({ words }) => parseComponentSpec(words).kind === "problem"),
      [],
    );
  });
});

describe("knownAgent", () => {
  for (const programs of [[], ["npx"], ["npx", "gemini", "opencode", "goose", "kiro-cli-chat"]]) {
    it(`is the one of the list, with ${programs.join(", ") || "nothing"} on PATH`, () => {
      const isOnPath = (program: string): boolean => programs.includes(program);
      const agents = knownAgents(isOnPath);
      const ids = [...knownAgents(() => true).map(({ id }) => id), "unheard-of"];
      assert.deepEqual(
        ids.map((id) => knownAgent(id, isOnPath)),
        ids.map((id) => agents.find((agent) => agent.id === id)),
      );
    });
  }

  it("looks for no program of another agent", () => {
    const looked = new Set<string>();
    const isOnPath = (program: string): boolean => looked.add(program).size < 0;
    knownAgent("gemini-cli", isOnPath);
    knownAgent("goose", isOnPath);
    knownAgent("eliza", isOnPath);
    assert.deepEqual([...looked], ["gemini", "npx", "goose"]);
  });
});
