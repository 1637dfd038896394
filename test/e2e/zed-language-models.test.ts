import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { agentCommand } from "../support/agents/agent-command.js";
import { opencode } from "../support/agents/agent-recipes.js";
import { shellWords } from "../support/conductor-command.js";
import { startFakeModel } from "../support/fake-model/fake-model.js";
import { talkUntilCancelled } from "../support/fake-model/script.js";
import { objectOf, parseObject } from "../support/json.js";
import { type OpenAiEndpoint, startOpenAiEndpoint } from "../support/openai-endpoint.js";
import { usePackage } from "../support/packages/use-package.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { ModelExtension } from "../support/zed-models/model-extension.js";
import type { ModelHostOptions } from "../support/zed-models/model-host.js";
import {
  type ZedEvent,
  type ZedMessage,
  zedRequest,
  type ZedTool,
  zedUser,
} from "../support/zed-models/model-records.js";
import { buildExtension, customSections, jco, languageModelsCrate, transpileExtension } from "../support/zed-wasm.js";
import { scaledMs } from "../support/until.js";

const limitMs = 400_000;
const buildLimitMs = 20 * 60_000;
const shout: ZedTool = {
  name: "shout",
  description: "Returns the text in capitals.",
  inputSchema: JSON.stringify({ type: "object", properties: { text: { type: "string" } }, required: ["text"] }),
};
const shoutPrompt = 'use tool client_tools::shout with {"text": "quiet"}';

function textIn(events: readonly ZedEvent[], tag = "text"): string {
  return events
    .map((event) =>
      event.tag !== tag ? "" : typeof event.val === "string" ? event.val : String(objectOf(event.val)["text"]),
    )
    .join("");
}

