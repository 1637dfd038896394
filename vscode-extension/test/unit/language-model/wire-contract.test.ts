import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import {
  type AgentDefinition,
  type Command,
  type LmPart,
  Logger,
  type PermissionParams,
  type ResponseParams,
  Scope,
} from "@symposium-dev/core";
import { startProcess, Watchdog } from "@symposium-dev/core/node";
import type { AskPermission } from "../../../src/features/language-model/lm-client.js";
import { ModelService } from "../../../src/features/language-model/model-service.js";
import { type EditorMessage, toMessages, toTools } from "../../../src/features/language-model/request-parts.js";
import { ResponseParts, type Usage } from "../../../src/features/language-model/response-parts.js";
import { newClasses, parts } from "./editor-classes.js";

const { TextPart, ToolCallPart, ToolResultPart, PromptTsxPart, DataPart, ThinkingPart } = parts;

const core = import.meta.resolve("@symposium-dev/core");
const programAt = (path: string): string => fileURLToPath(new URL(path, core));
const command: Command = { command: process.execPath, args: [programAt("app/cli/main.js"), "vscodelm"], env: {} };
const scripted: AgentDefinition = {
  command: process.execPath,
  args: [programAt("../testing/node/agent-main.js")],
};
const eliza: AgentDefinition = { eliza: { deterministic: true } };

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const user = (...content: unknown[]): EditorMessage => ({ role: 1, content });
const assistant = (...content: unknown[]): EditorMessage => ({ role: 2, content });
const system = (...content: unknown[]): EditorMessage => ({ role: 3, content });

/** Answer as the editor receives it. */
interface Answer {
  readonly reported: readonly object[];
  readonly usage: Usage | undefined;
  readonly stopReason: string | undefined;
}

