import { agents, opencode } from "../support/agents/agent-recipes.js";
import { staysInSandbox } from "../support/agents/sandboxed-turn.js";
import { needsSandbox } from "../support/needs-sandbox.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

// test/walks/sandbox.test.ts has OpenCode.
for (const recipe of agents.filter((one) => one !== opencode)) {
  describe(`${recipe.name} ${recipe.version} in a sandbox`, function () {
    this.timeout(scaledMs(400_000));
    before(function () {
      needsSandbox(this);
    });
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("writes its workspace alone, reaches the hosts that are allowed, runs no denied command, and leaves no process", async function () {
      await staysInSandbox(scope(), recipe, binFolder(this));
    });
  });
}