describe("the extension with language models for Zed", function () {
  this.timeout(scaledMs(limitMs));
  const binFolder = usePackage(jco);
  const opencodeFolder = usePackage(opencode);
  const scope = useTestScope();
  let built: Awaited<ReturnType<typeof buildExtension>> = { missing: "it is not built" };
  let folder: RunFolder;
  let transpiled: Promise<void> | undefined;
  before(async function () {
    this.timeout(scaledMs(buildLimitMs));
    built = await buildExtension(languageModelsCrate);
    folder = await createRunFolder("models");
  });
  after(() => folder[Symbol.asyncDispose]());

  function wasm(context: Mocha.Context): string {
    return "file" in built ? built.file : skipBecause(context, built.missing);
  }

  async function load(context: Mocha.Context, options: ModelHostOptions): Promise<ModelExtension> {
    const file = wasm(context);
    const bin = binFolder(context);
    transpiled ??= transpileExtension(file, bin, folder.root);
    await transpiled;
    return scope().use(await ModelExtension.load(folder.root, bin, options));
  }

  async function serve(...agents: readonly string[]): Promise<OpenAiEndpoint> {
    const run = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    scope().defer(async () => assert.deepEqual(await survivingProcesses(run.root, 10_000), new Map()));
    return scope().use(await startOpenAiEndpoint(run, agents));
  }

  /** The extension before an endpoint that serves the agent, whose model id comes with it. */
  async function open(
    context: Mocha.Context,
    agent: string,
    options: ModelHostOptions = {},
  ): Promise<{ readonly extension: ModelExtension; readonly model: string }> {
    const { address, token } = await serve(agent);
    const extension = await load(context, { env: { SYMPOSIUM_API_URL: address }, credential: token, ...options });
    const [model] = await extension.models();
    return { extension, model: model?.id ?? "" };
  }

  it("is a component for version 0.7.0 of Zed's interface", async function () {
    const version = customSections(await readFile(wasm(this))).get("zed:api-version");
    assert.deepEqual([...(version ?? [])], [0, 0, 0, 7, 0, 0]);
  });

  it("offers one provider, and every agent of the endpoint as a model of it", async function () {
    const { address, token } = await serve("eliza", "claude-code");
    const extension = await load(this, { env: { SYMPOSIUM_API_URL: address }, credential: token });
    assert.deepEqual(await extension.providers(), [{ id: "symposium", name: "Symposium", icon: undefined }]);
    const models = await extension.models();
    assert.deepEqual(
      models.map(({ id, name, isDefault }) => [id, name, isDefault]),
      [
        ["eliza", "Symposium: Eliza", true],
        ["claude-code", "Symposium: Claude Code", false],
      ],
    );
    assert.deepEqual(models[0]?.capabilities, {
      supportsImages: true,
      supportsTools: true,
      supportsToolChoiceAuto: true,
      supportsToolChoiceAny: false,
      supportsToolChoiceNone: true,
      supportsThinking: true,
      toolInputFormat: "json-schema",
    });
  });

  it("streams an answer, and ends it with the usage and the reason", async function () {
    const { extension, model } = await open(this, agentText());
    assert.deepEqual(await extension.complete(model, zedRequest("stream 2 4\nusage")), [
      { tag: "started" },
      { tag: "text", val: "1 .." },
      { tag: "text", val: "2 .." },
      {
        tag: "usage",
        val: {
          inputTokens: 20n,
          outputTokens: 10n,
          cacheCreationInputTokens: undefined,
          cacheReadInputTokens: undefined,
        },
      },
      { tag: "stop", val: "end-turn" },
    ]);
    assert.equal(extension.host.openResponses, 0);
  });

  it("reads responses that come byte by byte", async function () {
    const { extension, model } = await open(this, agentText(), { chunkBytes: 1 });
    const events = await extension.complete(model, zedRequest("echo Grüße, 🦀!"));
    assert.equal(textIn(events), "Grüße, 🦀!\n");
  });

  it("shows thoughts where Zed wants them, and there alone", async function () {
    const { extension, model } = await open(this, agentText());
    const [shown, hidden] = [
      await extension.complete(model, zedRequest("updates")),
      await extension.complete(model, zedRequest("updates", { thinkingAllowed: false })),
    ];
    assert.match(textIn(shown, "thinking"), /A thought/);
    assert.equal(textIn(hidden, "thinking"), "");
    assert.equal(textIn(hidden), textIn(shown));
  });

  it("has Zed run its tools, and gives the agent the result", async function () {
    const { extension, model } = await open(this, "eliza");
    const asked = await extension.complete(model, zedRequest(shoutPrompt, { tools: [shout], toolChoice: "auto" }));
    const call = objectOf(asked.find(({ tag }) => tag === "tool-use")?.val);
    assert.deepEqual([call["name"], parseObject(String(call["input"]))], ["shout", { text: "quiet" }]);
    assert.deepEqual(asked.at(-1), { tag: "stop", val: "tool-use" });
    const id = String(call["id"]);
    const history: readonly ZedMessage[] = [
      zedUser(shoutPrompt),
      {
        role: "assistant",
        content: [{ tag: "tool-use", val: { id, name: "shout", input: String(call["input"]) } }],
        cache: false,
      },
      {
        role: "user",
        content: [
          {
            tag: "tool-result",
            val: { toolUseId: id, toolName: "shout", isError: false, content: { tag: "text", val: "QUIET" } },
          },
        ],
        cache: false,
      },
    ];
    const answered = await extension.complete(model, zedRequest("", { messages: history, tools: [shout] }));
    assert.match(textIn(answered), /answered:\n\nQUIET$/);
    assert.deepEqual(answered.at(-1), { tag: "stop", val: "end-turn" });
  });

  it("leaves nothing of a request out that the endpoint has a word for", async function () {
    const { extension, model } = await open(this, "eliza");
    await extension.complete(model, {
      messages: [
        { role: "system", content: [{ tag: "text", val: "Be brief." }], cache: true },
        zedUser("Look."),
        {
          role: "assistant",
          content: [
            { tag: "thinking", val: { text: "Hm." } },
            { tag: "text", val: "Looking." },
            { tag: "tool-use", val: { id: "call-1", name: "shout", input: '{"text":"a"}' } },
          ],
          cache: false,
        },
        {
          role: "user",
          content: [
            { tag: "text", val: "echo and" },
            { tag: "image", val: { source: "/9j/4AAQ" } },
            {
              tag: "tool-result",
              val: { toolUseId: "call-1", toolName: "shout", isError: true, content: { tag: "text", val: "hoarse" } },
            },
          ],
          cache: false,
        },
      ],
      tools: [shout],
      toolChoice: "none",
      stopSequences: ["END"],
      temperature: 0.5,
      thinkingAllowed: true,
      maxTokens: 100n,
    });
    const text = (value: string): unknown => ({ type: "text", text: value });
    const called = { name: "shout", arguments: '{"text":"a"}' };
    assert.deepEqual(JSON.parse(extension.host.bodies[0] ?? ""), {
      model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: [text("Be brief.")] },
        { role: "user", content: [text("Look.")] },
        {
          role: "assistant",
          content: [text("Looking.")],
          tool_calls: [{ id: "call-1", type: "function", function: called }],
        },
        { role: "tool", tool_call_id: "call-1", content: [text("The tool failed: hoarse")] },
        {
          role: "user",
          content: [text("echo and"), { type: "image_url", image_url: { url: "data:image/jpeg;base64,/9j/4AAQ" } }],
        },
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "shout",
            description: shout.description,
            parameters: parseObject(shout.inputSchema),
          },
        },
      ],
      tool_choice: "none",
      stop: ["END"],
      temperature: 0.5,
      max_completion_tokens: 100,
    });
  });

  it("asks for the token where there is none, and keeps no wrong one", async function () {
    const { address, token } = await serve("eliza");
    const env = { SYMPOSIUM_API_URL: address };
    const asked = await load(this, { env, entered: token });
    assert.equal(await asked.isAuthenticated(), false);
    await assert.rejects(asked.models(), /There is no token/);
    await asked.authenticate();
    assert.deepEqual(asked.host.questions, ["api-key: Token of serve-openai (~/.symposium/openai-token)"]);
    assert.equal(await asked.isAuthenticated(), true);
    const wrong = await load(this, { env, credential: "wrong" });
    await assert.rejects(wrong.authenticate(), /^Error: invalid_api_key: /);
    assert.equal(wrong.host.credential, undefined);
    const unasked = await load(this, { env });
    await assert.rejects(unasked.authenticate(), /There is no token/);
  });

  it("takes the token of the environment before that of the keychain", async function () {
    const { address, token } = await serve("eliza");
    const env = { SYMPOSIUM_API_URL: address, SYMPOSIUM_API_KEY: token };
    const extension = await load(this, { env, credential: "old" });
    assert.equal((await extension.models()).length, 1);
    const mistaken = await load(this, { env: { ...env, SYMPOSIUM_API_KEY: "wrong" }, credential: token });
    await assert.rejects(mistaken.authenticate(), /invalid_api_key/);
    assert.equal(mistaken.host.credential, token);
  });

  it("says what is wrong in the words of the endpoint", async function () {
    const { extension, model } = await open(this, agentText());
    await assert.rejects(extension.start("nobody", zedRequest("Hello")), /model_not_found: There is no model "nobody"/);
    await assert.rejects(extension.models("other"), /other is no provider of Symposium/);
    await assert.rejects(extension.next("answer-9"), /There is no stream answer-9/);
    const unreadable = { ...shout, inputSchema: "{" };
    await assert.rejects(extension.start(model, zedRequest("Hello", { tools: [unreadable] })), /shout is no JSON/);
    const choice = zedRequest("Hello", { tools: [shout], toolChoice: "any" });
    await assert.rejects(extension.start(model, choice), /tool_choice/);
  });

  it("fails in the middle of an answer when the agent does", async function () {
    const { extension, model } = await open(this, agentText());
    const stream = await extension.start(model, zedRequest("echo begun\ncrash 3"));
    assert.deepEqual(
      [await extension.next(stream), await extension.next(stream)],
      [{ tag: "started" }, { tag: "text", val: "begun\n" }],
    );
    await assert.rejects(extension.next(stream), /agent_failed/);
    assert.equal(await extension.next(stream), undefined);
  });

  it("says how to start the endpoint where nothing answers", async function () {
    const env = { SYMPOSIUM_API_URL: "http://127.0.0.1:1/v1" };
    const extension = await load(this, { env, credential: "any" });
    await assert.rejects(
      extension.authenticate(),
      /127\.0\.0\.1:1\/v1 does not answer .*symposium-acp-agent serve-openai/,
    );
    assert.equal(extension.host.credential, "any");
  });

  it("polls two answers in turns", async function () {
    const { extension, model } = await open(this, agentText());
    const [one, two] = [
      await extension.start(model, zedRequest("stream 3 2")),
      await extension.start(model, zedRequest("stream 3 4")),
    ];
    const events: (ZedEvent | undefined)[][] = [];
    for (let count = 0; count < 4; count++) events.push([await extension.next(one), await extension.next(two)]);
    assert.deepEqual(
      events.slice(1).map((pair) => pair.map((event) => event?.val)),
      ["1", "2", "3"].map((number) => [`${number} `, `${number} ..`]),
    );
  });

  it("streams a real agent's answer, and hangs up on its model when Zed closes the stream", async function () {
    const run = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    const fake = scope().use(await startFakeModel({ script: [talkUntilCancelled] }));
    const { words, env } = await agentCommand(opencode, opencodeFolder(this), run, fake.url);
    const environment = { ...env, ...commandEnvironment(run), PATH: env["PATH"] ?? "" };
    scope().defer(async () => assert.deepEqual(await survivingProcesses(run.root, 10_000), new Map()));
    const { address, token } = scope().use(await startOpenAiEndpoint(run, [shellWords(words)], environment));
    const extension = await load(this, { env: { SYMPOSIUM_API_URL: address }, credential: token });
    const [model] = await extension.models();
    const stream = await extension.start(model?.id ?? "", zedRequest("Tell me a story."));
    assert.equal((await extension.next(stream))?.tag, "started");
    assert.equal((await extension.next(stream))?.tag, "text");
    await extension.close(stream);
    const talk = fake.requests.find(({ reply }) => reply.kind === "talk-until-cancelled");
    assert.equal(await talk?.ended, "aborted");
  });
});
