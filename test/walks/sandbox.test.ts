import { opencode } from "../support/agents/agent-recipes.js";
import { staysInSandbox } from "../support/agents/sandboxed-turn.js";
import { needsSandbox } from "../support/needs-sandbox.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

describe(`${opencode.name} ${opencode.version} in a sandbox`, function () {
  this.timeout(scaledMs(120_000));
  before(function () {
    needsSandbox(this);
  });
  const binFolder = usePackage(opencode);
  const scope = useTestScope();

  it("writes its workspace alone, reaches the hosts that are allowed, runs no denied command, and leaves no process", async function () {
    await staysInSandbox(scope(), opencode, binFolder(this));
  });
});
