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
    assert.equal(summary, "Codex and all that works for it run in a sandbox.");
    const text = Object.fromEntries(parts.map((part) => [part.title, part.text]));
    assert.match(text["Files"] ?? "", /read and change ~\/app, and its own sessions and sign-in \(~\/\.codex\)/);
    assert.match(text["Files"] ?? "", /You are asked each time about write \/\.github\.$/);
    assert.match(text["Hosts"] ?? "", /api\.openai\.com.*You are asked about every other host\. Rules allow docs\.exa/);
    assert.match(text["Commands"] ?? "", /run in the sandbox, too.* Rules refuse git push\.$/);
    assert.equal(text["Budgets"], "It is stopped, and you are asked, at 5 US dollars in this session.");
  });

  it("says that rules alone hold back no program, and that an agent without its sandbox is not started", () => {
    assert.match(plainWords({ ...facts, level: "rules", row }).summary, /run as you do, and reach what you reach/);
    assert.match(plainWords({ ...facts, level: "off", row }).summary, /your rules and budgets are off for it/);
    const missing = { reason: "bubblewrap is not installed", remedy: "Install it." };
    const none = plainWords({ ...facts, level: "sandbox", row, missing });
    assert.match(none.summary, /is not started, since there is none here: bubblewrap is not installed\. Install it\.$/);
    assert.deepEqual(none.parts, []);
  });

  it("promises nothing", () => {
    for (const level of ["rules", "sandbox", "off"] as const) {
      const said = JSON.stringify(plainWords({ ...facts, level, row }));
      assert.doesNotMatch(said, /\b(?:safe|secure|cannot|never|impossible|guarantee)/i);
    }
  });
});
