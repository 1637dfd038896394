import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AcpClient } from "../support/acp-client.js";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { needsSandbox } from "../support/needs-sandbox.js";
import type { PermissionPolicy } from "../support/permission-policy.js";
import { repositoryRoot } from "../support/repository.js";
import type { RunFolder } from "../support/run-folder.js";
import { commandEnvironment, configFolderOf, createCommandFolder } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const program = join(repositoryRoot, "test", "dist", "support", "programs", "fetching-agent.js");
const agent = JSON.stringify({ name: "Fetcher", command: "node", args: [program], env: [] });
const url = "http://asked.example.test/";

/** What the agent says of an address, and what its user was asked meanwhile. */
async function fetched(folder: RunFolder, permissions: PermissionPolicy): Promise<unknown> {
  const words = [...conductorWords, "run-with", "--agent", agent];
  await using client = new AcpClient({ words, env: commandEnvironment(folder), cwd: folder.workspace, permissions });
  await client.initialize();
  const { sessionId } = await client.newSession();
  await client.prompt(sessionId, url);
  const said = client.updates.map((update) => JSON.stringify(update)).join("");
  return [/was (\d+)\./.exec(said)?.[1], client.permissionRequests.map(({ toolCall }) => toolCall.title)];
}

describe("an agent that guard.jsonc has in a sandbox", function () {
  this.timeout(scaledMs(400_000));
  before(function () {
    needsSandbox(this);
  });
  const scope = useTestScope();

  it("asks about hosts in any editor; what was refused is listed, and opened by a rule", async () => {
    const folder = scope().use(await createCommandFolder());
    const guard = async (...words: readonly string[]): Promise<string> => {
      const all = [...conductorWords, "guard", ...words];
      const options = { words: all, env: commandEnvironment(folder), cwd: folder.workspace };
      const { code, stdout, stderr } = await runToEnd(options, 120_000);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const file = join(configFolderOf(folder), "guard.jsonc");
    await writeFile(file, "// Mine.\n{}\n");
    await guard("level", "--", agent, "sandbox");
    assert.match(await guard("status", "--", agent), /^Fetcher: sandbox .*You are asked about every other host\./s);
    // No name below `.test` has an address: what is let through is answered with 502, what is not with 403.
    assert.deepEqual(await fetched(folder, ["reject_once"]), ["403", ["asked.example.test:80"]]);
    assert.match(
      await guard("log", "--refused"),
      /asked\.example\.test:80 {2}Fetcher {2}refused by the user {2}.* add /,
    );
    await guard("add", "allow", "host", "asked.example.test:80", "--in", ".");
    assert.deepEqual(await fetched(folder, ["reject_once"]), ["502", []]);
    assert.match(await guard("log", "--refused"), /^No host was refused/);
    await guard("level", "--", agent, "default");
    assert.doesNotMatch(await readFile(file, "utf8"), /sandbox/);
    // Without a sandbox nothing is asked, and curl itself finds no address.
    assert.deepEqual(await fetched(folder, ["reject_once"]), ["000", []]);
    assert.match(await readFile(file, "utf8"), /^\/\/ Mine\.\n/);
  });
});
