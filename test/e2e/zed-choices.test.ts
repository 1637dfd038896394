import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { agentCommand } from "../support/agents/agent-command.js";
import { opencode } from "../support/agents/agent-recipes.js";
import { conductorProgram } from "../support/conductor-command.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import { say, talkUntilCancelled } from "../support/fake-model/script.js";
import { parseObject } from "../support/json.js";
import { usePackage } from "../support/packages/use-package.js";
import { pathWith } from "../support/repository.js";
import type { RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, configFileOf, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { ZedClient } from "../support/zed-client.js";
import type { ZedThread } from "../support/zed-thread.js";
import { scaledMs } from "../support/until.js";

const limitMs = 400_000;
const config = `{
  // mine
  "agent": ${JSON.stringify(agentText())},
  "proxies": [{ "name": "cargo", "enabled": false }], // all of them
}
`;

interface Opened {
  readonly zed: ZedClient;
  readonly folder: RunFolder;
}

/** A Zed whose entry is the configured chain: a scripted agent. */
async function openConfigured(scope: AsyncDisposableStack): Promise<Opened> {
  return openIn(scope, scope.use(await createCommandFolder(config)), {});
}

/** The same in a folder that is there; `more` is added to the environment. */
async function openIn(
  scope: AsyncDisposableStack,
  folder: RunFolder,
  more: Readonly<Record<string, string>>,
  words: readonly string[] = [],
): Promise<Opened> {
  // Cargo has tools where there is something of Rust alone.
  await writeFile(join(folder.workspace, "Cargo.toml"), '[package]\nname = "app"\nversion = "0.1.0"\n');
  const env = { ...commandEnvironment(folder), ...more };
  scope.defer(async () => assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map()));
  const server = { command: "node", args: [conductorProgram, ...words], env: {} };
  const zed = scope.use(new ZedClient({ server, project: folder.workspace, env }));
  await zed.connect();
  return { zed, folder };
}

function currentOf(thread: ZedThread, id: string): unknown {
  return thread.selectors.find((selector) => selector.id === id)?.current;
}

/** Names of the MCP servers that the scripted agent has in a thread. */
async function serversOf(zed: ZedClient, thread: ZedThread): Promise<unknown[]> {
  const before = thread.text.length;
  await zed.send(thread, "mcp");
  const lines = thread.text.slice(before).split("\n").filter(Boolean);
  return lines.map((line) => parseObject(line)["name"]);
}

