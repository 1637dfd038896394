import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import OpenAI from "openai";
import type { ChatCompletionChunk, ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { claude, opencode } from "../support/agents/agent-recipes.js";
import { shellWords } from "../support/conductor-command.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say, type ScriptStep, talkUntilCancelled } from "../support/fake-model/script.js";
import { type OpenAiEndpoint, startOpenAiEndpoint } from "../support/openai-endpoint.js";
import { usePackage } from "../support/packages/use-package.js";
import type { RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";

const limitMs = 400_000;
const shout: ChatCompletionTool = {
  type: "function",
  function: {
    name: "shout",
    description: "Returns the text in capitals.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
};

function user(content: string): ChatCompletionMessageParam {
  return { role: "user", content };
}

async function eventsOf(stream: AsyncIterable<ChatCompletionChunk>): Promise<readonly ChatCompletionChunk[]> {
  const events: ChatCompletionChunk[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function textIn(events: readonly ChatCompletionChunk[]): string {
  return events.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
}

describe("the OpenAI-compatible endpoint", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  async function open(...agents: readonly string[]): Promise<OpenAiEndpoint & { readonly folder: RunFolder }> {
    const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    scope().defer(async () => assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map()));
    const endpoint = scope().use(await startOpenAiEndpoint(folder, agents));
    return { ...endpoint, folder };
  }

  async function statusOf(request: Promise<unknown>): Promise<unknown> {
    return request.then(
      () => "answered",
      (failure: unknown) => (failure instanceof OpenAI.APIError ? [failure.status, failure.code] : failure),
    );
  }

  it("lists every agent as a model", async () => {
    const { client } = await open("eliza", "claude-code");
    const ids = (await client.models.list()).data.map(({ id }) => id);
    assert.deepEqual(ids, ["eliza", "claude-code"]);
    assert.equal((await client.models.retrieve("eliza")).owned_by, "Symposium: Eliza");
    assert.deepEqual(await statusOf(client.models.retrieve("nobody")), [404, "model_not_found"]);
  });

  it("answers whole, and goes on in the same session", async () => {
    const { client } = await open("eliza --deterministic", agentText());
    const messages = [user("mcp\necho hello")];
    const model = (await client.models.list()).data[1]?.id ?? "";
    const first = await client.chat.completions.create({ model, messages });
    assert.deepEqual(
      first.choices.map(({ message, finish_reason: reason }) => [message.content, reason]),
      [["hello\n", "stop"]],
    );
    const second = await client.chat.completions.create({
      model,
      messages: [...messages, first.choices[0]?.message ?? user(""), user("usage\necho again")],
    });
    assert.deepEqual(
      [second.choices[0]?.message.content, second.usage],
      ["again\n", { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 }],
    );
  });

  it("streams, and ends with the usage where that is asked for", async () => {
    const { client } = await open(agentText());
    const [model] = (await client.models.list()).data;
    const events = await eventsOf(
      await client.chat.completions.create({
        model: model?.id ?? "",
        stream: true,
        stream_options: { include_usage: true },
        messages: [user("stream 3 8\nusage")],
      }),
    );
    assert.match(textIn(events), /^1 .{6}2 .{6}3 .{6}$/);
    assert.equal(events[0]?.choices[0]?.delta.role, "assistant");
    assert.equal(events.at(-2)?.choices[0]?.finish_reason, "stop");
    assert.equal(events.at(-1)?.usage?.total_tokens, 30);
  });

  it("ends a streamed answer before a stop sequence", async () => {
    const { client } = await open(agentText());
    const model = (await client.models.list()).data[0]?.id ?? "";
    const messages = [user("stream 3 8")];
    const events = await eventsOf(
      await client.chat.completions.create({ model, stream: true, stop: ["3 "], messages }),
    );
    assert.match(textIn(events), /^1 .{6}2 .{6}$/);
    assert.equal(events.at(-1)?.choices[0]?.finish_reason, "stop");
  });

  it("denies what an agent asks for, and says so in the answer", async () => {
    const { client } = await open("eliza");
    const { choices } = await client.chat.completions.create({
      model: "eliza",
      messages: [user("ask permission to delete everything")],
    });
    assert.match(choices[0]?.message.content ?? "", /^\[Not permitted: Delete everything\]\n\n.*reject_once/);
  });

  it("has the client run its tools, and gives the agent the result", async () => {
    const { client } = await open("eliza");
    const messages = [user('use tool client_tools::shout with {"text": "quiet"}')];
    const asked = await client.chat.completions.create({ model: "eliza", messages, tools: [shout] });
    const [choice] = asked.choices;
    const [call] = choice?.message.tool_calls ?? [];
    assert.equal(choice?.finish_reason, "tool_calls");
    assert.ok(call?.type === "function");
    assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ["shout", { text: "quiet" }]);
    messages.push(choice.message, { role: "tool", tool_call_id: call.id, content: "QUIET" });
    const { choices } = await client.chat.completions.create({ model: "eliza", messages, tools: [shout] });
    assert.match(choices[0]?.message.content ?? "", /answered:\n\nQUIET$/);
    assert.equal(choices[0]?.finish_reason, "stop");
  });

  it("refuses whoever lacks the token, and browsers that have it", async () => {
    const { client, address, token } = await open("eliza");
    const stranger = new OpenAI({ apiKey: "wrong", baseURL: address, maxRetries: 0 });
    assert.deepEqual(await statusOf(stranger.models.list()), [401, "invalid_api_key"]);
    const browser = { authorization: `Bearer ${token}`, origin: "https://a.example" };
    assert.equal((await fetch(`${address}/models`, { headers: browser })).status, 403);
    assert.equal((await client.models.list()).data.length, 1);
  });

  it("keeps its token where only the user can read it", async () => {
    const { folder } = await open("eliza");
    assert.equal((await stat(join(folder.root, "config", "openai-token"))).mode & 0o777, 0o600);
  });

  it("refuses a body that is too large before it has read it, and one that is no JSON", async () => {
    const { client, address, token } = await open("eliza");
    const authorization = `Bearer ${token}`;
    const send = (body: string): Promise<Response> =>
      fetch(`${address}/chat/completions`, { method: "POST", headers: { authorization }, body });
    assert.equal((await send("{")).status, 400);
    const tooLarge = await send(" ".repeat(33 * 1024 * 1024)).then(
      ({ status }) => status,
      // It hangs up on a client that goes on sending.
      () => 413,
    );
    assert.equal(tooLarge, 413);
    assert.equal((await client.models.list()).data.length, 1);
  });

  it("says that a chain does not start, and serves the other models", async () => {
    const { client } = await open("eliza", "/no/such/agent");
    const model = (await client.models.list()).data[1]?.id ?? "";
    assert.deepEqual(await statusOf(client.chat.completions.create({ model, messages: [user("Hello")] })), [
      502,
      "agent_failed",
    ]);
    const { choices } = await client.chat.completions.create({ model: "eliza", messages: [user("Hello")] });
    assert.equal(choices.length, 1);
  });

  it("leaves nothing behind when it is killed in the middle of an answer", async () => {
    const { client, child, folder } = await open(agentText("--ignore-eof", "--ignore-sigterm"));
    const model = (await client.models.list()).data[0]?.id ?? "";
    const stream = await client.chat.completions.create({
      model,
      stream: true,
      messages: [user("echo begun\nhang")],
    });
    const [first] = await firstOf(stream, 1);
    assert.ok(first);
    child.process.kill("SIGKILL");
    await child.exited;
    assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map());
  });
});

for (const recipe of [opencode, claude]) describeAgent(recipe);

function describeAgent(recipe: AgentRecipe): void {
  describe(`${recipe.name} ${recipe.version} as an OpenAI model`, function () {
    this.timeout(scaledMs(limitMs));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    async function open(
      context: Mocha.Context,
      ...script: readonly ScriptStep[]
    ): Promise<OpenAiEndpoint & { readonly id: string; readonly fake: FakeModel; readonly root: string }> {
      const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
      const fake = scope().use(await startFakeModel({ script }));
      const { words, env } = await agentCommand(recipe, binFolder(context), folder, fake.url);
      scope().defer(async () => assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map()));
      const environment = { ...env, ...commandEnvironment(folder), PATH: env["PATH"] ?? "" };
      const endpoint = scope().use(await startOpenAiEndpoint(folder, [shellWords(words)], environment));
      const [model] = (await endpoint.client.models.list()).data;
      return { ...endpoint, id: model?.id ?? "", fake, root: folder.root };
    }

    it("streams its answers to two conversations at once", async function () {
      const { client, id } = await open(this, say("All ", "done."));
      const ask = async (text: string): Promise<string> =>
        textIn(
          await eventsOf(await client.chat.completions.create({ model: id, stream: true, messages: [user(text)] })),
        );
      assert.deepEqual(await Promise.all([ask("One"), ask("Two")]), ["All done.", "All done."]);
    });

    it("keeps few processes after many requests, each of which is a conversation of its own", async function () {
      const { client, id, root } = await open(this, say("All done."));
      for (let index = 0; index < 20; index++) {
        const messages = [user(`Question ${index}`)];
        const { choices } = await client.chat.completions.create({ model: id, messages });
        assert.equal(choices[0]?.message.content, "All done.");
      }
      // The endpoint, the watchdog and the agent's own programs, and a process of each of the 8 idle sessions.
      await until(
        () => survivingProcesses(root, 0),
        ({ size }) => size <= 14,
      );
    });

    it("calls a tool of the client, and is told its result", async function () {
      const { client, id, fake } = await open(this, callToolWith(/shout$/, { text: "quiet" }), say("All done."));
      const messages = [user("Shout.")];
      const asked = await client.chat.completions.create({ model: id, messages, tools: [shout] });
      const [choice] = asked.choices;
      const [call] = choice?.message.tool_calls ?? [];
      assert.ok(choice && call?.type === "function", JSON.stringify(asked));
      assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ["shout", { text: "quiet" }]);
      messages.push(choice.message, { role: "tool", tool_call_id: call.id, content: "QUIET AS CAN BE" });
      const { choices } = await client.chat.completions.create({ model: id, messages, tools: [shout] });
      assert.match(choices[0]?.message.content ?? "", /All done\./);
      const results = fake.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
      assert.match(results.join("\n"), /QUIET AS CAN BE/);
    });

    it("hangs up on its model when the client leaves", async function () {
      const { client, id, fake } = await open(this, talkUntilCancelled);
      const left = new AbortController();
      const stream = await client.chat.completions.create(
        { model: id, stream: true, messages: [user("Tell me a story.")] },
        { signal: left.signal },
      );
      await firstOf(stream, 2);
      left.abort();
      const talk = fake.requests.find(({ reply }) => reply.kind === "talk-until-cancelled");
      assert.equal(await talk?.ended, "aborted");
    });
  });
}

/** The first events; the stream stays open. */
async function firstOf(
  stream: AsyncIterable<ChatCompletionChunk>,
  count: number,
): Promise<readonly ChatCompletionChunk[]> {
  const events: ChatCompletionChunk[] = [];
  const iterator = stream[Symbol.asyncIterator]();
  while (events.length < count) {
    const next: IteratorResult<ChatCompletionChunk, unknown> = await iterator.next();
    if (next.done === true) break;
    events.push(next.value);
  }
  return events;
}
