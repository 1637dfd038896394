import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { AcpClient } from "../support/acp-client.js";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents } from "../support/agents/agent-recipes.js";
import { runToEnd } from "../support/child.js";
import { conductorWords, throughConductor } from "../support/conductor-command.js";
import { startFakeModel } from "../support/fake-model/fake-model.js";
import { say } from "../support/fake-model/script.js";
import { objectOf } from "../support/json.js";
import { usePackage } from "../support/packages/use-package.js";
import { pathWith } from "../support/repository.js";
import { createRunFolder } from "../support/run-folder.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

for (const recipe of agents) describeAgent(recipe);

function describeAgent(recipe: AgentRecipe): void {
  describe(`a conversation with ${recipe.name} ${recipe.version}`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("is listed, found, shown, exported and deleted once its editor has left", async function () {
      const folder = scope().use(await createRunFolder(recipe.name));
      const model = scope().use(await startFakeModel({ script: [say("The answer is a pangolin.")] }));
      const { words, env } = await agentCommand(recipe, binFolder(this), folder, model.url);
      {
        await using client = new AcpClient({ words: throughConductor(words), env, cwd: folder.workspace });
        await client.initialize();
        if (recipe.authMethod !== undefined) await client.authenticate(recipe.authMethod);
        const { sessionId } = await client.newSession();
        await client.prompt(sessionId, "Which animal is it?");
      }
      const run = async (...verb: readonly string[]): Promise<string> => {
        const command = { words: [...conductorWords, "sessions", ...verb], cwd: folder.workspace };
        const { code, stdout, stderr } = await runToEnd({ ...command, env: { ...env, PATH: pathWith() } }, 120_000);
        assert.equal(code, 0, stderr);
        return stdout;
      };
      const sessions = JSON.parse(await run("list", "--json")) as unknown[];
      const { id, turns, cwd } = objectOf(sessions[0]);
      assert.deepEqual([sessions.length, turns, cwd], [1, 1, folder.workspace]);
      assert.match(await run("search", "is a pangolin"), /turn 1, agent: .*pangolin/);
      assert.match(await run("show", String(id)), /> Which animal is it\?\n[^]*The answer is a pangolin\./);
      const lines = (await run("export", String(id), "--format", "jsonl")).split("\n");
      const file = join(folder.home, ".symposium", "sessions", `${String(id)}.jsonl`);
      assert.deepEqual(lines, (await readFile(file, "utf8")).split("\n"));
      await run("delete", String(id));
      const left = await readdir(join(folder.home, ".symposium", "sessions"));
      // That it was deleted is kept, for editors that have a copy; nothing of what was said.
      assert.deepEqual(
        left.filter((name) => name !== "index.json"),
        ["deleted.json"],
      );
      const noted = await readFile(join(folder.home, ".symposium", "sessions", "deleted.json"), "utf8");
      assert.doesNotMatch(noted, /pangolin|animal/);
    });
  });
}
