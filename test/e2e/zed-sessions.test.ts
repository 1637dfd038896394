import assert from "node:assert/strict";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents } from "../support/agents/agent-recipes.js";
import { conductorProgram, shellWords } from "../support/conductor-command.js";
import { startFakeModel } from "../support/fake-model/fake-model.js";
import { say } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import type { RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, configFileOf, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";
import { ZedClient } from "../support/zed-client.js";

const limitMs = 400_000;

/** Folders in the home folder that contain agents' own session records. Agents can't restore sessions without these records. */
const ownFolders: Readonly<Record<string, string>> = {
  opencode: ".local/share/opencode",
  gemini: ".gemini/tmp",
  copilot: ".copilot/session-state",
};

async function openZed(
  scope: AsyncDisposableStack,
  folder: RunFolder,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ZedClient> {
  const server = { command: "node", args: [conductorProgram, ...words], env: {} };
  const whole = {
    ...env,
    ...commandEnvironment(folder),
    PATH: env["PATH"] ?? commandEnvironment(folder)["PATH"] ?? "",
  };
  const zed = scope.use(new ZedClient({ server, project: folder.workspace, env: whole }));
  await zed.connect();
  return zed;
}

async function keptFiles(folder: RunFolder): Promise<readonly string[]> {
  const sessions = join(dirname(configFileOf(folder)), "sessions");
  const names = await readdir(sessions).catch(() => []);
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => join(sessions, name));
}

/** How many turns that are kept have their end on disk. */
async function keptTurns(folder: RunFolder): Promise<number> {
  const texts = await Promise.all((await keptFiles(folder)).map((file) => readFile(file, "utf8")));
  return texts.join("").split('"end":').length - 1;
}

for (const recipe of agents.filter(({ name }) => name in ownFolders)) describeAgent(recipe);

function describeAgent(recipe: AgentRecipe): void {
  describe(`the history in Zed, of ${recipe.name} ${recipe.version}`, function () {
    this.timeout(scaledMs(limitMs));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("lists, loads, goes on with and deletes a thread that its agent has lost, in another process", async function () {
      const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
      scope().defer(async () => assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map()));
      const model = scope().use(await startFakeModel({ script: [say("It is a pangolin.")] }));
      const { words, env } = await agentCommand(recipe, binFolder(this), folder, model.url);
      const run = ["zed", "run", "--agent", shellWords(words)];
      const first = await openZed(scope(), folder, run, env);
      if (recipe.authMethod !== undefined) await first.signIn(recipe.authMethod);
      const begun = await first.openThread();
      const { sessionId } = begun;
      await first.send(begun, "Which animal is it?");
      assert.equal(
        await until(
          () => keptTurns(folder),
          (count) => count > 0,
        ),
        1,
      );
      await first.drop();
      await rm(join(folder.home, ownFolders[recipe.name] ?? ""), { recursive: true, force: true });

      const second = await openZed(scope(), folder, run, env);
      if (recipe.authMethod !== undefined) await second.signIn(recipe.authMethod);
      assert.deepEqual([...(await second.listThreads()).keys()], [sessionId]);
      const thread = await second.reopenThread(sessionId);
      assert.equal(thread.text, "It is a pangolin.");
      const before = model.requests.length;
      assert.equal(await second.send(thread, "And which one was it?"), "end_turn");
      const asked = model.requests.slice(before).map(({ userText }) => userText);
      assert.ok(
        asked.some((text) =>
          [/Which animal is it\?/, /It is a pangolin/, /And which one was it\?/].every((one) => one.test(text)),
        ),
        JSON.stringify(asked),
      );
      assert.equal(thread.text, "It is a pangolin.It is a pangolin.");
      await second.deleteThread(sessionId);
      assert.deepEqual([...(await second.listThreads()).keys()], []);
      assert.deepEqual(
        await until(
          () => keptFiles(folder),
          (files) => files.length === 0,
        ),
        [],
      );
      assert.deepEqual(second.faults, []);
    });
  });
}

describe("the history in Zed, of agents to choose from", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  it("has the threads of all of them, each of which opens with its own agent", async () => {
    const config = JSON.stringify({ agent: agentText(), proxies: [] });
    const folder = scope().use(await createCommandFolder(config));
    const first = await openZed(scope(), folder, []);
    const scripted = await first.openThread();
    await first.send(scripted, "echo from the script");
    const eliza = await first.openThread();
    await first.choose(eliza, "symposium.agent", "eliza");
    await first.send(eliza, "I am sad about pangolins.");
    assert.equal(
      await until(
        () => keptTurns(folder),
        (count) => count === 2,
      ),
      2,
    );
    await first[Symbol.asyncDispose]();
    // The pick was saved; the agent that was there before is configured again.
    await writeFile(configFileOf(folder), config);

    const second = await openZed(scope(), folder, []);
    const titles = await second.listThreads();
    assert.deepEqual([...titles].sort(byTitle), [
      [eliza.sessionId, "I am sad about pangolins."],
      [scripted.sessionId, "echo from the script"],
    ]);
    const answer = eliza.text;
    const again = await second.reopenThread(eliza.sessionId);
    assert.equal(again.text, answer);
    await second.send(again, "Hello");
    assert.notEqual(again.text, answer);
    const script = await second.reopenThread(scripted.sessionId);
    await second.send(script, "echo once more");
    assert.match(script.text, /once more\n$/);
    await second.deleteThread(eliza.sessionId);
    assert.deepEqual([...(await second.listThreads()).keys()], [scripted.sessionId]);
    assert.deepEqual(second.faults, []);
  });
});

describe("the notice in Zed that conversations are stored", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  it("is said once, below an answer, and is no part of the conversation", async () => {
    const folder = scope().use(await createCommandFolder(JSON.stringify({ agent: agentText(), proxies: [] })));
    const zed = await openZed(scope(), folder, []);
    const first = await zed.openThread();
    // The script may answer before the file is there: then a later answer has it.
    await until(
      () => zed.send(first, "echo one").then(() => first.notices),
      (notices) => notices !== "",
    );
    assert.match(first.notices, /conversations are stored in `[^`]+sessions`[^]*"keep": false/);
    assert.match(first.text, /^(?:one\n)+$/);
    const said = first.notices;
    const next = await zed.openThread();
    await zed.send(next, "echo two");
    await zed.send(first, "echo three");
    const files = await until(
      () => keptFiles(folder),
      (found) => found.length === 2,
    );
    assert.equal(files.length, 2);
    await zed.drop();
    const again = await openZed(scope(), folder, []);
    const reopened = await again.reopenThread(first.sessionId);
    await again.send(reopened, "echo four");
    assert.deepEqual([first.notices, next.notices, reopened.notices], [said, "", ""]);
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
    assert.doesNotMatch(texts.join(""), /conversations are stored/);
  });
});

function byTitle([, one]: readonly [string, string], [, other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}
