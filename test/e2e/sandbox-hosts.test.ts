import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents } from "../support/agents/agent-recipes.js";
import { sandboxed } from "../support/agents/routes.js";
import { callTool, say, toolNames } from "../support/fake-model/script.js";
import { needsSandbox } from "../support/needs-sandbox.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { openSession } from "../support/agents/agent-session.js";
import { scaledMs } from "../support/until.js";

/** Notes the status that the proxy answers with: no name below `.test` has an address. */
const fetches = (host: string, file: string): ReturnType<typeof callTool> => {
  const command = `curl -s -o /dev/null -w '%{http_code}' http://${host}/ > ${file}`;
  return callTool(toolNames.command, { command });
};

// test/walks/sandbox.test.ts has OpenCode.
for (const recipe of agents) if (recipe.name !== "opencode") describeAgent(recipe);

function describeAgent(recipe: AgentRecipe): void {
  describe(`${recipe.name} ${recipe.version} in a sandbox`, function () {
    this.timeout(scaledMs(400_000));
    before(function () {
      needsSandbox(this);
    });
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("does a whole turn, with one host that its user is asked about, and one that a rule refuses", async function () {
      // Signing in writes settings, which is done outside.
      const { authMethod: _none, ...signedIn } = recipe;
      const agent = {
        recipe: recipe.name === "qwen" ? signedIn : recipe,
        binFolder: binFolder(this),
        route: sandboxed,
      };
      const { client, sessionId, workspace, home } = await openSession(scope(), agent, {
        script: () => [
          fetches("asked.example.test", "asked"),
          fetches("refused.example.test", "refused"),
          say("All done."),
        ],
        files: {
          // A model on this machine is reached by the rule that names it.
          home: (modelUrl) => ({
            ".symposium/guard.jsonc": JSON.stringify({
              rules: [
                { effect: "allow", host: new URL(modelUrl).host },
                { effect: "deny", host: "refused.example.test", reason: "No." },
              ],
            }),
          }),
        },
      });
      await client.prompt(sessionId, "Fetch both.");
      const asked = client.permissionRequests
        .map(({ toolCall }) => toolCall.title)
        .filter((title) => /\.test:\d+$/.test(title ?? ""));
      const log = await readFile(join(home, ".symposium", "guard", "log.jsonl"), "utf8");
      const decided = log
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { readonly subject: string; readonly answer: string })
        .map(({ subject, answer }) => `${answer} ${subject}`)
        .filter((line) => line.includes(".example.test"));
      assert.deepEqual(
        {
          asked,
          decided,
          statuses: await Promise.all(["asked", "refused"].map((name) => readFile(join(workspace, name), "utf8"))),
        },
        {
          asked: ["asked.example.test:80"],
          decided: ["allow host asked.example.test:80", "deny host refused.example.test:80"],
          statuses: ["502", "403"],
        },
      );
    });
  });
}
