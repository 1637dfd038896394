import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { agentCommand } from "../support/agents/agent-command.js";
import { claude, writtenText } from "../support/agents/agent-recipes.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import type { ModelRequest } from "../support/fake-model/model-request.js";
import { callTools, callToolWith, say, type ScriptStep, talkUntilCancelled } from "../support/fake-model/script.js";
import { Conversation } from "../support/language-model/conversation.js";
import { editorTools, runEditorTool } from "../support/language-model/editor-tools.js";
import { type ModelAnswer, textIn, type ToolCallPart } from "../support/language-model/model-consumer.js";
import { usePackage } from "../support/packages/use-package.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { until } from "../support/until.js";
import { ModelExtension, modelExtension } from "../support/vscode/model-extension.js";
import { builtInAgentCommand, NativeChat } from "../support/vscode/native-chat.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { type StageOptions, useVsCode } from "./stage.js";

const runs = ({ toolName, parameters }: ToolCallPart): string => runEditorTool(toolName, parameters);

describe(`a real agent as a language model of VS Code ${newestVsCode.version}`, () => {
  const stack = new AsyncDisposableStack();
  const binFolder = usePackage(claude);
  let folder: RunFolder;
  let model: FakeModel;
  let extension: ModelExtension;
  let options: StageOptions;
  before(async function () {
    folder = stack.use(await createRunFolder("agent"));
    extension = stack.use(await ModelExtension.listen("mine"));
    model = stack.use(await startFakeModel({ script: (request) => scriptFor(request, folder.workspace) }));
    const { words, env } = await agentCommand(claude, binFolder(this), folder, model.url);
    const [command, ...args] = words;
    const settings = {
      "symposium.enableExperimentalLM": true,
      "symposium.agents": { mine: { name: "My Agent", command, args, env } },
      "symposium.currentAgentId": "mine",
      "symposium.languageModelAgents": ["mine", "eliza"],
      "symposium.extensions": [],
    };
    options = { settings, env: () => extension.env };
  });
  const stage = useVsCode(newestVsCode, () => options);
  after(() => stack.disposeAsync());

  const open = (): Promise<VsCodeWindow> =>
    stage().openWindow({ workspace: folder.workspace, developmentPath: modelExtension });
  const fileOf = (name: string): string => join(folder.workspace, name);
  /** What reached the agent's model in conversations in which this was said. */
  const requestsOf = (words: string) =>
    model.requests.filter(
      // Claude also has its model guess what the user might say next.
      ({ tools, userText }) => tools.length > 0 && userText.includes(words) && !userText.includes("[SUGGESTION MODE"),
    );

  it("works in the editor's own chat: tools at once, a permission, Skip, Stop, and a window that is reloaded", async () => {
    const window = await open();
    const chat = await NativeChat.open(window);
    await chat.choose("My Agent");
    await extension.waitForRegistered(builtInAgentCommand);

    assert.equal(await chat.ask("Greet me."), "Hello there.");
    const offered = requestsOf("Greet me.")[0]?.tools.map(({ name }) => name) ?? [];
    assert.ok(offered.filter((name) => name.startsWith("mcp__vscode_tools__")).length > 40, offered.join());
    const odd = ["no_schema", "empty_schema", "untyped_schema", "any_of"].map((name) => `consumer_${name}`);
    assert.deepEqual(
      odd.filter((name) => !offered.some((tool) => tool.endsWith(name))),
      [],
    );

    assert.match(await chat.ask("Shout and whisper."), /Both are done\.$/);
    const told = requestsOf("Shout and whisper.")
      .at(-1)
      ?.toolResults.map(({ text }) => text);
    assert.deepEqual(told, ["QUIET", "loud"]);

    await chat.send("Create chat.txt.");
    await chat.confirmation.getByText("chat.txt").first().waitFor();
    await window.screenshot("native-chat-permission");
    assert.equal(existsSync(fileOf("chat.txt")), false);
    await chat.allowOnce();
    assert.match(await chat.ended(), /It is written\.$/);
    assert.equal((await readFile(fileOf("chat.txt"), "utf8")).trim(), writtenText);

    await chat.send("Now be careful.");
    await chat.confirmation.waitFor();
    await chat.skip();
    assert.match(await chat.ended(), /Then not\.$/);
    assert.match(requestsOf("be careful").at(-1)?.toolResults.at(-1)?.text ?? "", /skip/);

    await chat.send("Tell me a story.");
    await chat.answers
      .last()
      .getByText(/word3 /)
      .waitFor();
    await chat.stop();
    const talk = model.requests.find(({ reply }) => reply.kind === "talk-until-cancelled");
    assert.equal(await talk?.ended, "aborted");

    await chat.send("Create unwanted.txt.");
    await chat.confirmation.waitFor();
    await chat.stop();
    assert.equal(await chat.ask("Greet me instead."), "Hello there.");
    assert.equal(existsSync(fileOf("unwanted.txt")), false);
    // All of it in one session, whose agent kept what was said before it was stopped.
    assert.match(requestsOf("Greet me instead.").at(-1)?.userText ?? "", /Shout and[^]*a story[^]*instead/);

    extension.forgetWindow();
    await chat.reload();
    await chat.choose("My Agent");
    await extension.waitForRegistered(builtInAgentCommand);
    assert.equal(await chat.ask("Greet me again."), "Hello there.");
    await window.screenshot("native-chat");
    assert.match(requestsOf("Greet me again.").at(-1)?.userText ?? "", /Shout and[^]*again/);

    await chat.newChat();
    assert.equal(await chat.ask("Greet me anew."), "Hello there.");
    assert.doesNotMatch(requestsOf("Greet me anew.").at(-1)?.userText ?? "", /Shout and/);
  });

  it("answers as @symposium with its own tools, goes on in its session and is stopped", async () => {
    const window = await open();
    const chat = await NativeChat.open(window);
    await chat.choose("My Agent");
    assert.equal(await chat.ask("@symposium Greet me by name."), "Hello there.");
    const [asked] = requestsOf("by name");
    assert.deepEqual(
      [asked?.tools.some(({ name }) => name.includes("vscode_tools")), asked?.userText.includes("<skills>")],
      [false, false],
    );
    // The field keeps the mention.
    assert.equal(await chat.ask("Greet me twice."), "Hello there.");
    assert.match(requestsOf("me twice").at(-1)?.userText ?? "", /by name[^]*twice/);
    await chat.send("Tell me a tale.");
    await chat.answers
      .last()
      .getByText(/word3 /)
      .waitFor();
    await window.screenshot("native-chat-participant");
    await chat.stop();
    assert.equal(await requestsOf("a tale").at(-1)?.ended, "aborted");

    // With a model of somebody else it is the current agent, whether that is offered as a model or not.
    await extension.set("symposium.languageModelAgents", ["eliza"]);
    await chat.choose("Plain Model");
    assert.equal(await chat.ask("Greet me at last."), "Hello there.");
    await extension.set("symposium.languageModelAgents", ["mine", "eliza"]);
  });

  describe("that another extension uses", () => {
    let window: VsCodeWindow;
    before(async () => {
      extension.forgetWindow();
      window = await stage().code.openWindow({ workspace: folder.workspace, developmentPath: modelExtension });
    });
    after(() => window[Symbol.asyncDispose]());

    it("calls two of an extension's 60 tools, and is told what they return", async () => {
      const chat = new Conversation(extension, { tools: editorTools(60), runs, system: "You are in an editor." });
      const { text, error } = await chat.say("For an extension, shout and whisper.");
      assert.deepEqual(
        {
          error,
          text: text.trim(),
          calls: chat.calls.map(({ toolName }) => toolName).sort(),
          roles: [chat.messages.at(0)?.role, chat.messages.at(1)?.role, chat.messages.at(-1)?.role],
          told: requestsOf("For an extension")
            .at(-1)
            ?.toolResults.map((result) => result.text),
        },
        {
          error: undefined,
          text: "Both are done.",
          calls: ["shout", "whisper"],
          roles: ["system", "user", "assistant"],
          told: ["QUIET", "loud"],
        },
      );
    });

    it("calls one of an extension's tools, however many there are and whatever their schemas say", async () => {
      const eliza = extension.with("eliza");
      for (const count of [1, 2, 10, 60, 128, 200]) {
        const chat = new Conversation(eliza, { tools: editorTools(count), runs });
        const { text, error } = await chat.say('Use tool vscode_tools::shout with {"text": "quiet"}');
        const calls = chat.calls.map(({ toolName }) => toolName);
        assert.deepEqual([count, error, calls, text.includes("QUIET")], [count, undefined, ["shout"], true]);
      }
    });

    it("keeps chats of one extension apart that begin alike, answers aside while a call waits, and hears what is added to a result", async () => {
      const eliza = extension.with("eliza");
      const words = 'Use tool vscode_tools::shout with {"text": "quiet"}';
      const chats = ["first", "second"].map((name) => {
        const chat = new Conversation(eliza, { tools: editorTools(10), runs: () => `from the ${name}` });
        chat.add(words);
        return chat;
      });
      const rounds = await Promise.all(chats.map((chat) => chat.round()));
      const aside = await new Conversation(eliza, { system: "You write titles." }).say("Hello.");
      const answers = await Promise.all(
        chats.map(async (chat, index) => {
          await chat.run(rounds[index]?.calls ?? []);
          if (index === 1) chat.add("I feel tired today.");
          return chat.round();
        }),
      );
      assert.deepEqual(
        [aside.error, aside.text === "", ...answers.map(({ error }) => error)],
        [undefined, false, undefined, undefined],
      );
      const told = answers.map(({ text }) => [...text.matchAll(/from the (\w+)|tired/g)].map(([found]) => found));
      assert.deepEqual(told, [["from the first"], ["from the second", "tired"]]);
    });

    it("gives up a call that the extension leaves behind, and a question that it cancels, and is there for what follows", async () => {
      const list = window.page.locator(".quick-input-widget");
      const chat = new Conversation(extension, { tools: editorTools(2), runs });
      assert.equal((await chat.say("Greet me before that.")).text.trim(), "Hello there.");
      chat.add("Left behind, shout and whisper.");
      assert.equal((await chat.round()).calls.length, 2);
      chat.messages.pop();
      chat.add("Greet me instead of that.");
      assert.equal((await chat.round()).text.trim(), "Hello there.");
      // A new session would be told what was said before.
      assert.doesNotMatch(requestsOf("instead of that").at(-1)?.userText ?? "", /conversation so far/);
      chat.add("Create cancelled.txt.");
      const asking = chat.ask();
      await list.getByText("cancelled.txt").first().waitFor();
      asking.cancel();
      assert.equal((await chat.settle(asking)).error, undefined);
      await list.getByText("cancelled.txt").first().waitFor({ state: "hidden" });
      assert.equal((await chat.say("Greet me after that.")).text.trim(), "Hello there.");
      assert.equal(existsSync(fileOf("cancelled.txt")), false);
    });

    it("asks in a list above the editor where the extension does not offer the tool for it", async () => {
      const list = window.page.locator(".quick-input-widget");
      const choose = async (label: string): Promise<void> => {
        await list.locator(".monaco-list-row", { hasText: label }).click();
      };
      const permitted = new Conversation(extension, { tools: editorTools(1), runs }).say("Create permitted.txt.");
      await list.getByText("permitted.txt").first().waitFor();
      await window.screenshot("language-model-permission");
      await choose("Allow once");
      assert.equal((await permitted).error, undefined);
      const refused = new Conversation(extension, { tools: editorTools(1), runs }).say("Create refused.txt.");
      await list.getByText("refused.txt").first().waitFor();
      await choose("Reject");
      assert.equal((await refused).error, undefined);
      assert.deepEqual(
        ["permitted.txt", "refused.txt"].map((name) => existsSync(fileOf(name))),
        [true, false],
      );
    });

    it("hangs up on its model when the extension cancels, and says why it answers no more when it is killed", async () => {
      const stopped = await begun(new Conversation(extension), "Tell it to an extension.");
      stopped.cancel();
      assert.equal((await stopped.ended).error, undefined);
      assert.equal(await requestsOf("Tell it to an extension.")[0]?.ended, "aborted");
      const killed = await begun(new Conversation(extension), "Tell it until the end.");
      await stage().code.kill(/claude-agent-acp/);
      assert.match((await killed.ended).error ?? "", /My Agent|agent/i);
      assert.equal((await new Conversation(extension).say("Greet the extension.")).text.trim(), "Hello there.");
    });
  });
});

