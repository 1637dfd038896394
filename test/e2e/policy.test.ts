import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claude, codex, copilot, gemini, opencode, qwen } from "../support/agents/agent-recipes.js";
import { openSession } from "../support/agents/agent-session.js";
import { widestModes } from "../support/agents/widest-modes.js";
import { runToEnd } from "../support/child.js";
import { shellWords } from "../support/conductor-command.js";
import { callToolWith, say, toolNames } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { repositoryRoot } from "../support/repository.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const program = join(repositoryRoot, "test", "dist", "support", "command-with-policy.js");

/** Writes a policy. `scope` removes its folder. */
async function policyIn(
  scope: AsyncDisposableStack,
  policy: object,
): Promise<{ readonly folder: string; readonly file: string }> {
  const root = await mkdtemp(join(tmpdir(), "policy-"));
  scope.defer(() => rm(root, { recursive: true }));
  const folder = join(root, "symposium");
  const file = join(folder, "policy.jsonc");
  await mkdir(folder, { mode: 0o755 });
  await writeFile(file, JSON.stringify(policy), { mode: 0o644 });
  return { folder, file };
}

describe("the command on a machine with a policy", function () {
  this.timeout(scaledMs(120_000));
  const scope = useTestScope();

  async function run(folder: string, ...words: readonly string[]): Promise<Awaited<ReturnType<typeof runToEnd>>> {
    const place = scope().use(await createCommandFolder());
    const started = {
      words: ["node", program, folder, ...words],
      env: commandEnvironment(place),
      cwd: place.workspace,
    };
    return runToEnd(started, 60_000);
  }

  it("starts no other agent than the policy allows, and says whose limit that is", async () => {
    const { folder, file } = await policyIn(scope(), { allowedAgents: ["codex"] });
    for (const words of [["chat", "--agent", "eliza", "Hello"], ["eliza"]]) {
      const { code, stderr } = await run(folder, ...words);
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`The agent eliza isn't allowed: set by your organisation \\(${file}\\)`));
    }
  });

  it("starts nothing while others may write the policy, and names the file and the remedy", async function () {
    if (process.platform === "win32") return this.skip();
    const { folder, file } = await policyIn(scope(), {});
    await chmod(file, 0o666);
    for (const words of [["chat", "--agent", "eliza", "Hello"], ["run"], ["run-with", "--agent", "eliza"]]) {
      const { code, stderr } = await run(folder, ...words);
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`${file} can be written by other users\\..*chmod go-w "${file}"`));
    }
    const { code, stdout } = await run(folder, "doctor");
    assert.deepEqual([code, stdout.includes(`${file} can be written by other users`)], [1, true]);
    return undefined;
  });
});

for (const recipe of [claude, opencode, gemini, codex, qwen, copilot]) {
  describe(`${recipe.name} ${recipe.version} on a machine with a policy`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("runs no denied command although the user allows it, and gets no mode that doesn't ask", async function () {
      const { folder } = await policyIn(scope(), {
        rules: [{ effect: "deny", command: "cat" }],
        bypassPermissions: false,
      });
      const words = (agent: readonly string[]): readonly string[] => [
        ...["node", program, folder, "run-with", "--guard", "off", "--agent", shellWords(agent)],
      ];
      const run = (command: string) =>
        callToolWith(toolNames.command, recipe === codex ? { cmd: command } : { command, description: "Look." });
      const agent = { recipe, binFolder: binFolder(this), route: { name: "through the conductor", words } };
      const { client, sessionId, model } = await openSession(scope(), agent, {
        script: () => [run("cat denied.txt"), run("head -n 1 read.txt"), say("All done.")],
        files: {
          workspace: { "denied.txt": "the-denied-words", "read.txt": "the-read-words" },
          home: {
            ".symposium/guard.jsonc":
              '{ "rules": [{ "effect": "allow", "command": "cat" }], "agents": { "*": "off" } }',
          },
        },
      });
      const widest = widestModes[recipe.name];
      if (widest !== undefined) {
        await assert.rejects(client.setMode(sessionId, widest), /set by your organisation/);
      }
      await client.prompt(sessionId, "Look at the files.");
      const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
      assert.notEqual(results, "");
      assert.doesNotMatch(results, /the-denied-words/);
    });
  });
}
