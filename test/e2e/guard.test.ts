import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents, claude, codex, copilot, gemini, opencode, qwen } from "../support/agents/agent-recipes.js";
import { runToEnd } from "../support/child.js";
import { conductorWords, shellWords, throughConductor } from "../support/conductor-command.js";
import { callToolWith, say, type ScriptStep, toolNames } from "../support/fake-model/script.js";
import { parseObject } from "../support/json.js";
import { usePackage } from "../support/packages/use-package.js";
import { repositoryRoot } from "../support/repository.js";
import { commandEnvironment, configFolderOf, createCommandFolder } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";
import { openSession } from "../support/agents/agent-session.js";
import { widestModes } from "../support/agents/widest-modes.js";
import { scaledMs } from "../support/until.js";

const fileName = "greeting.txt";
const oddServer = join(repositoryRoot, "core", "dist", "test", "context", "servers", "node", "odd-server.js");
const route = { name: "through the conductor", words: (words: readonly string[]) => throughConductor(words) };

for (const recipe of [codex, qwen, copilot]) {
  describe(`${recipe.name} ${recipe.version} behind a rule of the user`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();
    const wide = recipe.name === "copilot" ? { ...recipe, args: [...recipe.args, "--allow-all-tools"] } : recipe;

    it("does not run a command that the rule denies, although it asks for nothing", async function () {
      await assertDenied(scope(), wide, binFolder(this));
    });
  });
}

/** The command is read of its file, and the agent runs another one of the same folder. */
async function assertDenied(scope: AsyncDisposableStack, recipe: AgentRecipe, binFolder: string): Promise<void> {
  const run = (command: string): ScriptStep =>
    callToolWith(toolNames.command, recipe.name === "codex" ? { cmd: command } : { command, description: "Look." });
  const rules = [{ effect: "deny", command: ["cat", "git push"] }];
  const agent = { recipe, binFolder, route };
  const { client, sessionId, model } = await openSession(scope, agent, {
    script: () => [run("cat denied.txt"), run("head -n 1 read.txt"), say("All done.")],
    mode: widestModes[recipe.name],
    files: {
      workspace: { "denied.txt": "the-denied-words", "read.txt": "the-read-words" },
      home: (modelUrl) => {
        const all = [...rules, { effect: "allow", host: new URL(modelUrl).host }];
        return { ".symposium/guard.jsonc": JSON.stringify({ rules: all }) };
      },
    },
  });
  await client.prompt(sessionId, "Look at the files.");
  const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
  assert.deepEqual(
    { denied: results.includes("the-denied-words"), read: results.includes("the-read-words") },
    { denied: false, read: true },
    results,
  );
  // It has that from a program of ours, which it asks before each command.
  if (recipe.name === "codex") assert.match(results, /The user's rules deny this command: cat/);
}

for (const recipe of agents.filter(({ name }) => name === "codex")) {
  describe(`${recipe.name} ${recipe.version} behind a file of rules with a fault`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("runs no command, and its model reads why, until the file is mended", async function () {
      const run = (): ScriptStep => callToolWith(toolNames.command, { cmd: "cat read.txt" });
      const agent = { recipe, binFolder: binFolder(this), route };
      const { client, sessionId, model, home } = await openSession(scope(), agent, {
        script: () => [run(), say("All done.")],
        mode: widestModes[recipe.name],
        files: {
          workspace: { "read.txt": "the-read-words" },
          home: { ".symposium/guard.jsonc": '{"rules": [{"effect": "dney", "command": "git push"}]}' },
        },
      });
      const results = (): string => model.requests.flatMap((one) => one.toolResults.map(({ text }) => text)).join("\n");
      await client.prompt(sessionId, "Look.");
      assert.match(results(), /guard\.jsonc:1:\d+: "effect" is "dney".*The user has to fix the file/s);
      assert.doesNotMatch(results(), /the-read-words/);
      await writeFile(join(home, ".symposium/guard.jsonc"), '{"rules": [{"effect": "deny", "command": "git push"}]}');
      const later = await client.newSession();
      if (widestModes[recipe.name] !== undefined) await client.setMode(later.sessionId, widestModes[recipe.name] ?? "");
      await client.prompt(later.sessionId, "Look again.");
      assert.match(results(), /the-read-words/);
    });
  });
}

