import assert from "node:assert/strict";
import { join } from "node:path";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { objectOf } from "../support/json.js";
import { goProgram } from "../support/packages/go-program.js";
import { pythonWith } from "../support/packages/python-package.js";
import { repositoryRoot } from "../support/repository.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { useTestScope, skipBecause } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

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
