import assert from "node:assert/strict";
import { agents } from "../support/agents/agent-recipes.js";
import { say } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { openSession } from "../support/agents/agent-session.js";
import { conducted } from "../support/agents/routes.js";
import { scaledMs } from "../support/until.js";

/** Agents whose sessions can be forked at one of their messages. */
const forkable = new Set(["claude", "codex"]);

for (const recipe of agents.filter(({ name }) => forkable.has(name))) {
  describe(`${recipe.name} ${recipe.version}, through the conductor`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("forks a session at a message: its model knows what was said up to there, and nothing after", async function () {
      const agent = { recipe, binFolder: binFolder(this), route: conducted };
      const { model, client, sessionId, workspace } = await openSession(scope(), agent, {
        script: () => [say("An answer.")],
        mode: recipe.mode,
      });
      const prompts = ["Apples grow.", "Boats float.", "Cats purr."];
      for (const text of prompts) await client.prompt(sessionId, text);
      const ids = client.updates.flatMap((update) =>
        update.sessionUpdate === "agent_message_chunk" && typeof update.messageId === "string"
          ? [update.messageId]
          : [],
      );
      const messages = [...new Set(ids)];
      const fork = await client.call("session/fork", {
        sessionId,
        cwd: workspace,
        mcpServers: [],
        _meta: { jetbrains: { air: { fork: { version: 1, messageId: messages.at(-2) } } } },
      });
      const before = model.requests.length;
      const { stopReason } = await client.prompt(String(fork["sessionId"]), "Dogs bark.");
      const asked = model.requests.slice(before).find(({ tools }) => tools.length > 0);
      const body = JSON.stringify(asked?.body);
      assert.deepEqual(
        { stopReason, known: [...prompts, "Dogs bark."].filter((text) => body.includes(text)) },
        { stopReason: "end_turn", known: ["Apples grow.", "Boats float.", "Dogs bark."] },
      );
    });
  });
}
