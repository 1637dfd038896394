import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { agentCommand } from "../support/agents/agent-command.js";
import { usualAgents, writtenText } from "../support/agents/agent-recipes.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import { say } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { type StageOptions, useVsCode } from "./stage.js";

/** How long an agent may take on a busy machine that it has never run on. */
const startLimitMs = 120_000;
const agentsHere = usualAgents.filter(({ name }) => name === "opencode" || name === "claude");

for (const recipe of agentsHere) {
  describe(`${recipe.name} in a clean VS Code ${newestVsCode.version}`, () => {
    const stack = new AsyncDisposableStack();
    const binFolder = usePackage(recipe);
    let folder: RunFolder;
    let model: FakeModel;
    let settings: StageOptions["settings"] & object;
    before(async function () {
      folder = stack.use(await createRunFolder("agent"));
      const path = join(folder.workspace, "greeting.txt");
      model = stack.use(await startFakeModel({ script: [recipe.createsFile(path), say("It is ", "written.")] }));
      const { words, env } = await agentCommand(recipe, binFolder(this), folder, model.url);
      const [command, ...args] = words;
      const agent = { name: recipe.name, command, args, env };
      settings = { "symposium.agents": { mine: agent }, "symposium.currentAgentId": "mine" };
    });
    const stage = useVsCode(newestVsCode, () => ({ settings }));
    after(() => stack.disposeAsync());

    it("goes from the first look to an answer with an approved edit", async () => {
      const chat = await stage().openChat({ workspace: folder.workspace });
      await chat.choose(recipe.name);
      await chat.send("Create greeting.txt.");
      await chat.permission
        .getByRole("button", { name: /allow|yes/i })
        .first()
        .click({ timeout: startLimitMs });
      await chat.ends.waitFor({ timeout: startLimitMs });
      await chat.window.screenshot(`real-agent-${recipe.name}`);
      assert.deepEqual(
        {
          answer: (await chat.answerTexts()).at(-1)?.trim(),
          content: (await readFile(join(folder.workspace, "greeting.txt"), "utf8")).trim(),
          isReported: model.requests.some(({ toolResults }) => toolResults.length === 1),
        },
        { answer: "It is written.", content: writtenText, isReported: true },
      );
    });
  });
}
