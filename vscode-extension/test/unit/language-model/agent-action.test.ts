import assert from "node:assert/strict";
import {
  actionCard,
  actionLines,
  actionMarkdown,
  type AgentAction,
  questionOf,
} from "../../../src/features/language-model/agent-action.js";

async function markdown(action: AgentAction): Promise<string> {
  return actionMarkdown(await actionCard(action, "The agent", ["/project"]));
}

describe("what an agent wants to do", () => {
  it("is asked in words of its kind", async () => {
    const questions = ["execute", "edit", "other", "later"].map(async (kind) =>
      questionOf(await actionCard({ title: "x", kind }, "Claude", [])),
    );
    assert.deepEqual(await Promise.all(questions), [
      "Allow Claude to run this command?",
      "Allow Claude to change this file?",
      "Allow Claude to do this?",
      "Allow Claude to do this?",
    ]);
  });

  it("shows a command whole, and where it runs", async () => {
    const action = { title: "Clean up", kind: "execute", rawInput: { command: "rm -rf build", cwd: "/project/app" } };
    assert.equal(await markdown(action), "Clean up\n\n```sh\nrm -rf build\n```\n\nIn \\/project\\/app");
  });

  it("warns of a place outside the workspace and of what may hold secrets", async () => {
    const text = await markdown({ title: "Read", kind: "read", rawInput: { file_path: "/home/ann/.ssh/id_rsa" } });
    assert.match(text, /⚠ \\\/home\\\/ann\\\/\\\.ssh\\\/id\\_rsa is outside the workspace\\\./);
    assert.match(text, /may contain secrets/);
  });

  it("shows what changes in a file", async () => {
    const rawInput = { file_path: "/project/a.ts", old_string: "let a = 1;\n", new_string: "const a = 1;\n" };
    assert.equal(
      await markdown({ title: "Edit a.ts", kind: "edit", rawInput }),
      "Edit a\\.ts\n\nFile\\: a\\.ts\n\n```diff\n@@ -1,1 +1,1 @@\n-let a = 1;\n+const a = 1;\n```",
    );
  });

  it("shows the input where it is neither a command nor a change", async () => {
    assert.equal(
      await markdown({ title: "Look up", rawInput: { query: "cats" } }),
      'Look up\n\n```json\n{\n  "query": "cats"\n}\n```',
    );
  });

  it("lets nothing that the agent wrote be markup or leave its fence", async () => {
    const text = await markdown({
      title: "[click](command:evil) <img src=x> **bold** `a`",
      kind: "execute",
      rawInput: { command: "echo '```'\n# heading" },
    });
    assert.equal(
      text,
      "\\[click\\]\\(command\\:evil\\) \\<img src=x\\> \\*\\*bold\\*\\* \\`a\\`\n\n````sh\necho '```'\n# heading\n````\n\nIn \\/project",
    );
  });

  it("writes out what a reader cannot see", async () => {
    const action = { title: "Run", kind: "execute", rawInput: { command: "ls \u202etxt.exe" } };
    assert.match(await markdown(action), /ls ‹U\+202E›txt\.exe/);
    assert.match(await markdown(action), /⚠ The command contains hidden characters/);
  });

  it("says how much of a long input is not shown", async () => {
    const text = await markdown({ title: "Run", kind: "execute", rawInput: { command: "a".repeat(7_000) } });
    assert.match(text, /… and 1000 more characters/);
  });

  it("shows what matters, however long its title is", async () => {
    const rawInput = { command: "rm -rf build" };
    const card = await actionCard({ title: "a".repeat(9_000), kind: "execute", rawInput }, "The agent", ["/project"]);
    assert.ok(actionLines(card, 40).includes("rm -rf build"));
    assert.match(actionMarkdown(card), /^a{300} … and 8700 more characters\n\n```sh\nrm -rf build/);
  });

  it("is plain lines in a list, short enough to be seen whole and without icons", async () => {
    const action = { title: "Run", kind: "execute", rawInput: { command: `echo $(date) ${"x".repeat(100)}` } };
    const card = await actionCard(action, "The agent", ["/project"]);
    assert.deepEqual(actionLines(card, 40), ["Run", `echo \\$(date) ${"x".repeat(67)}`, "x".repeat(33), "In /project"]);
    assert.deepEqual(actionLines(card, 2), ["Run", "… and 3 more lines"]);
  });
});
