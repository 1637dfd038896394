import assert from "node:assert/strict";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { usualAgents, writtenText } from "../support/agents/agent-recipes.js";
import { runToEnd } from "../support/child.js";
import { conductorProgram, shellWords } from "../support/conductor-command.js";
import { startFakeModel, type FakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say, type ScriptStep, talkUntilCancelled } from "../support/fake-model/script.js";
import { arrayOf, objectOf, parseObject, stringOf } from "../support/json.js";
import { repositoryRoot } from "../support/repository.js";
import type { RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, configFileOf, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { usePackage } from "../support/packages/use-package.js";
import { voicesOverHttp } from "../support/voices-server.js";
import { ZedClient, type ZedAgentServer, type ZedOptions } from "../support/zed-client.js";
import { scaledMs } from "../support/until.js";

const limitMs = 400_000;
const fileName = "greeting.txt";
const agents = usualAgents.filter(({ name }) => name === "opencode" || name === "claude");

/** A Zed whose settings `zed install` has changed, and what stands behind its agent. */
interface Installed {
  readonly zed: ZedClient;
  readonly folder: RunFolder;
}

/** Installs the chain before `agentWords` into the settings of an empty home, and connects a Zed to that entry. */
async function installed(
  scope: AsyncDisposableStack,
  folder: RunFolder,
  agent: { readonly text: string; readonly env: Readonly<Record<string, string>> },
  options: Pick<ZedOptions, "contextServers"> & { readonly defaults?: Readonly<Record<string, string>> } = {},
): Promise<Installed> {
  const env = { ...agent.env, ...commandEnvironment(folder), PATH: agent.env["PATH"] ?? "" };
  const words = ["node", conductorProgram, "zed", "install", "--agent", agent.text];
  const { code, stderr } = await runToEnd({ words, env, cwd: folder.workspace }, limitMs);
  assert.equal(code, 0, stderr);
  const settings = parseObject(await readFile(join(folder.home, ".config", "zed", "settings.json"), "utf8"));
  const [entry] = Object.values(objectOf(settings["agent_servers"])).map(objectOf);
  const server: ZedAgentServer = {
    command: stringOf(entry?.["command"]),
    args: arrayOf(entry?.["args"]).map(stringOf),
    env: Object.fromEntries(Object.entries(objectOf(entry?.["env"])).map(([name, value]) => [name, stringOf(value)])),
    ...(options.defaults && { default_config_options: options.defaults }),
  };
  scope.defer(async () => assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map()));
  const zed = scope.use(new ZedClient({ server, project: folder.workspace, env, ...options }));
  await zed.connect();
  return { zed, folder };
}

for (const recipe of agents) describeAgent(recipe);

function describeAgent(recipe: AgentRecipe): void {
  describe(`${recipe.name} ${recipe.version} in Zed, behind the chain that zed install wrote`, function () {
    this.timeout(scaledMs(limitMs));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    async function open(
      context: Mocha.Context,
      script: (workspace: string) => readonly ScriptStep[],
      options: Parameters<typeof installed>[3] = {},
    ): Promise<Installed & { readonly model: FakeModel }> {
      const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
      const model = scope().use(await startFakeModel({ script: script(folder.workspace) }));
      const { words, env } = await agentCommand(recipe, binFolder(context), folder, model.url);
      return { ...(await installed(scope(), folder, { text: shellWords(words), env }, options)), model };
    }

    it("asks, creates a file and ends the turn", async function () {
      const { zed, folder } = await open(this, (workspace) => [
        recipe.createsFile(join(workspace, fileName)),
        say("All ", "done."),
      ]);
      const thread = await zed.openThread();
      const stopReason = await zed.send(thread, `Create ${fileName}.`);
      const content = (await readFile(join(folder.workspace, fileName), "utf8")).trim();
      const states = new Set([...thread.toolCalls.values()].map(({ status }) => status));
      assert.deepEqual(
        { stopReason, content, states, hasAsked: zed.permissionRequests.length > 0, faults: zed.faults },
        { stopReason: "end_turn", content: writtenText, states: new Set(["completed"]), hasAsked: true, faults: [] },
      );
      assert.match(thread.text, /All done\./);
    });

    it("announces its slash commands; others never leave Zed", async function () {
      const { zed } = await open(this, () => [say("Done.")]);
      const thread = await zed.openThread();
      await thread.until(() => thread.commands.length > 0);
      await assert.rejects(zed.send(thread, "/no-such-command"), /is not a command of this agent/);
    });

    it("is chosen by selectors, and starts with those of the settings", async function () {
      const { zed } = await open(this, () => [say("Done.")]);
      const first = await zed.openThread();
      assert.deepEqual(first.modes, []);
      const mode = first.selectors.find(({ category }) => category === "mode");
      const other = mode?.values.find((value) => value !== mode.current);
      assert.ok(mode !== undefined && other !== undefined, JSON.stringify(first.selectors));
      await zed.choose(first, mode.id, other);
      assert.equal(first.selectors.find(({ id }) => id === mode.id)?.current, other);
      await zed[Symbol.asyncDispose]();
      const again = await open(this, () => [say("Done.")], { defaults: { [mode.id]: other } });
      const second = await again.zed.openThread();
      assert.equal(second.selectors.find(({ id }) => id === mode.id)?.current, other);
    });

    it("calls a tool of a context server that Zed sends along", async function () {
      const { url } = scope().use(await voicesOverHttp());
      const contextServers = [{ type: "http", name: "voices", url, headers: [] }];
      const shout = callToolWith(/shout$/, { text: "reached the model" });
      const { zed, model } = await open(this, () => [shout, say("Done.")], { contextServers });
      const thread = await zed.openThread();
      assert.equal(await zed.send(thread, "Shout."), "end_turn");
      const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
      assert.match(results.join("\n"), /REACHED THE MODEL/);
    });

    it("holds several threads at once, each with its own answer", async function () {
      const { zed } = await open(this, () => [say("This is ", "for you.")]);
      const threads = [await zed.openThread(), await zed.openThread(), await zed.openThread()];
      const stopReasons = await Promise.all(threads.map((thread) => zed.send(thread, "Hello.")));
      assert.deepEqual(stopReasons, ["end_turn", "end_turn", "end_turn"]);
      for (const { text } of threads) assert.match(text, /This is for you\./);
      assert.equal(new Set(threads.map(({ sessionId }) => sessionId)).size, 3);
    });

    it("leaves nothing behind when Zed kills it in the middle of a turn", async function () {
      const { zed, folder } = await open(this, () => [talkUntilCancelled]);
      const thread = await zed.openThread();
      const turn = zed.send(thread, "Tell me a long story.");
      await Promise.race([thread.until(() => thread.text !== ""), turn]);
      await Promise.all([zed.drop(), assert.rejects(turn)]);
      assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map());
    });
  });
}

