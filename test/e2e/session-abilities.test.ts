import assert from "node:assert/strict";
import { AcpClient } from "../support/acp-client.js";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents } from "../support/agents/agent-recipes.js";
import { documentedCells } from "../support/agents/documented-agents.js";
import { startFakeModel } from "../support/fake-model/fake-model.js";
import { say } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { createRunFolder } from "../support/run-folder.js";
import { useTestScope } from "../support/test-scope.js";
import type { Route } from "../support/agents/agent-session.js";
import { conducted, direct } from "../support/agents/routes.js";
import { scaledMs } from "../support/until.js";

const columns = ["load", "resume", "fork at a message", "edit", "steer", "list", "delete", "continue"] as const;
/** Operations on sessions that work over a route. */
type Abilities = Readonly<Record<(typeof columns)[number], boolean>>;

const first = "Apples grow.";
const second = "Boats float.";

for (const recipe of agents) {
  describe(`sessions of ${recipe.name} ${recipe.version}`, function () {
    this.timeout(scaledMs(600_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("can do what the page about agents says, by themselves and through the conductor", async function () {
      const bin = binFolder(this);
      const alone = await abilitiesOver(direct, recipe, bin, scope());
      const ours = await abilitiesOver(conducted, recipe, bin, scope());
      const documented = documentedCells("conversations-editors.md", "Compare agents", recipe.name);
      const cells = columns.map((column, index) => {
        const cell = alone[column] ? "itself" : ours[column] ? "Symposium" : "no";
        return documented[index] === "either" && cell !== "no" ? "either" : cell;
      });
      const lost = columns.filter((column) => alone[column] && !ours[column]);
      assert.deepEqual([cells, lost], [documented, []]);
    });
  });
}

/** Runs everything over `route`, in a home of its own. */
async function abilitiesOver(
  route: Route,
  recipe: AgentRecipe,
  binFolder: string,
  scope: AsyncDisposableStack,
): Promise<Abilities> {
  const folder = scope.use(await createRunFolder(recipe.name));
  const model = scope.use(await startFakeModel({ script: [say("An answer.")] }));
  const { words, env } = await agentCommand(recipe, binFolder, folder, model.url);
  const start = async (): Promise<AcpClient> => {
    const client = new AcpClient({ words: route.words(words), env, cwd: folder.workspace });
    await client.initialize();
    if (recipe.authMethod !== undefined) await client.authenticate(recipe.authMethod);
    return client;
  };
  const setup = { cwd: folder.workspace, mcpServers: [] };
  /** Prompts with `text` and returns which of the earlier prompts `first` and `second` the model received with it. */
  const known = async (client: AcpClient, sessionId: string, text: string): Promise<string> => {
    const before = model.requests.length;
    await client.prompt(sessionId, text);
    // Not those for titles and the like.
    const asked = model.requests
      .slice(before)
      .find(({ body, tools }) => tools.length > 0 && JSON.stringify(body).includes(text));
    const body = JSON.stringify(asked?.body ?? "");
    return [first, second].filter((said) => body.includes(said)).join(" ");
  };
  const both = `${first} ${second}`;

  let client = await start();
  const { sessionId } = await client.newSession();
  const steer = await isTaken(async () => {
    const idle = { steering: { idleBehavior: "promptRequired" } };
    const prompt = [{ type: "text", text: "Nobody runs." }];
    const { outcome } = await client.call("_session/steering", { sessionId, prompt, _meta: idle });
    return outcome === "promptRequired";
  });
  await client.prompt(sessionId, first);
  const answer = client.updates.findLast((update) => update.sessionUpdate === "agent_message_chunk");
  await client.prompt(sessionId, second);
  const branch = async (members: object, method: string): Promise<string> => {
    const { sessionId: branched } = await client.call(method, { ...setup, ...members });
    return known(client, String(branched), "Cats purr.");
  };
  const messageId = answer?.sessionUpdate === "agent_message_chunk" ? answer.messageId : undefined;
  const fork = { version: 1, messageId };
  const natively = await isTaken(
    async () => (await branch({ sessionId, _meta: { jetbrains: { air: { fork } } } }, "session/fork")) === first,
  );
  // Any editor can send these parameters. The panel sends them for agents without forks.
  const continues = (turn?: number): object => ({
    _meta: { symposium: { continues: { conversation: sessionId, turn } } },
  });
  const cut = natively || (await isTaken(async () => (await branch(continues(1), "session/new")) === first));
  const goesOn = await isTaken(async () => (await branch(continues(), "session/new")) === both);
  await client.leave();

  client = await start();
  const list = await isTaken(async () => (await idsIn(client)).includes(sessionId));
  const load = await isTaken(async () => {
    await client.call("session/load", { sessionId, ...setup });
    return (await known(client, sessionId, "What grows?")) === both;
  });
  await client.leave();

  client = await start();
  const resume = await isTaken(async () => {
    await client.call("session/resume", { sessionId, ...setup });
    return (await known(client, sessionId, "What floats?")) === both;
  });
  const isDeleted = await isTaken(async () => {
    await client.call("session/delete", { sessionId });
    return !(await idsIn(client).catch((): readonly unknown[] => [])).includes(sessionId);
  });
  await client.leave();
  return {
    load,
    resume,
    "fork at a message": cut,
    edit: cut,
    steer,
    list,
    delete: isDeleted,
    continue: goesOn,
  };
}

/** False where the agent refuses it, too. */
async function isTaken(attempt: () => Promise<boolean>): Promise<boolean> {
  try {
    return await attempt();
  } catch {
    return false;
  }
}

async function idsIn(client: AcpClient): Promise<readonly unknown[]> {
  const { sessions } = await client.call("session/list", {});
  return Array.isArray(sessions) ? sessions.map((session: { sessionId?: unknown }) => session.sessionId) : [];
}
