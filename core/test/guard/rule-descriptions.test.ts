import assert from "node:assert/strict";
import { parseGuardFile } from "../../src/guard/guard-rule.js";
import { plainWords } from "../../src/guard/rule-descriptions.js";
import { agentTable } from "../../src/agents/registry/agent-table.js";

const { rules, budgets } = parseGuardFile(
  JSON.stringify({
    rules: [
      { effect: "deny", command: "git push" },
      { effect: "ask", write: "/.github" },
      { effect: "allow", host: "docs.example" },
    ],
    budgets: { session: { dollars: 5 } },
  }),
  { file: "guard.jsonc", isOfProject: false },
);
const facts = { name: "Codex", isBuiltIn: false, folder: "~/app", rules, budgets, missing: undefined };
const row = agentTable.find(({ id }) => id === "codex");

describe("what an agent may do, in plain words", () => {
  it("says what a sandbox opens, what rules say besides, and where the agent is stopped", () => {
    const { summary, parts } = plainWords({ ...facts, level: "sandbox", row });
    assert.equal(summary, "Codex and its programs run in a sandbox.");
    const text = Object.fromEntries(parts.map((part) => [part.title, part.text]));
    assert.match(text["Files"] ?? "", /read and change ~\/app, and its own sessions and sign-in \(~\/\.codex\)/);
    assert.match(text["Files"] ?? "", /Rules always ask about write \/\.github\.$/);
    assert.match(
      text["Hosts"] ?? "",
      /api\.openai\.com.*Symposium asks you about every other host\. Rules allow docs\.exa/,
    );
    assert.match(text["Commands"] ?? "", /run in the sandbox.* Rules deny git push\.$/);
    assert.equal(text["Budgets"], "Symposium stops it and asks you at 5 US dollars in this session.");
  });

  it("says that rules alone hold back no program, and that an agent without its sandbox is not started", () => {
    assert.match(plainWords({ ...facts, level: "rules", row }).summary, /run with your permissions, outside a sandbox/);
    assert.match(plainWords({ ...facts, level: "off", row }).summary, /your rules and budgets don't apply to it/);
    const missing = { reason: "bubblewrap is not installed", remedy: "Install it." };
    const none = plainWords({ ...facts, level: "sandbox", row, missing });
    assert.match(
      none.summary,
      /is set to run in a sandbox, and this machine has none: bubblewrap is not installed\. Install it\.$/,
    );
    assert.deepEqual(none.parts, []);
  });

  it("promises nothing", () => {
    for (const level of ["rules", "sandbox", "off"] as const) {
      const said = JSON.stringify(plainWords({ ...facts, level, row }));
      assert.doesNotMatch(said, /\b(?:safe|secure|cannot|never|impossible|guarantee)/i);
    }
  });
});