describe("Zed's quirks", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  async function open(agentWords: readonly string[], contextServers: readonly unknown[] = []): Promise<Installed> {
    const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    const env = commandEnvironment(folder);
    return installed(scope(), folder, { text: agentText(...agentWords), env }, { contextServers });
  }

  it("spare an agent that takes no http servers: those that Zed sends all the same are left out", async () => {
    const { url } = scope().use(await voicesOverHttp());
    const { zed } = await open(
      ["--no-http"],
      [
        { type: "http", name: "voices", url, headers: [] },
        { name: "silent", command: "/bin/true", args: [], env: [] },
      ],
    );
    const thread = await zed.openThread();
    assert.equal(await zed.send(thread, "mcp"), "end_turn");
    assert.deepEqual(
      thread.text
        .split("\n")
        .filter(Boolean)
        .map((line) => parseObject(line)["name"]),
      ["silent"],
    );
  });

  it("show an agent's edit for review where it is written through Zed, and run its terminals", async () => {
    const { zed, folder } = await open([]);
    const [source, target] = ["in.txt", "out.txt"].map((name) => join(folder.workspace, name));
    await writeFile(source ?? "", "quiet");
    const thread = await zed.openThread();
    assert.equal(await zed.send(thread, `fs ${source ?? ""} ${target ?? ""}\nterminal node --version`), "end_turn");
    assert.deepEqual(zed.project.review, new Map([["out.txt", { before: undefined, after: "QUIET" }]]));
    assert.deepEqual([await readFile(target ?? "", "utf8"), zed.faults], ["QUIET", []]);
  });

  it("hide updates that Zed does not know, and nothing around them", async () => {
    const { zed } = await open([]);
    const thread = await zed.openThread();
    assert.equal(await zed.send(thread, "updates\necho still here"), "end_turn");
    assert.ok(thread.ignored.length > 0);
    assert.match(thread.text, /still here\n$/);
  });

  for (const form of ["appended", "whole"] as const) {
    it(`lead a sign-in in a terminal to the agent behind the chain, its command ${form}`, async () => {
      const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
      const program = join(folder.root, "agent.mjs");
      await copyFile(join(repositoryRoot, "test", "fixtures", "terminal-sign-in", "agent.mjs"), program);
      const agent = { text: shellWords(["node", program]), env: commandEnvironment(folder) };
      const { zed } = await installed(scope(), folder, agent);
      await assert.rejects(zed.openThread(), /Authentication required/);
      const { code, stderr } = await zed.signInInTerminal("login", form);
      assert.equal(code, 0, stderr);
      assert.equal(await zed.send(await zed.openThread(), "Hello."), "end_turn");
    });
  }

  it("lead the set-up to a terminal where the configuration is broken", async () => {
    const { zed, folder } = await open([]);
    await writeFile(configFileOf(folder), "{ oops");
    await zed[Symbol.asyncDispose]();
    const server = { command: "node", args: [conductorProgram, "zed", "run", "--agent", agentText()], env: {} };
    const again = scope().use(new ZedClient({ server, project: folder.workspace, env: commandEnvironment(folder) }));
    assert.deepEqual(await again.connect(), ["Set up Symposium"]);
    // Nobody types there.
    const { code, stdout, stderr } = await again.signInInTerminal("symposium-setup", "appended");
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^Which agent would you like to use\?[^]*Nothing was saved\.\n$/);
  });

  it("leave no process of an agent that ignores everything when Zed is closed", async () => {
    const { zed, folder } = await open(["--ignore-eof", "--ignore-sigterm"]);
    await zed.openThread();
    await zed.drop();
    assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map());
  });
});
