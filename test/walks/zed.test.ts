import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { agentCommand } from "../support/agents/agent-command.js";
import { opencode, writtenText } from "../support/agents/agent-recipes.js";
import { shellWords } from "../support/conductor-command.js";
import { startFakeModel, type FakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say, talkUntilCancelled } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { scaledMs } from "../support/until.js";
import { voicesOverHttp } from "../support/voices-server.js";
import { type InstalledZed, installInZed } from "../support/zed-install.js";

const fileName = "greeting.txt";

describe(`${opencode.name} ${opencode.version} in Zed, behind the chain that zed install wrote`, function () {
  this.timeout(scaledMs(120_000));
  const binFolder = usePackage(opencode);
  const scope = new AsyncDisposableStack();
  let opened: Promise<InstalledZed & { readonly model: FakeModel }> | undefined;
  after(() => scope.disposeAsync());

  /** Returns the Zed that all tests share. */
  function open(context: Mocha.Context): NonNullable<typeof opened> {
    const bin = binFolder(context);
    return (opened ??= start(bin));
  }

  async function start(bin: string): NonNullable<typeof opened> {
    const folder = scope.use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    const model = scope.use(await startFakeModel({ script: [] }));
    const { words, env } = await agentCommand(opencode, bin, folder, model.url);
    const { url } = scope.use(await voicesOverHttp());
    const contextServers = [{ type: "http", name: "voices", url, headers: [] }];
    return { ...(await installInZed(scope, folder, { text: shellWords(words), env }, { contextServers })), model };
  }

  it("asks, creates a file and ends the turn", async function () {
    const { zed, folder, model } = await open(this);
    model.begin([opencode.createsFile(join(folder.workspace, fileName)), say("All ", "done.")], `Create ${fileName}.`);
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
    const { zed } = await open(this);
    const thread = await zed.openThread();
    await thread.until(() => thread.commands.length > 0);
    await assert.rejects(zed.send(thread, "/no-such-command"), /is not a command of this agent/);
  });

  it("calls a tool of a context server that Zed sends along", async function () {
    const { zed, model } = await open(this);
    model.begin([callToolWith(/shout$/, { text: "reached the model" }), say("Done.")], "Shout.");
    const thread = await zed.openThread();
    assert.equal(await zed.send(thread, "Shout."), "end_turn");
    const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
    assert.match(results.join("\n"), /REACHED THE MODEL/);
  });

  it("holds several threads at once, each with its own answer", async function () {
    const { zed, model } = await open(this);
    model.begin([say("This is ", "for you.")], "Hello.");
    const threads = [await zed.openThread(), await zed.openThread(), await zed.openThread()];
    const stopReasons = await Promise.all(threads.map((thread) => zed.send(thread, "Hello.")));
    assert.deepEqual(stopReasons, ["end_turn", "end_turn", "end_turn"]);
    for (const { text } of threads) assert.match(text, /This is for you\./);
    assert.equal(new Set(threads.map(({ sessionId }) => sessionId)).size, 3);
  });

  it("leaves nothing behind when Zed kills it in the middle of a turn", async function () {
    const { zed, folder, model } = await open(this);
    model.begin([talkUntilCancelled], "Tell me a long story.");
    const thread = await zed.openThread();
    const turn = zed.send(thread, "Tell me a long story.");
    await Promise.race([thread.until(() => thread.text !== ""), turn]);
    await Promise.all([zed.drop(), assert.rejects(turn)]);
    assert.deepEqual(await survivingProcesses(folder.root), new Map());
  });
});