/** What the agent's model does, by what the user said last. */
function scriptFor({ userText, endsWithResult }: ModelRequest, workspace: string): readonly ScriptStep[] {
  const turns = turnsIn(workspace);
  const places = turns.map(({ said }) => userText.lastIndexOf(said));
  const turn = turns[places.indexOf(Math.max(...places))];
  return turn === undefined ? [say("Nothing was said.")] : [endsWithResult ? turn.ends : turn.begins];
}

interface Turn {
  readonly said: string;
  readonly begins: ScriptStep;
  readonly ends: ScriptStep;
}

function turnsIn(workspace: string): readonly Turn[] {
  const [shout, whisper] = [callToolWith(/shout$/, { text: "Quiet" }), callToolWith(/whisper$/, { text: "Loud" })];
  const only = (step: ScriptStep) => ({ begins: step, ends: step });
  const creates = (name: string): Turn => {
    return { said: `Create ${name}.`, begins: claude.createsFile(join(workspace, name)), ends: say("It is written.") };
  };
  return [
    { said: "hout and whisper.", begins: callTools(shout, whisper), ends: say("Both ", "are done.") },
    { said: "be careful.", begins: callToolWith(/careful$/, { text: "Quiet" }), ends: say("Then not.") },
    ...["chat.txt", "unwanted.txt", "permitted.txt", "refused.txt", "cancelled.txt"].map(creates),
    { said: "Tell ", ...only(talkUntilCancelled) },
    { said: "Greet ", ...only(say("Hello ", "there.")) },
  ];
}

/** The answer to a request, once the model talks. */
async function begun(chat: Conversation, words: string): Promise<ModelAnswer> {
  chat.add(words);
  const answer = chat.ask();
  await until(
    () => textIn(answer.parts),
    (text) => text.includes("word3 "),
  );
  return answer;
}
