import assert from "node:assert/strict";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agentCommand } from "../support/agents/agent-command.js";
import { claude, codex, copilot, gemini, opencode, qwen } from "../support/agents/agent-recipes.js";
import { runToEnd } from "../support/child.js";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { startFakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say, toolNames } from "../support/fake-model/script.js";
import { parseObject, type JsonObject } from "../support/json.js";
import { usePackage } from "../support/packages/use-package.js";
import { createRunFolder } from "../support/run-folder.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

for (const recipe of [claude, codex, gemini, opencode, qwen, copilot]) {
  describe(`${recipe.name} ${recipe.version} in chat without a user`, function () {
    this.timeout(scaledMs(240_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    async function chat(
      bin: string,
      ...words: readonly string[]
    ): Promise<{ code: number | null; result: JsonObject }> {
      const folder = scope().use(await createRunFolder(recipe.name));
      const script = [1, 2, 3].map((step) => command(recipe, `echo ${step}`));
      const model = scope().use(await startFakeModel({ script: [...script, say("All done.")] }));
      const agent = await agentCommand(recipe, bin, folder, model.url);
      const all = [...conductorWords, "chat", "--agent", shellWords(agent.words), "--output", "jsonl", ...words, "go"];
      const { code, stdout } = await runToEnd({ words: all, env: agent.env, cwd: folder.workspace }, scaledMs(120_000));
      assert.deepEqual(await survivingProcesses(folder.root), new Map());
      return { code, result: parseObject(stdout.trimEnd().split("\n").at(-1) ?? "") };
    }

    it("ends its turn with the model's answer if --max-turns allows all replies", async function () {
      const { code, result } = await chat(binFolder(this), "--yes", "--max-turns", "4");
      assert.deepEqual([code, result["status"]], [0, "done"], JSON.stringify(result));
      assert.match(String(result["answer"]), /All done\.$/);
    });

    it("is stopped at --max-turns", async function () {
      const { code, result } = await chat(binFolder(this), "--yes", "--max-turns", "2");
      assert.deepEqual([code, result["status"]], [5, "over_budget"], JSON.stringify(result));
    });
  });
}

function command(recipe: AgentRecipe, line: string): ReturnType<typeof callToolWith> {
  const input = recipe === codex ? { cmd: line } : { command: line, description: "Print a number." };
  return callToolWith(toolNames.command, input);
}