describe("the selectors of the configured chain in Zed", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  it("stand behind those of the agent", async () => {
    const { zed } = await openConfigured(scope());
    const thread = await zed.openThread();
    assert.deepEqual(
      thread.selectors.map(({ id }) => id),
      [
        "model",
        "verbose",
        "symposium.agent",
        ...["cargo", "sparkle", "ferris", "ide-operations", "tests", "sources", "editor-edits"].map(proxyId),
      ],
    );
    assert.deepEqual(
      [currentOf(thread, "symposium.agent"), currentOf(thread, proxyId("cargo"))],
      ["agent-main", false],
    );
  });

  it("switch a proxy on in a thread without a prompt, and in config.jsonc, where all else stays", async () => {
    const { zed, folder } = await openConfigured(scope());
    const thread = await zed.openThread();
    await zed.choose(thread, proxyId("cargo"), true);
    assert.equal(currentOf(thread, proxyId("cargo")), true);
    assert.deepEqual(await serversOf(zed, thread), ["cargo"]);
    const text = await readFile(configFileOf(folder), "utf8");
    assert.equal(text, config.replace('"enabled": false', '"enabled": true'));
  });

  it("leave a thread that has begun as it is, and say so", async () => {
    const { zed } = await openConfigured(scope());
    const begun = await zed.openThread();
    assert.deepEqual(await serversOf(zed, begun), []);
    await zed.choose(begun, proxyId("cargo"), true);
    assert.equal(currentOf(begun, proxyId("cargo")), false);
    assert.match(
      begun.text,
      /Done: cargo is on in new sessions\. This session has already started and stays unchanged/,
    );
    assert.deepEqual(await serversOf(zed, begun), []);
    assert.deepEqual(await serversOf(zed, await zed.openThread()), ["cargo"]);
  });

  it("say the remedy for an agent that does not start, and go on with the one that was", async () => {
    const { zed, folder } = await openConfigured(scope());
    const thread = await zed.openThread();
    await assert.rejects(zed.choose(thread, "symposium.agent", "kiro-cli"), /"Kiro CLI" can't be used.*kiro-cli-chat/s);
    assert.match(thread.text, /Not changed: "Kiro CLI" can't be used/);
    assert.equal(await readFile(configFileOf(folder), "utf8"), config);
    assert.equal(await zed.send(thread, "echo still here"), "end_turn");
    assert.match(thread.text, /still here\n$/);
  });

  it("are there as slash commands, too", async () => {
    const { zed, folder } = await openConfigured(scope());
    const thread = await zed.openThread();
    await thread.until(() => thread.commands.length > 0);
    assert.deepEqual(thread.commands, [
      "symposium:config",
      "symposium:agent",
      "symposium:continue",
      "symposium:proxies",
      "symposium:guard",
    ]);
    await zed.send(thread, "/symposium:agent nobody");
    assert.match(thread.text, /^"nobody" is no agent\. There are: `agent-main`, `claude-code`/);
    await zed.send(thread, "/symposium:agent eliza");
    assert.match(thread.text, /Done: Eliza answers from the next prompt and in new sessions\.\n\n$/);
    await zed.send(thread, "/symposium:guard");
    assert.match(thread.text, /Eliza is part of Symposium and starts no programs\.\n\n$/);
    await zed.send(thread, "/symposium:config");
    assert.match(thread.text, new RegExp(`Agent of this session: \\*\\*Eliza\\*\\*[^]*${configFileOf(folder)}`));
    assert.match(await readFile(configFileOf(folder), "utf8"), /"agent": "eliza"/);
  });

  it("change the protection of a thread's agent from its next start, and undo that", async () => {
    const { zed, folder } = await openConfigured(scope());
    const thread = await zed.openThread();
    const rules = join(dirname(configFileOf(folder)), "guard.jsonc");
    await thread.until(() => thread.commands.length > 0);
    await zed.send(thread, "/symposium:guard");
    assert.match(thread.text, /agent-main follows your rules\.[^]*- Hosts: No network restrictions\./);
    await zed.send(thread, "/symposium:guard off");
    assert.match(
      thread.text,
      /Saved\. From its next start, `agent-main` will run without protection by Symposium in every editor/,
    );
    assert.deepEqual(JSON.parse(await readFile(rules, "utf8")), { agents: { "agent-main": "off" } });
    await zed.send(thread, "/symposium:guard");
    assert.match(thread.text, /Set in `.*guard\.jsonc:3`\./);
    await zed.send(thread, "/symposium:guard default");
    assert.doesNotMatch(await readFile(rules, "utf8"), /agent-main/);
    assert.equal(await zed.send(thread, "echo still here"), "end_turn");
  });

  it("are not asked about what guard.jsonc allows this agent, as an answer in VS Code has it", async () => {
    const { zed, folder } = await openConfigured(scope());
    const rule = { effect: "allow", write: "/**", kind: "edit", agent: "agent-main", in: folder.workspace };
    const rules = [rule, { effect: "allow", write: "//elsewhere/**", kind: "edit", agent: "claude-code" }];
    await writeFile(join(dirname(configFileOf(folder)), "guard.jsonc"), JSON.stringify({ rules }));
    const thread = await zed.openThread();
    await zed.send(thread, "permission allow main.ts");
    assert.deepEqual(zed.permissionRequests, []);
    await zed.send(thread, "permission allow .env");
    await zed.send(thread, "permission allow /elsewhere/main.ts");
    assert.equal(zed.permissionRequests.length, 2);
  });

  it("leave the agent alone where the entry of the settings names it", async () => {
    const folder = scope().use(await createCommandFolder());
    const { zed } = await openIn(scope(), folder, {}, ["zed", "run", "--agent", agentText()]);
    const thread = await zed.openThread();
    const own = thread.selectors.map(({ id }) => id).filter((id) => id.startsWith("symposium."));
    assert.deepEqual(
      own,
      ["sparkle", "ferris", "cargo", "ide-operations", "tests", "sources", "editor-edits"].map(proxyId),
    );
    for (const name of ["sparkle", "ferris", "ide-operations"]) await zed.choose(thread, proxyId(name), false);
    assert.deepEqual(await serversOf(zed, thread), ["cargo"]);
    assert.match(await readFile(configFileOf(folder), "utf8"), /"sparkle", "enabled": false/);
  });

  it("go on in one thread when the agent of another one ends", async () => {
    const { zed } = await openConfigured(scope());
    const scripted = await zed.openThread();
    await zed.send(scripted, "echo begun");
    await zed.choose(scripted, "symposium.agent", "eliza");
    const other = await zed.openThread();
    assert.equal(await zed.send(other, "Hello"), "end_turn");
    await assert.rejects(zed.send(scripted, "crash 3"), /with code 3/);
    assert.equal(await zed.send(other, "Are you there?"), "end_turn");
    await assert.rejects(zed.send(scripted, "echo gone"), /with code 3/);
    assert.equal(await zed.send(await zed.openThread(), "Hello"), "end_turn");
  });

  it("try a pick that has failed again in each new thread, where nobody waits for it or reads of it again", async () => {
    const { zed } = await openConfigured(scope());
    await assert.rejects(zed.choose(await zed.openThread(), "symposium.agent", "kiro-cli"));
    await assert.rejects(zed.openThread(), /"Kiro CLI" can't be used/);
    const thread = [...zed.threads.values()].at(-1);
    assert.ok(thread);
    assert.equal(await zed.send(thread, "echo here"), "end_turn");
    assert.equal(thread.text, "here\n");
  });

  it("keep a copy of the file when an agent goes that only the file knew", async () => {
    const { zed, folder } = await openConfigured(scope());
    await zed.choose(await zed.openThread(), "symposium.agent", "eliza");
    const names = await readdir(dirname(configFileOf(folder)));
    const [copy] = names.filter((name) => name.startsWith("config.jsonc.before-"));
    assert.equal(await readFile(join(dirname(configFileOf(folder)), copy ?? ""), "utf8"), config);
  });
});

describe("the selectors in Zed while no agent is configured", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  it("put an agent in the place of the question which one is wanted", async () => {
    const { zed, folder } = await openIn(scope(), scope().use(await createCommandFolder()), {});
    const thread = await zed.openThread();
    await thread.until(() => /Which agent would you like to use\?/.test(thread.text));
    assert.equal(currentOf(thread, "symposium.agent"), "as-configured");
    for (const name of ["sparkle", "ferris", "ide-operations"]) await zed.choose(thread, proxyId(name), false);
    await zed.choose(thread, "symposium.agent", "eliza");
    assert.deepEqual([currentOf(thread, "symposium.agent"), currentOf(thread, proxyId("cargo"))], ["eliza", true]);
    assert.equal(await zed.send(thread, "I am sad."), "end_turn");
    assert.match(thread.text, /sad[^]*$/);
    const text = await readFile(configFileOf(folder), "utf8");
    assert.match(text, /"agent": "eliza"/);
    assert.match(text, /"sparkle", "enabled": false/);
    assert.equal(currentOf(await zed.openThread(), "symposium.agent"), "eliza");
    assert.deepEqual(zed.faults, []);
  });

  it("are there behind an agent that was chosen in the chat", async () => {
    const { zed, folder } = await openIn(scope(), scope().use(await createCommandFolder()), {});
    const thread = await zed.openThread();
    await thread.until(() => /Which agent would you like to use\?/.test(thread.text));
    const number = /^(\d+)\. \*\*Eliza\*\*/m.exec(thread.text)?.[1] ?? "";
    await zed.send(thread, number);
    assert.match(thread.text, /You are now talking to Eliza/);
    await zed.choose(thread, proxyId("cargo"), false);
    assert.match(thread.text, /Done: cargo is off in new sessions\. This session has already started/);
    assert.match(await readFile(configFileOf(folder), "utf8"), /"agent": "eliza"[^]*"cargo", "enabled": false/);
    const next = await zed.openThread();
    assert.deepEqual([currentOf(next, "symposium.agent"), currentOf(next, proxyId("cargo"))], ["as-configured", false]);
    assert.equal(await zed.send(next, "I am sad."), "end_turn");
    assert.doesNotMatch(next.text, /Which agent/);
    assert.deepEqual(zed.faults, []);
  });
});

describe("the selectors of the configured chain in Zed, with OpenCode", function () {
  this.timeout(scaledMs(limitMs));
  const binFolder = usePackage(opencode);
  const scope = useTestScope();

  async function withOpenCode(
    context: Mocha.Context,
    script: Parameters<typeof startFakeModel>[0]["script"],
  ): Promise<Opened & { readonly model: FakeModel; readonly env: Readonly<Record<string, string>> }> {
    const folder = scope().use(await createCommandFolder(config));
    const model = scope().use(await startFakeModel({ script }));
    const bin = binFolder(context);
    const { env } = await agentCommand(opencode, bin, folder, model.url);
    const environment = { ...env, PATH: pathWith(bin, join(folder.root, "bin")) };
    return { ...(await openIn(scope(), folder, environment)), model, env: environment };
  }

  it("put it in the place of another agent, with its own selectors and commands", async function () {
    const { zed, folder } = await withOpenCode(this, [say("This is ", "OpenCode.")]);
    const thread = await zed.openThread();
    await zed.choose(thread, "symposium.agent", "opencode");
    assert.deepEqual(thread.selectors.map(({ id }) => id).slice(0, 3), ["model", "mode", "symposium.agent"]);
    await zed.choose(thread, "mode", "plan");
    assert.deepEqual([currentOf(thread, "mode"), currentOf(thread, "symposium.agent")], ["plan", "opencode"]);
    assert.equal(await zed.send(thread, "Who are you?"), "end_turn");
    assert.match(thread.text, /This is OpenCode\./);
    await thread.until(() => thread.commands.includes("init"));
    assert.deepEqual(thread.commands.slice(-5), [
      "symposium:config",
      "symposium:agent",
      "symposium:continue",
      "symposium:proxies",
      "symposium:guard",
    ]);
    assert.match(await readFile(configFileOf(folder), "utf8"), /^\{\n {2}\/\/ mine\n {2}"agent": "opencode acp",/);
    assert.deepEqual(zed.faults, []);
  });

  it("let two threads talk to two agents at once, and new threads to the chosen one", async function () {
    const { zed } = await withOpenCode(this, [say("This is ", "OpenCode.")]);
    const scripted = await zed.openThread();
    await zed.send(scripted, "echo begun");
    await zed.choose(scripted, "symposium.agent", "opencode");
    const open = await zed.openThread();
    assert.deepEqual(
      [scripted, open].map((thread) => currentOf(thread, "symposium.agent")),
      ["agent-main", "opencode"],
    );
    const turns = [zed.send(scripted, "echo scripted"), zed.send(open, "Who are you?")];
    assert.deepEqual(await Promise.all(turns), ["end_turn", "end_turn"]);
    assert.match(scripted.text, /scripted\n$/);
    assert.match(open.text, /This is OpenCode\./);
    assert.deepEqual(zed.faults, []);
  });

  it("let a thread that has changed its agent be opened again after a restart, though new ones get another", async function () {
    const opened = await withOpenCode(this, [say("This is ", "OpenCode.")]);
    const thread = await opened.zed.openThread();
    await opened.zed.choose(thread, "symposium.agent", "opencode");
    await opened.zed.send(thread, "Who are you?");
    await opened.zed[Symbol.asyncDispose]();
    await writeFile(configFileOf(opened.folder), config);
    const { zed } = await openIn(scope(), opened.folder, opened.env);
    const again = await zed.reopenThread(thread.sessionId);
    assert.equal(currentOf(again, "symposium.agent"), "opencode");
    assert.match(again.text, /This is OpenCode\./);
    assert.equal(await zed.send(again, "And now?"), "end_turn");
    assert.equal(currentOf(await zed.openThread(), "symposium.agent"), "agent-main");
    assert.deepEqual(zed.faults, []);
  });

  it("leave no process of either agent when Zed kills the program in the middle of a turn", async function () {
    const { zed, folder } = await withOpenCode(this, [talkUntilCancelled]);
    const scripted = await zed.openThread();
    await zed.send(scripted, "echo begun");
    await zed.choose(scripted, "symposium.agent", "opencode");
    const open = await zed.openThread();
    const turn = zed.send(open, "Tell me a long story.");
    await Promise.race([open.until(() => open.text !== ""), turn]);
    await Promise.all([zed.drop(), assert.rejects(turn)]);
    assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map());
  });
});

function proxyId(name: string): string {
  return `symposium.proxy.${name}`;
}
