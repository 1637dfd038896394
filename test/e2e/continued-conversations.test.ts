import assert from "node:assert/strict";
import { AcpClient } from "../support/acp-client.js";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents } from "../support/agents/agent-recipes.js";
import { throughConductor } from "../support/conductor-command.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { scaledMs } from "../support/until.js";

/** The decision in the conversation that was begun with an agent, which its successors look up. */
function decisionOf(from: AgentRecipe): string {
  return `It is decided: we listen on port ${8443 + agents.indexOf(from)}, since 443 needs root.`;
}

describe("a conversation that another agent goes on with", function () {
  this.timeout(scaledMs(400_000));
  const folderOf = new Map(agents.map((recipe) => [recipe, usePackage(recipe)]));
  const shared = new AsyncDisposableStack();
  const begun = new Map<AgentRecipe, string>();
  let folder: RunFolder;

  before(async () => {
    folder = shared.use(await createRunFolder("continued"));
  });
  after(() => shared.disposeAsync());

  for (const from of agents) {
    it(`begins with ${from.name}`, async function () {
      await using process = await start(from, folderOf.get(from)?.(this) ?? "", folder);
      const prompt = `The word of the day is violet-${from.name}. Which port do we take?`;
      process.model.begin([say(decisionOf(from))], prompt);
      begun.set(from, await talk(process, prompt));
    });
  }

  for (const to of agents) {
    it(`goes on with ${to.name}, which has what was said to each of the others and looks up the rest`, async function () {
      await using stack = new AsyncDisposableStack();
      const binFolder = folderOf.get(to)?.(this) ?? "";
      let process = stack.use(await start(to, binFolder, folder));
      for (const [from, conversation] of begun) {
        if (from === to) continue;
        // OpenCode's sessions share all servers of its process, so its model could search another conversation.
        if (to.name === "opencode") process = stack.use(await start(to, binFolder, folder));
        const { client, model } = process;
        client.forget();
        const prompt = `Go on with ${from.name}'s work, please.`;
        const search = callToolWith(/previous.?session.{0,3}search$|^search$/i, { query: "which port was decided" });
        model.begin([search, say("I go on.")], prompt);
        await talk(process, prompt, { _meta: { symposium: { continues: { conversation } } } });
        const asked = model.requests.map(({ body }) => JSON.stringify(body));
        const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
        const first = asked.find((request) => request.includes(`violet-${from.name}`)) ?? "";
        assert.match(first, /You go on with work begun with/, from.name);
        assert.match(results, new RegExp(`turn 1, agent: .*${decisionOf(from)}`), from.name);
        assert.match(client.agentText, /I go on\./);
      }
    });
  }
});

interface StartedProcess extends AsyncDisposable {
  readonly recipe: AgentRecipe;
  readonly client: AcpClient;
  readonly model: FakeModel;
}

async function start(recipe: AgentRecipe, binFolder: string, folder: RunFolder): Promise<StartedProcess> {
  await using stack = new AsyncDisposableStack();
  const model = stack.use(await startFakeModel({ script: [] }));
  const { words, env } = await agentCommand(recipe, binFolder, folder, model.url);
  const client = stack.use(new AcpClient({ words: throughConductor(words), env, cwd: folder.workspace }));
  await client.initialize();
  if (recipe.authMethod !== undefined) await client.authenticate(recipe.authMethod);
  const owner = stack.move();
  return { recipe, client, model, [Symbol.asyncDispose]: () => owner.disposeAsync() };
}

/** Prompts a new session, and returns its id. `members` are further ones of session/new. */
async function talk({ recipe, client }: StartedProcess, prompt: string, members = {}): Promise<string> {
  const { sessionId } = await client.newSession([], members);
  if (recipe.mcpMode !== undefined) await client.setMode(sessionId, recipe.mcpMode);
  const { stopReason } = await client.prompt(sessionId, prompt);
  assert.equal(stopReason, "end_turn");
  return sessionId;
}