for (const recipe of [opencode, gemini, claude]) {
  describe(`${recipe.name} ${recipe.version} behind a rule of the user`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("does not run a command that the rule denies, in its widest mode", async function () {
      await assertDenied(scope(), recipe, binFolder(this));
    });

    it("does not call the tool of a server that the rule denies, and calls another", async function () {
      const odd = { command: "node", args: [oddServer], env: {} };
      // A pattern that agents do not take themselves: Claude would not even show the tool to its model.
      const rules = [{ effect: "deny", mcp: "odd/whe*", reason: "Places are private." }];
      const agent = { recipe, binFolder: binFolder(this), route };
      const { client, sessionId, model, home } = await openSession(scope(), agent, {
        script: () => [callToolWith(/where$/i, {}), callToolWith(/grow$/i, {}), say("All done.")],
        mode: recipe.mcpMode,
        files: {
          home: {
            ".symposium/guard.jsonc": JSON.stringify({ rules }),
            ".symposium/config.jsonc": JSON.stringify({ mcpServers: { odd } }),
          },
        },
      });
      await client.prompt(sessionId, "Use the tools.");
      const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
      // If the agent asks for permission, the guard's refusal can't include the reason. Otherwise, the guard refuses the server call.
      assert.match(results, /Places are private|refused permission|canceled by the user/);
      assert.match(results, /one more/);
      assert.doesNotMatch(results, / \d+$/m, "where says a folder and a number");
      const log = await readFile(join(home, ".symposium", "guard", "log.jsonl"), "utf8");
      assert.match(log, /"subject":"mcp odd\/where".*"answer":"deny"/);
    });

    it("is stopped where its budget is used up, and goes on when the user says so", async function () {
      const agent = { recipe, binFolder: binFolder(this), route };
      const { client, sessionId } = await openSession(scope(), agent, {
        script: (folder) => [
          recipe.createsFile(join(folder, "one.txt")),
          recipe.createsFile(join(folder, "two.txt")),
          say("All done."),
        ],
        mode: recipe.mode,
        files: { home: { ".symposium/guard.jsonc": JSON.stringify({ budgets: { session: { toolCalls: 1 } } }) } },
      });
      const { stopReason } = await client.prompt(sessionId, "Create the files.");
      const titles = client.permissionRequests.map(({ toolCall }) => toolCall.title);
      assert.equal(stopReason, "end_turn");
      assert.ok(titles.includes("Allow another 1 tool call?"), JSON.stringify(titles));
    });

    it("does not write the file that the rule denies, and nobody is asked", async function () {
      // A pattern that agents do not take themselves, so that it is the guard that answers.
      const rules = [{ effect: "deny", write: `{${fileName},other.txt}`, reason: "Greetings are written by people." }];
      const agent = { recipe, binFolder: binFolder(this), route };
      const { client, sessionId, workspace, home } = await openSession(scope(), agent, {
        script: (folder) => [recipe.createsFile(join(folder, fileName)), say("All done.")],
        mode: recipe.mode,
        files: { home: { ".symposium/guard.jsonc": JSON.stringify({ rules }) } },
      });
      await client.prompt(sessionId, `Create ${fileName}.`);
      const log = await readFile(join(home, ".symposium", "guard", "log.jsonl"), "utf8");
      assert.deepEqual(
        {
          isWritten: existsSync(join(workspace, fileName)),
          questions: client.permissionRequests.length,
          answers: [
            ...new Set(
              log
                .trim()
                .split("\n")
                .map((line) => (JSON.parse(line) as { answer: string }).answer),
            ),
          ],
        },
        { isWritten: false, questions: 0, answers: ["deny"] },
      );
    });
  });
}

describe("guard test", () => {
  const scope = useTestScope();

  it("says what would become of a command and why, and guard rules what is wrong with a file", async () => {
    const folder = scope().use(await createCommandFolder());
    const run = async (...words: readonly string[]): Promise<readonly unknown[]> => {
      const command = [...conductorWords, "guard", ...words];
      const outcome = await runToEnd(
        { words: command, env: commandEnvironment(folder), cwd: folder.workspace },
        120_000,
      );
      return [outcome.code, outcome.stdout.trim(), outcome.stderr.trim()];
    };
    assert.deepEqual(await run("test", "git push"), [0, "no rule applies: the agent decides whether to ask you", ""]);
    await mkdir(configFolderOf(folder), { recursive: true });
    const file = join(configFolderOf(folder), "guard.jsonc");
    await writeFile(file, '{"rules": [\n{"effect": "deny", "command": "git push", "reason": "CI pushes."}\n]}');
    const rule = `git push (${file}:2)`;
    assert.deepEqual(await run("test", "cd src && git push -f"), [0, `deny: command ${rule}: CI pushes.`, ""]);
    assert.deepEqual(await run("test", "--mcp", "github/get"), [
      0,
      "no rule applies: the agent decides whether to ask you",
      "",
    ]);
    assert.deepEqual(await run("rules"), [0, `deny command git push: CI pushes. (${file}:2)`, ""]);
    assert.deepEqual(await run("log"), [0, "No decisions yet.", ""]);
    const said = `"claud-code" isn't a known agent, so this applies only to one of your own agents with that name. Did you mean "claude-code"?`;
    const [, added, warned] = await run("add", "allow", "host", "a.example", "--agent", "claud-code");
    assert.match(String(added), /^Added: allow host a\.example/);
    assert.ok(String(warned).includes(said), String(warned));
    assert.equal((await run("add", "allow", "host", "b.example", "--agent", "claude-code"))[2], "");
    await writeFile(file, '{"rules": [{"effect": "no"}]}');
    const [code, , problem] = await run("rules");
    assert.equal(code, 1);
    assert.match(String(problem), /guard\.jsonc:1:13: "effect" is "no"\. It must be "deny", "ask", "allow"\./);
  });
});

