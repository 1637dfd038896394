import assert from "node:assert/strict";
import * as vscode from "vscode";
import { logged, offerScriptedAgent, resetSettings, setting, until } from "../chat/chat-driver.js";
import { eventually } from "../eventually.js";

type Part = vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart;

const addTool = {
  name: "add",
  description: "Adds two numbers",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
};

describe("agents as language models of VS Code", () => {
  before(async () => {
    await offerScriptedAgent();
    await setting("enableExperimentalLM", true);
  });
  after(async () => {
    await setting("enableExperimentalLM", undefined);
    await resetSettings();
  });

  afterEach(() => setting("languageModelAgents", undefined));

  it("are listed without anything being started", async () => {
    const events = await logged(async () => {
      // The provider loads shortly after the setting is on.
      await eventually(async () =>
        assert.deepEqual(
          (await offered()).map(({ id, name, vendor }) => [id, name, vendor]),
          [["scripted", "Scripted", "symposium"]],
        ),
      );
    });
    assert.deepEqual(
      events.filter(({ message }) => message === "started"),
      [],
    );
  });

  it("answer, and remember what was said", async () => {
    const chat = new Chat(await modelOf("scripted"));
    assert.equal(textOf(await chat.ask("echo one")), "one\n");
    assert.equal(textOf(await chat.ask("echo two")), "two\n");
  });

  it("answer with Eliza, where the user chooses her", async () => {
    await setting("languageModelAgents", ["eliza"]);
    const chat = new Chat(await modelOf("eliza"));
    assert.match(textOf(await chat.ask("I feel tired today.")), /tired/);
  });

  it("call the tools that they are offered, and go on with the results", async () => {
    await setting("languageModelAgents", ["eliza"]);
    const chat = new Chat(await modelOf("eliza"), [addTool]);
    const call = callIn(await chat.ask('Use tool vscode_tools::add with {"a": 1, "b": 2}'));
    assert.deepEqual([call?.name, call?.input], ["add", { a: 1, b: 2 }]);
    assert.match(textOf(await chat.tell(resultOf(call, "3"))), /3/);
  });

  it("ask by the tool for it before their agent acts, and take any other answer than the tool's for a no", async () => {
    const tool = vscode.lm.tools.find(({ name }) => name === "symposium-agent-action");
    assert.ok(tool);
    for (const [answer, expected, optionId] of [
      ["proceed", "allow", "option-3"],
      ["The user chose to skip the tool call", "reject", "option-2"],
    ] as const) {
      const chat = new Chat(await modelOf("scripted"), [tool]);
      const call = callIn(await chat.ask(`permission ${expected}`));
      assert.equal(call?.name, "symposium-agent-action");
      assert.match(textOf(await chat.tell(resultOf(call, answer))), new RegExp(optionId));
    }
  });

  it("ask by a list where that tool is not offered, and take its closing for a no", async () => {
    const asked = new Chat(await modelOf("scripted")).ask("permission reject");
    let isAnswered = false;
    const answered = asked.finally(() => (isAnswered = true));
    await until(async () => {
      await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
      return isAnswered;
    });
    assert.match(textOf(await answered), /option-2/);
  });

  it("are given leave by the tool, once the user has agreed", async () => {
    const input = { title: "Run make", kind: "execute", raw_input: { command: "make" } };
    const { content } = await vscode.lm.invokeTool("symposium-agent-action", { input, toolInvocationToken: undefined });
    assert.deepEqual(
      content.map((part) => (part as vscode.LanguageModelTextPart).value),
      ["proceed"],
    );
  });

  it("stop when they are told to", async function () {
    // Earlier ones do not pass a cancellation on to models once the answer has begun.
    if (olderThan(1, 133)) this.skip();
    const chat = new Chat(await modelOf("scripted"));
    const source = new vscode.CancellationTokenSource();
    const parts = await chat.ask("wait_for_cancel", source.token, (part) => {
      if (textOf([part]).includes("waiting")) source.cancel();
    });
    assert.match(textOf(parts), /^waiting/);
    assert.equal(textOf(await new Chat(await modelOf("scripted")).ask("echo after")), "after\n");
  });

  it("say what is wrong without a stack", async () => {
    const chat = new Chat(await modelOf("scripted"));
    await assert.rejects(chat.ask("error -32603 It does not work"), (error: Error) => {
      assert.match(error.message, /It does not work/);
      assert.doesNotMatch(`${error.message}${error.stack ?? ""}`, /extension\.cjs|\.js:\d/);
      return true;
    });
  });

  it("answer again after their process was killed, which ends what was asked with an error", async () => {
    await setting("enableExperimentalLM", false);
    await setting("enableExperimentalLM", true);
    const events = await logged(async () => {
      await new Chat(await modelOf("scripted")).ask("echo before");
    });
    const [pid] = events.flatMap(({ message, data }) => (message === "started" ? (data as { pid: number }).pid : []));
    assert.ok(pid);
    const kill = (): unknown => process.kill(pid, "SIGKILL");
    const asked = new Chat(await modelOf("scripted")).ask("wait_for_cancel", undefined, kill);
    await assert.rejects(asked, /The language model process crashed \(SIGKILL\)/);
    assert.equal(textOf(await new Chat(await modelOf("scripted")).ask("echo after")), "after\n");
  });

  it("count tokens without asking anybody", async () => {
    const model = await modelOf("scripted");
    const counts = await Promise.all(
      ["", "one two three", vscode.LanguageModelChatMessage.User("one two three")].map((text) =>
        model.countTokens(text),
      ),
    );
    assert.deepEqual(counts, [0, 3, 7]);
  });

  it("go with the setting, and come back with it", async () => {
    await setting("enableExperimentalLM", false);
    await eventually(async () => assert.deepEqual(await offered(), []));
    await setting("enableExperimentalLM", true);
    const chat = new Chat(await modelOf("scripted"));
    assert.equal(textOf(await chat.ask("echo again")), "again\n");
  });
});

