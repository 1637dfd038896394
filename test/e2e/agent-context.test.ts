import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents } from "../support/agents/agent-recipes.js";
import { say } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { openSession } from "../support/agents/agent-session.js";
import { conducted, direct } from "../support/agents/routes.js";
import { scaledMs } from "../support/until.js";

const skill = (name: string, marker: string): string =>
  `---\nname: ${name}\ndescription: The marker of the skill is ${marker}\n---\nDig.\n`;

const packageSkill = skill("badger-skill", "badger");
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What the user has allowed: the skill of a package, as it is. */
const trust = {
  folders: [],
  components: [
    {
      file: "skills of npm:charts",
      component: sha256(JSON.stringify([["badger-skill/SKILL.md", sha256(packageSkill)]])),
      isAllowed: true,
    },
  ],
};

/** A rules file, a skill and a prompt that the agent does not know itself, and the skill of a package, which none knows. */
const filesFor = (agentId: string) => ({
  workspace: {
    ".windsurfrules": "The marker of the rule is quokka.",
    ".github/prompts/hedge.prompt.md": "The marker of the command is hedgehog. $ARGUMENTS",
    "package.json": JSON.stringify({ dependencies: { charts: "1" } }),
    "node_modules/charts/package.json": JSON.stringify({ name: "charts", version: "1.0.0" }),
    "node_modules/charts/skills/badger-skill/SKILL.md": packageSkill,
  },
  home: {
    [`.${/gemini/.test(agentId) ? "qwen" : "gemini"}/skills/wombat-skill/SKILL.md`]: skill("wombat-skill", "wombat"),
    ".symposium/trust.json": JSON.stringify(trust),
  },
});

for (const recipe of agents) describeAgent(recipe);

function describeAgent(recipe: AgentRecipe): void {
  describe(`${recipe.name} ${recipe.version} and what others' files say`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    /** Which markers the model has seen after turns with these words. */
    async function seen(folder: string, route: typeof direct, turns: readonly string[]): Promise<readonly string[]> {
      const agent = { recipe, binFolder: folder, route };
      const options = { script: () => turns.map(() => say("Done.")), files: filesFor(recipe.name) };
      const { model, client, sessionId } = await openSession(scope(), agent, options);
      for (const words of turns) await client.prompt(sessionId, words);
      const sent = JSON.stringify(model.requests.map(({ body }) => body));
      return ["quokka", "wombat", "badger", "hedgehog. tomorrow"].filter((marker) => sent.includes(marker));
    }

    it("has a rule, skills and a command of others in the request to the model, through the conductor", async function () {
      const turns = ["Say that you are done.", "/hedge tomorrow"];
      assert.deepEqual(await seen(binFolder(this), direct, turns.slice(0, 1)), []);
      assert.deepEqual(await seen(binFolder(this), conducted, turns), [
        "quokka",
        "wombat",
        "badger",
        "hedgehog. tomorrow",
      ]);
    });
  });
}