describe("guard hook", () => {
  const scope = useTestScope();

  it("refuses what is denied and what cannot be judged, with the reason, and a broken file's rules until it is mended", async function () {
    if (process.platform === "win32") this.skip();
    const folder = scope().use(await createCommandFolder());
    const run = async (input: string, ...words: readonly string[]): Promise<readonly unknown[]> => {
      const hook = shellWords([...conductorWords, "guard", "hook", ...words]);
      const command = ["/bin/sh", "-c", `printf '%s' "$1" | ${hook}`, "sh", input];
      const given = { words: command, env: commandEnvironment(folder), cwd: folder.workspace };
      const { code, stderr } = await runToEnd(given, 120_000);
      return [code, stderr.trim().replace(/^(.*?[.:]).*$/s, "$1")];
    };
    const asking = (command: unknown): string => JSON.stringify({ tool_name: "Bash", tool_input: { command } });
    assert.deepEqual(await run(asking("git pull"), "git push"), [0, ""]);
    assert.deepEqual(await run(asking("cd x && git push"), "git push"), [2, "The user's rules deny this command:"]);
    const hidden = asking("git -c alias.p=push p");
    assert.deepEqual(await run(hidden, "git push"), [2, "The user's rules deny this command:"]);
    for (const harmless of [
      "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' git status",
      "git config alias.co checkout",
    ]) {
      assert.deepEqual(await run(asking(harmless), "git push"), [0, ""], harmless);
    }
    const unknown = "Symposium can't tell whether the user's rules deny this command, so it is refused.";
    for (const input of [
      "",
      "not JSON",
      "{}",
      asking(1),
      asking(`true ${"x".repeat(10_000)}`),
      asking("echo 'x"),
      asking("GIT_CONFIG_COUNT=1 git p"),
    ]) {
      assert.deepEqual(await run(input, "git push"), [2, unknown], input.slice(0, 40));
    }
    const file = join(configFolderOf(folder), "guard.jsonc");
    const unread = [`--unread=${file}`, "--", "git push"];
    assert.deepEqual(await run(asking("git pull"), ...unread), [2, unknown]);
    await mkdir(configFolderOf(folder), { recursive: true });
    await writeFile(file, '{"rules": [{"effect": "no", "command": "git pull"}]}');
    assert.deepEqual(await run(asking("git pull"), ...unread), [2, unknown]);
    await writeFile(file, '{"rules": [{"effect": "deny", "command": "git pull"}]}');
    assert.deepEqual(await run(asking("git pull"), ...unread), [2, "The user's rules deny this command:"]);
    assert.deepEqual(await run(asking("git push"), ...unread), [2, "The user's rules deny this command:"]);
    assert.deepEqual(await run(asking("git status"), ...unread), [0, ""]);
  });
});

describe("guard offer", () => {
  const scope = useTestScope();

  it("tells once that an agent could run in a sandbox, where one starts, and root nothing", async () => {
    const folder = scope().use(await createCommandFolder());
    const run = async (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
      const command = [...conductorWords, "guard", ...words];
      const given = { words: command, env: commandEnvironment(folder), cwd: folder.workspace };
      return parseObject((await runToEnd(given, 120_000)).stdout);
    };
    const { sandbox: state } = await run("status", "--json");
    const { isThere, isRoot } = state as { readonly isThere: boolean; readonly isRoot?: boolean };
    const command = JSON.stringify({ name: "mine", command: "codex-acp", args: [], env: [] });
    const windows = await Promise.all([1, 2, 3].map(() => run("offer", "--json", command)));
    const told = windows.map(({ sandbox }) => sandbox).filter((one) => one !== null);
    assert.deepEqual(told, isThere && isRoot !== true ? [{ id: "mine", name: "Codex" }] : []);
    assert.deepEqual(await run("offer", "--json", command), { sandbox: null });
  });
});