/** A consumer's chat with a model: the history is sent each time. */
class Chat {
  readonly #messages: vscode.LanguageModelChatMessage[] = [];

  constructor(
    readonly model: vscode.LanguageModelChat,
    readonly tools: readonly vscode.LanguageModelChatTool[] = [],
  ) {}

  ask(text: string, token?: vscode.CancellationToken, heard?: (part: Part) => void): Promise<readonly Part[]> {
    return this.tell(vscode.LanguageModelChatMessage.User(text), token, heard);
  }

  async tell(
    message: vscode.LanguageModelChatMessage,
    token?: vscode.CancellationToken,
    heard: (part: Part) => void = () => undefined,
  ): Promise<readonly Part[]> {
    this.#messages.push(message);
    const response = await this.model.sendRequest(this.#messages, { tools: [...this.tools] }, token);
    const parts: Part[] = [];
    for await (const part of response.stream) {
      if (!(part instanceof vscode.LanguageModelTextPart) && !(part instanceof vscode.LanguageModelToolCallPart))
        continue;
      parts.push(part);
      heard(part);
    }
    this.#messages.push(vscode.LanguageModelChatMessage.Assistant([...parts]));
    return parts;
  }
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
}

function callIn(parts: readonly Part[]): vscode.LanguageModelToolCallPart | undefined {
  return parts.find(
    (part): part is vscode.LanguageModelToolCallPart => part instanceof vscode.LanguageModelToolCallPart,
  );
}

function resultOf(call: vscode.LanguageModelToolCallPart | undefined, text: string): vscode.LanguageModelChatMessage {
  const content = [new vscode.LanguageModelTextPart(text)];
  return vscode.LanguageModelChatMessage.User([new vscode.LanguageModelToolResultPart(call?.callId ?? "", content)]);
}

function olderThan(major: number, minor: number): boolean {
  const [own = 0, ownMinor = 0] = vscode.version.split(".").map(Number);
  return own < major || (own === major && ownMinor < minor);
}

function offered(): Thenable<vscode.LanguageModelChat[]> {
  return vscode.lm.selectChatModels({ vendor: "symposium" });
}

async function modelOf(id: string): Promise<vscode.LanguageModelChat> {
  await until(async () => (await offered()).some((model) => model.id === id));
  const model = (await offered()).find((one) => one.id === id);
  assert.ok(model);
  return model;
}
