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
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { conducted, direct } from "../support/agents/routes.js";
import { scaledMs } from "../support/until.js";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { objectOf } from "../support/json.js";
import { goProgram } from "../support/packages/go-program.js";
import { pythonWith } from "../support/packages/python-package.js";
import { repositoryRoot } from "../support/repository.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";

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

const fixtures = join(repositoryRoot, "test", "fixtures", "acp-clients");

describe("the clients of other SDKs", function () {
  this.timeout(scaledMs(10 * 60_000));
  const scope = useTestScope();

  /** Checks that the client, started with `words`, has an answer of Eliza's, who does not always give the same. */
  async function talk(...words: readonly string[]): Promise<void> {
    const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    const agent = [...conductorWords, "run-with", "--agent", "eliza"];
    const call = {
      words: [...words, folder.workspace, ...agent],
      env: commandEnvironment(folder),
      cwd: folder.workspace,
    };
    const { code, stdout, stderr } = await runToEnd(call, 120_000);
    assert.equal(code, 0, stderr);
    const { said, ...ended } = objectOf(JSON.parse(stdout));
    assert.deepEqual(ended, { version: 1, stop: "end_turn" });
    assert.match(String(said), /^[A-Z].*[.?!]$/s);
  }

  it("for Python has its prompt answered", async function () {
    const found = await pythonWith("agent-client-protocol", "0.12.1");
    if ("missing" in found) skipBecause(this, found.missing);
    await talk(found.python, join(fixtures, "talk.py"));
  });

  it("for Go has its prompt answered", async function () {
    const found = await goProgram(join(fixtures, "go"));
    if ("missing" in found) skipBecause(this, found.missing);
    await talk(found.program);
  });
});
