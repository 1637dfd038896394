import assert from "node:assert/strict";
import { join } from "node:path";
import { agents } from "../support/agents/agent-recipes.js";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { environmentOfThisMachine } from "../support/environment.js";
import { say } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { pathWith } from "../support/repository.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";
import { openSession } from "../support/agents/agent-session.js";
import { conducted } from "../support/agents/routes.js";

/** Agents that tell of the tokens of a turn. */
const counting = new Set(["claude", "codex", "opencode", "gemini", "qwen"]);

for (const recipe of agents.filter(({ name }) => counting.has(name))) {
  describe(`usage of ${recipe.name} ${recipe.version}`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("has the tokens of its turns, as it counts them", async function () {
      const agent = { recipe, binFolder: binFolder(this), route: conducted };
      const { client, sessionId, home } = await openSession(scope(), agent, { script: () => [say("An answer.")] });
      await client.prompt(sessionId, "Say something.");
      const rows = await until(
        () => tokensIn(home),
        (found) => found.length > 0,
      );
      assert.ok(rows.length > 0 && rows.every(([input, output]) => input > 0 && output > 0), JSON.stringify(rows));
    });
  });
}

/** Of each row that `usage` prints, the tokens in and out. */
async function tokensIn(home: string): Promise<readonly (readonly [number, number])[]> {
  const env = { ...environmentOfThisMachine(), PATH: pathWith(), SYMPOSIUM_CONFIG_DIR: join(home, ".symposium") };
  const { stdout } = await runToEnd({ words: [...conductorWords, "usage", "--json"], env, cwd: home }, 120_000);
  const rows = JSON.parse(stdout) as readonly { readonly inputTokens: number; readonly outputTokens: number }[];
  return rows.map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens]);
}
