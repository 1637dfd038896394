import assert from "node:assert/strict";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentCommand } from "../support/agents/agent-command.js";
import { claude } from "../support/agents/agent-recipes.js";
import { conductorProgram, shellWords } from "../support/conductor-command.js";
import { startFakeModel } from "../support/fake-model/fake-model.js";
import { say } from "../support/fake-model/script.js";
import { parseObject } from "../support/json.js";
import { repositoryRoot } from "../support/repository.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, configFileOf, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { usePackage } from "../support/packages/use-package.js";
import { scaledMs } from "../support/until.js";
import { voicesOverHttp } from "../support/voices-server.js";
import { ZedClient } from "../support/zed-client.js";
import { type InstalledZed, installInZed } from "../support/zed-install.js";

const limitMs = 400_000;

describe(`${claude.name} ${claude.version} in Zed, behind the chain that zed install wrote`, function () {
  this.timeout(scaledMs(limitMs));
  const binFolder = usePackage(claude);
  const scope = useTestScope();

  it("is chosen by selectors, and starts with those of the settings", async function () {
    const open = async (defaults: Readonly<Record<string, string>>): Promise<ZedClient> => {
      const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
      const model = scope().use(await startFakeModel({ script: [say("Done.")] }));
      const { words, env } = await agentCommand(claude, binFolder(this), folder, model.url);
      return (await installInZed(scope(), folder, { text: shellWords(words), env }, { defaults })).zed;
    };
    const zed = await open({});
    const first = await zed.openThread();
    assert.deepEqual(first.modes, []);
    const mode = first.selectors.find(({ category }) => category === "mode");
    const other = mode?.values.find((value) => value !== mode.current);
    assert.ok(mode !== undefined && other !== undefined, JSON.stringify(first.selectors));
    await zed.choose(first, mode.id, other);
    assert.equal(first.selectors.find(({ id }) => id === mode.id)?.current, other);
    await zed[Symbol.asyncDispose]();
    const second = await (await open({ [mode.id]: other })).openThread();
    assert.equal(second.selectors.find(({ id }) => id === mode.id)?.current, other);
  });
});

describe("Zed's quirks", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  async function open(agentWords: readonly string[], contextServers: readonly unknown[] = []): Promise<InstalledZed> {
    const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    const env = commandEnvironment(folder);
    return installInZed(scope(), folder, { text: agentText(...agentWords), env }, { contextServers });
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
      const { zed } = await installInZed(scope(), folder, agent);
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
