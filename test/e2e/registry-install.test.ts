import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { arrayOf, objectOf, stringOf } from "../support/json.js";
import { StartedCommand } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { RegistryStage } from "./registry-stage.js";
import { scaledMs } from "../support/until.js";

const left = { code: 0, signal: null };

function agent(version: string) {
  return { main: "agent-main.js", args: ["--name", `scripted ${version}`] } as const;
}

/** The JSON of `registry installed`, without what a test cannot know. */
function summaryOf(installed: unknown): unknown[] {
  return arrayOf(installed).map((one) => {
    const { id, version, pinned, previous } = objectOf(one);
    return { id, version, ...(pinned !== undefined && { pinned }), ...(previous !== undefined && { previous }) };
  });
}

describe("registry install", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  async function open(): Promise<RegistryStage> {
    const stage = await RegistryStage.open(scope());
    stage.publish({ agents: [await stage.entry("scripted", "1.0.0", agent("1.0.0"))] });
    return stage;
  }

  /** Starts a chain, asks its agent for a word, and returns the agent's name and the words. */
  async function conversation(stage: RegistryStage, ...words: readonly string[]): Promise<[string, string]> {
    const started = await StartedCommand.start(scope(), words, { env: stage.env });
    const { client } = started;
    const { value } = await client.initialize();
    const sessionId = await client.newSession();
    const { isError, text } = await client.prompt(sessionId, "echo hello");
    assert.equal(isError, false, text);
    client.endInput();
    await started.endsCleanly(left);
    return [stringOf(objectOf(objectOf(value)["agentInfo"])["name"]), client.peer.text.trim()];
  }

  it("installs an agent of the list, which then answers a prompt by its id, also as the configured agent", async () => {
    const stage = await open();
    const listed = arrayOf(await stage.json("registry", "list")).map(objectOf);
    assert.deepEqual(
      listed.find(({ id }) => id === "scripted"),
      { id: "scripted", name: "scripted", version: "1.0.0", description: "The scripted", origin: "registry" },
    );
    assert.deepEqual(await stage.installedNames(), []);

    const { code, stdout, stderr } = await stage.run("registry", "install", "scripted", "--json");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Downloading .*\nVerifying .*\nUnpacking .*\nStarting scripted 1\.0\.0\n.*is installed\n$/s);
    assert.deepEqual(summaryOf([JSON.parse(stdout)]), [{ id: "scripted", version: "1.0.0" }]);

    const resolved = objectOf(await stage.json("registry", "resolve-agent", "scripted"));
    const program = join(stage.configFolder, "bin", "scripted", "1.0.0", "program.mjs");
    const words = [resolved["command"], ...arrayOf(resolved["args"])];
    assert.deepEqual([resolved["name"], words.at(-1), resolved["env"]], ["scripted", program, []]);

    const expected = ["scripted 1.0.0", "hello"];
    assert.deepEqual(await conversation(stage, "run-with", "--agent", "scripted"), expected);
    await stage.configure({ agent: "scripted", proxies: [] });
    assert.deepEqual(await conversation(stage, "run"), expected);
  });

  it("resolves an agent that is not installed yet by installing it, with only the result on stdout", async () => {
    const stage = await open();
    const { code, stdout, stderr } = await stage.run("registry", "resolve-agent", "scripted");
    assert.equal(code, 0, stderr);
    assert.equal(objectOf(JSON.parse(stdout))["name"], "scripted");
    assert.match(stderr, /Downloading .*scripted-1\.0\.0\.tar\.gz/);
    assert.deepEqual(await stage.installedNames(), ["scripted"]);
  });

  it("starts nothing that is not installed, and says what to do, without asking the registry", async () => {
    const stage = await open();
    const asAgent = await stage.run("run-with", "--agent", "scripted");
    assert.equal(asAgent.code, 2);
    assert.match(
      asAgent.stderr,
      /"scripted" isn't a known agent, .* run `symposium-acp-agent registry install scripted`/,
    );
    const asProxy = await stage.run("run-with", "--proxy", "scripted", "--agent", "eliza");
    assert.equal(asProxy.code, 2);
    assert.match(asProxy.stderr, /run `symposium-acp-agent registry install --extension scripted`/);
    assert.deepEqual([stage.requests, await stage.installedNames()], [[], []]);
  });

  it("updates to a newer version, returns to the one before and keeps it until it is unpinned", async () => {
    const stage = await open();
    await stage.json("registry", "install", "scripted");
    stage.publish({ agents: [await stage.entry("scripted", "2.0.0", agent("2.0.0"))] });
    const installed = async (): Promise<unknown[]> => summaryOf(await stage.json("registry", "installed"));
    const versionAfter = async (...words: string[]): Promise<unknown> =>
      objectOf(await stage.json("registry", ...words))["version"];

    const [updated] = arrayOf(await stage.json("registry", "update")).map(objectOf);
    assert.deepEqual([updated?.["before"], updated?.["version"]], ["1.0.0", "2.0.0"]);
    assert.deepEqual(await conversation(stage, "run-with", "--agent", "scripted"), ["scripted 2.0.0", "hello"]);
    assert.deepEqual(await installed(), [{ id: "scripted", version: "2.0.0", previous: "1.0.0" }]);

    assert.equal(await versionAfter("rollback", "scripted"), "1.0.0");
    const pinned = [{ id: "scripted", version: "1.0.0", pinned: "1.0.0", previous: "2.0.0" }];
    assert.deepEqual(await installed(), pinned);
    await stage.json("registry", "update", "scripted");
    assert.deepEqual(await installed(), pinned);
    assert.deepEqual(await conversation(stage, "run-with", "--agent", "scripted"), ["scripted 1.0.0", "hello"]);

    assert.equal(await versionAfter("pin", "scripted", "2.0.0"), "2.0.0");
    assert.equal(await versionAfter("unpin", "scripted"), "2.0.0");
    assert.deepEqual(await installed(), [{ id: "scripted", version: "2.0.0", previous: "1.0.0" }]);
    const unknown = await stage.run("registry", "pin", "scripted", "9.9.9");
    assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
    assert.match(unknown.stderr, /scripted 9\.9\.9 is not installed\. Installed: /);
  });

  it("says how much of the disk an installation takes, and removes all of it", async () => {
    const stage = await open();
    await stage.json("registry", "install", "scripted");
    const [installed] = arrayOf(await stage.json("registry", "installed")).map(objectOf);
    assert.ok(Number(installed?.["bytes"]) > 100);
    assert.deepEqual(await stage.json("registry", "remove", "scripted"), { id: "scripted", removed: true });
    assert.deepEqual(await stage.json("registry", "installed"), []);
    assert.deepEqual(await stage.installedNames(), []);
    const again = await stage.run("registry", "remove", "scripted");
    assert.deepEqual([again.code, again.stdout], [2, ""]);
  });

  it("lists, resolves and runs what is installed when nothing answers any more", async () => {
    const stage = await open();
    await stage.json("registry", "install", "scripted");
    await stage.goOffline();
    const list = await stage.run("registry", "list", "--refresh", "--json");
    assert.equal(list.code, 0);
    assert.ok(list.stdout.includes('"scripted"'));
    assert.match(list.stderr, /using the list from (?:less than a minute|\d+ minutes?) ago/);
    const resolved = objectOf(await stage.json("registry", "resolve-agent", "scripted"));
    assert.equal(resolved["name"], "scripted");
    assert.deepEqual(await conversation(stage, "run-with", "--agent", "scripted"), ["scripted 1.0.0", "hello"]);
  });

  it("keeps the version that works, and updates the others, when a newer one does not answer", async () => {
    const stage = await open();
    stage.publish({
      agents: [
        await stage.entry("broken", "1.0.0", agent("1.0.0")),
        await stage.entry("scripted", "1.0.0", agent("1.0.0")),
      ],
    });
    await stage.json("registry", "install", "broken");
    await stage.json("registry", "install", "scripted");
    stage.publish({
      agents: [
        await stage.entry("broken", "2.0.0", { main: "agent-main.js", args: ["--die-at-initialize", "3"] }),
        await stage.entry("scripted", "2.0.0", agent("2.0.0")),
      ],
    });
    const { code, stdout, stderr } = await stage.run("registry", "update", "--json");
    assert.equal(code, 1);
    assert.match(stderr, /^broken: .*does not answer "initialize"/m);
    assert.deepEqual(summaryOf(JSON.parse(stdout)), [{ id: "scripted", version: "2.0.0", previous: "1.0.0" }]);
    assert.deepEqual(await conversation(stage, "run-with", "--agent", "broken"), ["scripted 1.0.0", "hello"]);
  });

  it("installs what is described in JSON, and leaves it alone when everything is updated", async () => {
    const stage = await RegistryStage.open(scope());
    const description = JSON.stringify(await stage.entry("own", "1.0.0", agent("1.0.0")));
    await stage.json("registry", "install", description);
    const all = await stage.run("registry", "update", "--json");
    assert.deepEqual([all.code, all.stdout], [0, "[]\n"]);
    assert.match(all.stderr, /^own: "own" isn't in any list\. To update it, install it again from its description\.$/m);
    const one = await stage.run("registry", "update", "own");
    assert.deepEqual([one.code, one.stdout], [2, ""]);
    assert.deepEqual(await conversation(stage, "run-with", "--agent", "own"), ["scripted 1.0.0", "hello"]);
  });

  it("installs an extension, which then takes part in a chain by its id", async () => {
    const stage = await open();
    const loud = await stage.entry("loud", "1.0.0", { main: "proxy-main.js", args: ["--shout"] });
    stage.publish({ agents: [await stage.entry("scripted", "1.0.0", agent("1.0.0"))], extensions: [loud] });
    await stage.json("registry", "install", "scripted");
    await stage.json("registry", "install", "loud");
    const words = ["run-with", "--proxy", "loud", "--agent", "scripted"];
    assert.deepEqual(await conversation(stage, ...words), ["scripted 1.0.0", "HELLO"]);
  });

  it("keeps an agent and an extension of one id apart", async () => {
    const stage = await open();
    const agents = [await stage.entry("scripted", "1.0.0", agent("1.0.0"))];
    const loud = await stage.entry("scripted", "3.0.0", { main: "proxy-main.js", args: ["--shout"] });
    stage.publish({ agents, extensions: [loud] });
    await stage.json("registry", "install", "scripted");
    await stage.json("registry", "install", "--extension", "scripted");
    const installed = arrayOf(await stage.json("registry", "installed")).map(objectOf);
    assert.deepEqual(
      installed.map(({ kind, id, version }) => [kind, id, version]),
      [
        ["agent", "scripted", "1.0.0"],
        ["extension", "scripted", "3.0.0"],
      ],
    );
    const words = ["run-with", "--proxy", "scripted", "--agent", "scripted"];
    assert.deepEqual(await conversation(stage, ...words), ["scripted 1.0.0", "HELLO"]);
    await stage.json("registry", "remove", "--extension", "scripted");
    assert.deepEqual(await conversation(stage, "run-with", "--agent", "scripted"), ["scripted 1.0.0", "hello"]);
  });

  it("ends at Ctrl-C with code 130 and leaves nothing of the installation behind", async () => {
    const stage = await open();
    const isAsked = new Promise<void>((resolve) => {
      const held = stage.entryWith("held", "1.0.0", (response) => {
        response.writeHead(200, { "content-length": "1000000" });
        response.write(Buffer.alloc(1000), () => resolve());
      });
      stage.publish({ agents: [held] });
    });
    const child = scope().use(stage.start("registry", "install", "held"));
    const closed = once(child.process, "close");
    const isShown = new Promise<void>((resolve) => {
      child.process.stderr.on("data", () => {
        if (child.stderrTail.includes("Downloading")) resolve();
      });
    });
    await Promise.all([isAsked, isShown]);
    child.process.kill("SIGINT");
    await closed;
    assert.deepEqual([child.process.exitCode, child.process.signalCode], [130, null]);
    assert.match(child.stderrTail, /^Downloading .*\nCancelled\.\n$/);
    assert.deepEqual(await stage.installedNames(), []);
    assert.deepEqual(await survivingProcesses(stage.folder.root), new Map());
  });

  it("says which installation is damaged, and removes it", async () => {
    const stage = await open();
    await stage.json("registry", "install", "scripted");
    await writeFile(join(stage.configFolder, "bin", "scripted", "current.json"), "{");
    const { code, stdout, stderr } = await stage.run("registry", "installed", "--json");
    assert.deepEqual([code, stdout], [0, "[]\n"]);
    assert.match(stderr, /scripted is damaged: run `symposium-acp-agent registry remove scripted`/);
    await stage.json("registry", "remove", "scripted");
    assert.deepEqual(await stage.installedNames(), []);
  });
});
