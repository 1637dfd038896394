import assert from "node:assert/strict";
import { AcpClient } from "../support/acp-client.js";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents } from "../support/agents/agent-recipes.js";
import { throughConductor } from "../support/conductor-command.js";
import { startFakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say, type ScriptStep } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { scaledMs } from "../support/until.js";

for (const from of agents) {
  describeConversation(
    from,
    agents.filter((one) => one !== from),
  );
}

function describeConversation(from: AgentRecipe, others: readonly AgentRecipe[]): void {
  describe(`a conversation begun with ${from.name}`, function () {
    this.timeout(scaledMs(400_000));
    const folderOf = new Map([from, ...others].map((recipe) => [recipe, usePackage(recipe)]));
    const shared = new AsyncDisposableStack();
    let folder: RunFolder;
    let begun: Talked;

    // Once for all that go on with it: each of them begins at the same place.
    before(async function () {
      const binFolder = folderOf.get(from)?.(this) ?? "";
      folder = shared.use(await createRunFolder(from.name));
      begun = await talk(from, binFolder, folder, {
        script: [say("It is decided: we listen on port 8443, since 443 needs root.")],
        prompt: "The word of the day is violet-4711. Which port do we take?",
      });
    });
    after(() => shared.disposeAsync());

    for (const to of others) {
      it(`goes on with ${to.name}, who has what was said and looks up the rest`, async function () {
        const search = callToolWith(/previous.?session.{0,3}search$|^search$/i, { query: "which port was decided" });
        const gone = await talk(to, folderOf.get(to)?.(this) ?? "", folder, {
          script: [search, say("I go on.")],
          prompt: "Go on, please.",
          members: { _meta: { symposium: { continues: { conversation: begun.sessionId } } } },
        });
        const asked = gone.requests.find((request) => request.includes("violet-4711"));
        assert.match(asked ?? "", /You go on with work begun with/);
        assert.match(gone.results, /turn 1, agent: .*It is decided: we listen on port 8443/);
        assert.match(gone.text, /I go on\./);
      });
    }
  });
}

interface Talk {
  readonly script: readonly ScriptStep[];
  readonly prompt: string;
  readonly members?: object;
}

interface Talked {
  readonly sessionId: string;
  /** What the agent has said. */
  readonly text: string;
  /** The bodies of the requests that reached the model. */
  readonly requests: readonly string[];
  /** What its tools have answered. */
  readonly results: string;
}

/** One prompt to an agent, whose process then ends. */
async function talk(
  recipe: AgentRecipe,
  binFolder: string,
  folder: RunFolder,
  { script, prompt, members }: Talk,
): Promise<Talked> {
  await using model = await startFakeModel({ script });
  const { words, env } = await agentCommand(recipe, binFolder, folder, model.url);
  await using client = new AcpClient({ words: throughConductor(words), env, cwd: folder.workspace });
  await client.initialize();
  if (recipe.authMethod !== undefined) await client.authenticate(recipe.authMethod);
  const { sessionId } = await client.newSession([], members);
  if (recipe.mcpMode !== undefined) await client.setMode(sessionId, recipe.mcpMode);
  const { stopReason } = await client.prompt(sessionId, prompt);
  assert.equal(stopReason, "end_turn");
  return {
    sessionId,
    text: client.agentText,
    requests: model.requests.map(({ body }) => JSON.stringify(body)),
    results: model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n"),
  };
}
