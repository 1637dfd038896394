import assert from "node:assert/strict";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { furtherAgents, usualAgents } from "../support/agents/agent-recipes.js";
import { say } from "../support/fake-model/script.js";
import { installPackage } from "../support/packages/install-package.js";
import { installWhenAsked } from "../support/packages/install-when-asked.js";
import type { Installation, PinnedPackage } from "../support/packages/pinned-package.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { openSession } from "./agent-session.js";
import { conducted, direct } from "./routes.js";

const rule = "The marker of the rule is quokka.";
const skill = "---\nname: wombat-skill\ndescription: The marker of the skill is wombat\n---\nDig.\n";

/** A rules file that no agent reads itself, and skills of which each agent knows one kind at most. */
const files = {
  workspace: { ".windsurfrules": rule },
  home: { ".agents/skills/wombat-skill/SKILL.md": skill },
};

for (const recipe of usualAgents) describeAgent(recipe, installPackage);
for (const recipe of furtherAgents) describeAgent(recipe, installWhenAsked);

function describeAgent(recipe: AgentRecipe, install: (pinned: PinnedPackage) => Promise<Installation>): void {
  describe(`${recipe.name} ${recipe.version} and what others' files say`, function () {
    this.timeout(120_000);
    const binFolder = usePackage(recipe, install);
    const scope = useTestScope();

    /** Which markers the model has seen after a turn. */
    async function seen(folder: string, route: typeof direct): Promise<readonly string[]> {
      const agent = { recipe, binFolder: folder, route };
      const { model, client, sessionId } = await openSession(scope(), agent, { script: () => [say("Done.")], files });
      await client.prompt(sessionId, "Say that you are done.");
      const sent = JSON.stringify(model.requests.map(({ body }) => body));
      return ["quokka", "wombat"].filter((marker) => sent.includes(marker));
    }

    it("has rules and a skill in the request to the model, through the conductor", async function () {
      const alone = await seen(binFolder(this), direct);
      assert.equal(alone.includes("quokka"), false);
      assert.deepEqual(await seen(binFolder(this), conducted), ["quokka", "wombat"]);
    });
  });
}
