import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { acpx, runAcpx } from "../support/acpx.js";
import { agentCommand } from "../support/agents/agent-command.js";
import { claude, writtenText } from "../support/agents/agent-recipes.js";
import { startFakeModel } from "../support/fake-model/fake-model.js";
import { say } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { createRunFolder } from "../support/run-folder.js";
import { useTestScope } from "../support/test-scope.js";
import { conducted, direct } from "../support/agents/routes.js";
import { scaledMs } from "../support/until.js";

const runLimitMs = 200_000;

describe(`acpx ${acpx.version} as the client`, function () {
  this.timeout(scaledMs(2 * runLimitMs));
  const acpxFolder = usePackage(acpx);
  const agentFolder = usePackage(claude);
  const scope = useTestScope();

  for (const route of [direct, conducted]) {
    it(`prints the answer of an agent that creates a file, ${route.name}`, async function () {
      const [binFolder, agentBin] = [acpxFolder(this), agentFolder(this)];
      const folder = scope().use(await createRunFolder("acpx"));
      const path = join(folder.workspace, "greeting.txt");
      const script = [claude.createsFile(path), say("It is written.")];
      const model = scope().use(await startFakeModel({ script }));
      const { words, env } = await agentCommand(claude, agentBin, folder, model.url);
      const run = {
        binFolder,
        words: route.words(words),
        env,
        workspace: folder.workspace,
        prompt: "Create greeting.txt.",
      };
      const { code, stdout, stderr } = await runAcpx(run, runLimitMs);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /It is written\./);
      assert.equal((await readFile(path, "utf8")).trim(), writtenText);
    });
  }
});
