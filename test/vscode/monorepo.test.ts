import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { agentCommand } from "../support/agents/agent-command.js";
import { opencode } from "../support/agents/agent-recipes.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say } from "../support/fake-model/script.js";
import { installPackage } from "../support/packages/install-package.js";
import type { PinnedPackage } from "../support/packages/pinned-package.js";
import { pythonWith } from "../support/packages/python-package.js";
import { usePackage } from "../support/packages/use-package.js";
import { nodeFolder, repositoryRoot } from "../support/repository.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { skipAllBecause } from "../support/test-scope.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { type StageOptions, useVsCode } from "./stage.js";

const vitest: PinnedPackage = { package: "vitest", version: "5.1.1", command: "vitest", nodeMajor: 22 };

/** A web part of Vite, with a fault in its code and one in its types, and a part of Python with a fault. */
const project: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ private: true, workspaces: ["web"] }),
  "web/package.json": JSON.stringify({
    ...{ name: "web", private: true, type: "module", scripts: { dev: "vite", test: "vitest" } },
    devDependencies: { vite: "*", vitest: "*", typescript: "*" },
  }),
  "web/vite.config.ts": `import { defineConfig } from "vite";\nexport default defineConfig({});\n`,
  "web/tsconfig.json": JSON.stringify({
    compilerOptions: { strict: true, module: "esnext", moduleResolution: "bundler", target: "es2022", types: [] },
    include: ["src/cart.ts"],
  }),
  "web/src/cart.ts": "export const total = (prices: number[]): string => prices.reduce((sum, one) => sum + one, 1);\n",
  "web/src/cart.test.ts": [
    `import { expect, it } from "vitest";`,
    `import { total } from "./cart";`,
    `it("adds prices", () => expect(total([1, 2])).toBe(3));`,
    `it("is there", () => expect(total).toBeTypeOf("function"));`,
    "",
  ].join("\n"),
  "api/pyproject.toml": `[project]\nname = "api"\nversion = "1.0.0"\n[tool.pytest.ini_options]\n`,
  "api/test_stock.py": "def test_stock():\n    stock = {'apples': 2}\n    assert stock['apples'] == 3\n",
};

describe(`a monorepo of Vite and pytest in a clean VS Code ${newestVsCode.version}`, () => {
  const stack = new AsyncDisposableStack();
  const agentFolder = usePackage(opencode);
  const packages = usePackage(vitest, installPackage);
  let folder: RunFolder;
  let model: FakeModel;
  let settings: StageOptions["settings"] & object;
  before(async function () {
    this.timeout(10 * 60_000);
    const pytest = await pythonWith("pytest", "9.2.0");
    if ("missing" in pytest) skipAllBecause(this, pytest.missing);
    folder = stack.use(await createRunFolder("monorepo"));
    await layOut(folder.workspace, dirname(packages(this)), dirname(dirname(pytest.python)));
    const script = [
      callToolWith(/run_tests$/, {}),
      callToolWith(/check$/, {}),
      callToolWith(/package_sources$/, { name: "vite", from: "web/vite.config.ts" }),
      say("One test of each part fails, and a type is wrong."),
    ];
    model = stack.use(await startFakeModel({ script }));
    const { words, env } = await agentCommand(opencode, agentFolder(this), folder, model.url);
    const [command, ...args] = words;
    // Nothing else is set: the extensions are those that everybody has.
    const agent = { name: opencode.name, command, args, env };
    settings = { "symposium.agents": { mine: agent }, "symposium.currentAgentId": "mine" };
  });
  const stage = useVsCode(newestVsCode, () => ({
    settings,
    // VS Code takes the PATH of a login shell, where this user has a Node on which vitest runs.
    env: ({ home }) => {
      const line = `export PATH="${nodeFolder}:$PATH"\n`;
      for (const name of [".profile", ".bash_profile", ".zprofile"]) writeFileSync(join(home, name), line);
      return {};
    },
  }));
  after(() => stack.disposeAsync());

  it("has its tests run, its types checked and its packages found without being configured", async () => {
    const chat = await stage().openChat({ workspace: folder.workspace });
    await chat.choose(opencode.name);
    await chat.send("Do the tests pass?");
    await chat.ends.waitFor({ timeout: 200_000 });
    await chat.page.getByRole("button", { name: /tests_run_tests/ }).click();
    await chat.page.locator(".tool-body", { hasText: "test_stock.py" }).waitFor();
    await chat.window.screenshot("monorepo");
    assert.equal((await chat.answerTexts()).at(-1)?.trim(), "One test of each part fails, and a type is wrong.");
    const told = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
    const find = (text: RegExp): string => told.find((one) => text.test(one)) ?? told.join("\n---\n");
    const tests = find(/^vitest|^pytest/m);
    assert.match(tests, /vitest[ \d.]* in web: 1 failed, 1 passed, exit 1 \[/);
    assert.match(tests, /src\/cart\.test\.ts:3/);
    assert.match(tests, /pytest[ \d.]* in api: 1 failed/);
    assert.match(tests, /test_stock\.py:3/);
    assert.match(find(/^tsc/m), /src\/cart\.ts.*1:\d+ TS2322/s);
    assert.match(find(/\(npm\)/), /^vite \d[\d.]* \(npm\)\n/);
  });
});

/** The project with what its package managers would have installed: links into the caches of the tests. */
async function layOut(workspace: string, nodeModules: string, python: string): Promise<void> {
  for (const [path, text] of Object.entries(project)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  const installed = join(workspace, "web", "node_modules");
  await mkdir(installed);
  for (const name of await readdir(nodeModules)) {
    if (!name.startsWith(".")) await symlink(join(nodeModules, name), join(installed, name), "junction");
  }
  await symlink(join(repositoryRoot, "node_modules", "typescript"), join(installed, "typescript"), "junction");
  await symlink(python, join(workspace, "api", ".venv"), "junction");
}
