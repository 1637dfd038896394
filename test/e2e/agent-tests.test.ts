import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Context } from "mocha";
import { runToEnd } from "../support/child.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents, qwen } from "../support/agents/agent-recipes.js";
import { conductorWords, throughConductor } from "../support/conductor-command.js";
import { environmentOfThisMachine } from "../support/environment.js";
import { callTool, callToolWith, say, toolNames } from "../support/fake-model/script.js";
import type { PinnedPackage } from "../support/packages/pinned-package.js";
import { usePackage } from "../support/packages/use-package.js";
import { pathWith } from "../support/repository.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";
import { openSession, type Route } from "../support/agents/agent-session.js";

const equipped: Route = {
  name: "with the tests and sources extensions",
  words: (words) => throughConductor(words, ["tests", "sources"]),
};

const passing = [`import { test } from "vitest";`, `test("passes", () => undefined);`, ""].join("\n");
/**
 * Project with passing tests, which the runner leaves out for an agent, and a failing test. The failing test's output contains paths of
 * this machine, whose length varies.
 */
const vitestProject = {
  "package.json": JSON.stringify({ type: "module" }),
  "total.test.js": [
    `import { expect, test } from "vitest";`,
    `test("adds numbers", () => expect(1 + 2).toBe(4));`,
    "",
  ].join("\n"),
  "passing.test.js": passing,
  ...Object.fromEntries(Array.from({ length: 20 }, (_one, index) => [`passing-${index}.test.js`, passing])),
};

/** One of its two tests fails, and it imports a package with types. */
const project = {
  "package.json": JSON.stringify({ type: "module", scripts: { test: "node --test" }, dependencies: { lib: "^1.0.0" } }),
  "total.js": "export const total = (numbers) => numbers.reduce((sum, one) => sum + one, 1);\n",
  "test/total.test.js": [
    `import assert from "node:assert/strict";`,
    `import { test } from "node:test";`,
    `import { total } from "../total.js";`,
    `test("adds numbers", () => assert.equal(total([1, 2]), 3));`,
    `test("has a test that passes", () => undefined);`,
    "",
  ].join("\n"),
  "node_modules/lib/package.json": `{"name": "lib", "version": "1.4.2", "types": "index.d.ts"}`,
  "node_modules/lib/index.d.ts": "export declare function quokkas(): string[];\n",
};

const vitest: PinnedPackage = { package: "vitest", version: "5.1.1", command: "vitest", nodeMajor: 22 };

for (const recipe of agents) describeAgent(recipe);

function describeAgent(recipe: AgentRecipe): void {
  describe(`${recipe.name} ${recipe.version} and the tests of a project`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("has the report and the sources in the model's requests, and both ways of running are counted", async function () {
      const agent = { recipe, binFolder: binFolder(this), route: equipped };
      const { model, client, sessionId, home } = await openSession(scope(), agent, {
        script: () => [
          callToolWith(/run_tests$/, {}),
          callToolWith(/package_sources$/, { name: "lib", from: "total.js" }),
          callTool(toolNames.command, { command: "node --test" }),
          say("Done."),
        ],
        mode: recipe.mcpMode,
        files: { workspace: project },
      });
      const { stopReason } = await client.prompt(sessionId, "Run the tests, and look at lib.");
      assert.equal(stopReason, "end_turn");
      const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
      const report = results.find((text) => text.includes("1 failed")) ?? results.join("\n");
      assert.match(report, /node --test [\d.]+: 1 failed, 1 passed/);
      assert.match(report, /test\/total\.test\.js:4/);
      assert.match(report, /4 !== 3/);
      assert.ok(results.some((text) => text.includes("lib 1.4.2 (npm)")));
      const figures = await until(
        () => countedIn(home),
        (rows) => rows.reduce((sum, [tools, shell]) => sum + tools + shell, 0) >= 2,
      );
      assert.deepEqual(figures, [[1, 1]]);
    });
  });
}

/** The others say by variables of their own that they are agents, which vitest knows. */
describe(`${qwen.name} ${qwen.version}, whose model runs vitest in its shell`, function () {
  this.timeout(scaledMs(400_000));
  const binFolder = usePackage(qwen);
  const packages = usePackage(vitest);
  const scope = useTestScope();

  /** Runs vitest and returns the output that the model receives. `words` are options of run-with. */
  async function told(context: Context, words: readonly string[]): Promise<string> {
    const route: Route = {
      name: "vitest",
      words: (agent) => throughConductor(agent).flatMap((word) => (word === "--agent" ? [...words, word] : [word])),
    };
    const vitestProgram = join(dirname(packages(context)), "vitest", "vitest.mjs");
    const command = `node ${vitestProgram} run; echo "node=$NODE_OPTIONS"`;
    const agent = { recipe: qwen, binFolder: binFolder(context), route };
    const { model, client, sessionId, workspace } = await openSession(scope(), agent, {
      script: () => [callTool(toolNames.command, { command }), say("Done.")],
      mode: qwen.mode,
      files: { workspace: vitestProject },
    });
    await symlink(dirname(packages(context)), join(workspace, "node_modules"), "junction");
    await client.prompt(sessionId, "Run the tests.");
    // Later requests repeat it.
    return model.requests.find(({ toolResults }) => toolResults.length > 0)?.toolResults[0]?.text ?? "";
  }

  it("is told what failed in fewer bytes, by the variables that agents start with alone", async function () {
    const short = await told(this, []);
    const full = await told(this, ["--command-output", "full"]);
    for (const text of [short, full]) {
      assert.match(text, /expected 3 to be 4/);
      assert.match(text, /total\.test\.js:\d+/);
      assert.match(text, /node=$/m);
    }
    assert.match(full, /passing\.test\.js/);
    assert.doesNotMatch(short, /passing\.test\.js/);
    assert.ok(short.length < full.length, `${short.length} of ${full.length}`);
  });
});

/** Of each row that `usage` prints, the runs by our tools, and in the shell. */
async function countedIn(home: string): Promise<readonly (readonly [number, number])[]> {
  const env = { ...environmentOfThisMachine(), PATH: pathWith(), SYMPOSIUM_CONFIG_DIR: join(home, ".symposium") };
  const { stdout } = await runToEnd({ words: [...conductorWords, "usage", "--json"], env, cwd: home }, 120_000);
  const rows = JSON.parse(stdout) as readonly { readonly toolRuns: number; readonly shellRuns: number }[];
  return rows.map(({ toolRuns, shellRuns }) => [toolRuns, shellRuns]);
}