describe("the extension and the real process of the language models", () => {
  const scope = new Scope();
  let askPermission: AskPermission;
  const logger = Logger.silent;
  const service = scope.add(
    new ModelService({
      command: () => command,
      startProcess: startProcess({ logger, watchdog: scope.add(new Watchdog()) }),
      askPermission: (...args) => askPermission(...args),
      logger,
      wait: () => Promise.resolve(),
      now: () => 0,
    }),
  );
  after(() => scope[Symbol.asyncDispose]());

  async function ask(
    agent: AgentDefinition,
    messages: readonly EditorMessage[],
    more: Partial<ResponseParams> = {},
    heard: (part: LmPart) => void = () => undefined,
    signal = new AbortController().signal,
  ): Promise<Answer> {
    const skipped: string[] = [];
    const reported: object[] = [];
    const told = new ResponseParts({
      classes: newClasses,
      report: (part) => reported.push(part),
      showsThinking: true,
      readsUsage: false,
    });
    const sent = toMessages(messages, newClasses, (shape) => skipped.push(shape));
    const params = { modelId: "m", agent, messages: sent, ...more };
    const listener = (part: LmPart): void => {
      told.add(part);
      heard(part);
    };
    const { stopReason } = await service.respond(params, listener, signal);
    told.end("(nothing)");
    assert.deepEqual(skipped, []);
    return { reported, usage: told.usage, stopReason };
  }

  it("understand each other's messages: every role, and parts of every kind", async () => {
    const messages = [
      system(new TextPart("You are in an editor.")),
      user(
        new TextPart("echo a text\n"),
        new ThinkingPart("no command"),
        new DataPart(bytesOf("echo a text as data"), "text/plain"),
        new DataPart(new Uint8Array([137, 80]), "image/png"),
        new DataPart(bytesOf("no command"), "cache_control"),
        new PromptTsxPart({ node: { type: 1, children: [{ type: 2, text: "echo a prompt" }] } }),
      ),
    ];
    const { reported, stopReason } = await ask(scripted, messages, { systemPrompt: "drop" });
    assert.equal(stopReason, "end_turn");
    assert.equal(textIn(reported), "a text\na text as data\na prompt\n");
  });

  it("understand each other's answers: words, thoughts, images and usage", async () => {
    const { reported, usage } = await ask(scripted, [user(new TextPart("updates\ncontent\nusage"))]);
    const kinds = new Set(reported.map((part) => part.constructor));
    assert.deepEqual([...kinds].map(({ name }) => name).sort(), ["DataPart", "TextPart", "ThinkingPart"]);
    for (const words of ["An answer\n", "漢字 🦀.", "[guide.md](file:///guide.md)", "Notes.\n"]) {
      assert.ok(textIn(reported).includes(words), words);
    }
    assert.deepEqual(usage, { inputTokens: 20, outputTokens: 10, contextUsed: 1_200, contextSize: 200_000 });
  });

  it("understand each other's calls of tools, and results in every form", async () => {
    const add = { name: "add", description: "Adds.", inputSchema: { properties: { a: { type: "number" } } } };
    const tools = toTools([{ name: "no_schema" }, add, { name: "null", inputSchema: null }]);
    const words = 'Use tool vscode_tools::add with {"a": 1}';
    for (const [piece, seen] of [
      [new TextPart("forty-two"), /forty-two/],
      [new PromptTsxPart({ node: { type: 2, text: "forty-three" } }), /forty-three/],
      [new DataPart(bytesOf('{"sum":44}'), "application/json"), /44/],
      [{ ownForm: 45 }, /45/],
    ] as const) {
      const first = await ask(eliza, [user(new TextPart(words))], { options: { tools } });
      const [call] = first.reported.filter((part) => part instanceof ToolCallPart);
      assert.deepEqual([first.stopReason, call?.name, call?.input], ["tool_calls", "add", { a: 1 }]);
      const history = [
        user(new TextPart(words)),
        assistant(new TextPart(""), call),
        user(new ToolResultPart(call?.callId ?? "", [piece])),
      ];
      const { reported, stopReason } = await ask(eliza, history, { options: { tools } });
      assert.equal(stopReason, "end_turn");
      assert.match(textIn(reported), seen);
    }
  });

  it("understand each other's questions for permission", async () => {
    const questions: PermissionParams[] = [];
    for (const [outcome, seen] of [
      ["allow", "option-3"],
      ["reject", "option-2"],
    ] as const) {
      askPermission = (question) => {
        questions.push(question);
        return Promise.resolve({ outcome });
      };
      const { reported } = await ask(scripted, [user(new TextPart(`permission ${outcome}`))]);
      assert.ok(textIn(reported).includes(seen));
    }
    assert.deepEqual(
      questions.map(({ title, kind }) => [title, kind]),
      Array(2).fill(["Change main.ts", "edit"]),
    );
  });

  it("understand each other when an answer is cancelled, and when one fails", async () => {
    const abort = new AbortController();
    const messages = [user(new TextPart("echo begun\nwait_for_cancel"))];
    const { stopReason } = await ask(scripted, messages, {}, () => abort.abort(), abort.signal);
    assert.equal(stopReason, "cancelled");
    await assert.rejects(ask(scripted, [user(new TextPart("error -32603 It is broken"))]), /It is broken/);
    await assert.rejects(ask({ command: "/no/such/agent" }, [user(new TextPart("Hello"))]), /no\/such\/agent/);
  });

  it("understand each other's words about models", async () => {
    const agents = [{ id: "mine", name: "Mine", agent: scripted }];
    const { models, problems } = await service.information({ silent: false, agents });
    assert.deepEqual(
      [models.map(({ id, configOptions }) => [id, configOptions]), problems],
      [
        [
          ["mine", undefined],
          ["mine/small", { model: "small" }],
          ["mine/large", { model: "large" }],
        ],
        undefined,
      ],
    );
  });
});

function textIn(reported: readonly object[]): string {
  return reported.map((part) => (part instanceof TextPart ? part.value : "")).join("");
}
