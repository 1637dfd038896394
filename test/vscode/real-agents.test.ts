import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { agentCommand } from "../support/agents/agent-command.js";
import { claude, opencode, writtenText } from "../support/agents/agent-recipes.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import type { ModelRequest } from "../support/fake-model/model-request.js";
import { callTools, callToolWith, say, type ScriptStep, talkUntilCancelled } from "../support/fake-model/script.js";
import { Conversation } from "../support/language-model/conversation.js";
import { editorTools, runEditorTool } from "../support/language-model/editor-tools.js";
import type { ToolCallPart } from "../support/language-model/model-consumer.js";
import { usePackage } from "../support/packages/use-package.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { until } from "../support/until.js";
import { ModelExtension, modelExtension } from "../support/vscode/model-extension.js";
import { builtInAgentCommand, NativeChat } from "../support/vscode/native-chat.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { type StageOptions, useVsCode } from "./stage.js";

const runs = ({ toolName, parameters }: ToolCallPart): string => runEditorTool(toolName, parameters);

for (const recipe of [claude, opencode]) {
  describe(`${recipe.name} in a clean VS Code ${newestVsCode.version}`, () => {
    const stack = new AsyncDisposableStack();
    const binFolder = usePackage(recipe);
    let folder: RunFolder;
    let model: FakeModel;
    let settings: StageOptions["settings"] & object;
    before(async function () {
      folder = stack.use(await createRunFolder("agent"));
      const path = join(folder.workspace, "greeting.txt");
      model = stack.use(await startFakeModel({ script: [recipe.createsFile(path), say("It is ", "written.")] }));
      const { words, env } = await agentCommand(recipe, binFolder(this), folder, model.url);
      const [command, ...args] = words;
      const agent = { name: recipe.name, command, args, env };
      settings = { "symposium.agents": { mine: agent }, "symposium.currentAgentId": "mine" };
    });
    const stage = useVsCode(newestVsCode, () => ({ settings }));
    after(() => stack.disposeAsync());

    it("goes from the first look to an answer with an approved edit", async () => {
      const chat = await stage().openChat({ workspace: folder.workspace });
      await chat.choose(recipe.name);
      await chat.send("Create greeting.txt.");
      const allow = chat.permission.getByRole("button", { name: /allow|yes/i });
      await until(
        () => allow.count(),
        (count) => count > 0,
      );
      await allow.first().click();
      await chat.ends.waitFor();
      await chat.window.screenshot(`real-agent-${recipe.name}`);
      assert.deepEqual(
        {
          answer: (await chat.answerTexts()).at(-1)?.trim(),
          content: (await readFile(join(folder.workspace, "greeting.txt"), "utf8")).trim(),
          isReported: model.requests.some(({ toolResults }) => toolResults.length === 1),
        },
        { answer: "It is written.", content: writtenText, isReported: true },
      );
    });
  });
}

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
  /** The requests to the agent's model in conversations with these words. */
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

  it("runs tools of another extension that asks it, and asks in a list if no tool is offered for that", async () => {
    extension.forgetWindow();
    const window = await open();
    const tools = new Conversation(extension, { tools: editorTools(60), runs });
    assert.deepEqual(await tools.say("For an extension, shout and whisper."), { text: "Both are done.", calls: [] });
    const told = requestsOf("For an extension").at(-1)?.toolResults;
    assert.deepEqual(
      [tools.calls.map(({ toolName }) => toolName).sort(), told?.map(({ text }) => text)],
      [
        ["shout", "whisper"],
        ["QUIET", "loud"],
      ],
    );

    const list = window.page.locator(".quick-input-widget");
    for (const [name, answer] of [
      ["permitted.txt", "Allow once"],
      ["refused.txt", "Reject"],
    ] as const) {
      const asked = new Conversation(extension, { tools: editorTools(1), runs }).say(`Create ${name}.`);
      await list.getByText(name).first().waitFor();
      await window.screenshot(`language-model-${name}`);
      await list.locator(".monaco-list-row", { hasText: answer }).click();
      assert.equal((await asked).error, undefined);
    }
    assert.deepEqual([existsSync(fileOf("permitted.txt")), existsSync(fileOf("refused.txt"))], [true, false]);
  });
});

/** The steps of the agent's model, by the user's last prompt. */
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
    ...["chat.txt", "unwanted.txt", "permitted.txt", "refused.txt"].map(creates),
    { said: "Tell ", ...only(talkUntilCancelled) },
    { said: "Greet ", ...only(say("Hello ", "there.")) },
  ];
}
