import assert from "node:assert/strict";
import OpenAI from "openai";
import type {
  FunctionTool,
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import { agentCommand } from "../support/agents/agent-command.js";
import { opencode } from "../support/agents/agent-recipes.js";
import { shellWords } from "../support/conductor-command.js";
import { startFakeModel } from "../support/fake-model/fake-model.js";
import { talkUntilCancelled } from "../support/fake-model/script.js";
import { type OpenAiEndpoint, startOpenAiEndpoint } from "../support/openai-endpoint.js";
import { usePackage } from "../support/packages/use-package.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const shout: FunctionTool = {
  type: "function",
  name: "shout",
  description: "Returns the text in capitals.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  strict: false,
};
const shoutPrompt = 'use tool client_tools::shout with {"text": "quiet"}';

describe("the responses of the OpenAI-compatible endpoint", function () {
  this.timeout(scaledMs(400_000));
  const opencodeFolder = usePackage(opencode);
  const scope = useTestScope();

  async function open(agent: string): Promise<OpenAiEndpoint & { readonly model: string }> {
    const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    scope().defer(async () => assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map()));
    const endpoint = scope().use(await startOpenAiEndpoint(folder, [agent]));
    return { ...endpoint, model: (await endpoint.client.models.list()).data[0]?.id ?? "" };
  }

  async function statusOf(request: PromiseLike<unknown>): Promise<unknown> {
    return request.then(
      () => "answered",
      (failure: unknown) => (failure instanceof OpenAI.APIError ? [failure.status, failure.code] : failure),
    );
  }

  it("answer whole, with the usage, and go on from an answer in its session", async () => {
    const { client, model } = await open(agentText());
    const first = await client.responses.create({ model, input: "echo one\nusage" });
    assert.deepEqual(
      [first.status, first.output_text, first.usage],
      [
        "completed",
        "one\n",
        {
          input_tokens: 20,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 10,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 30,
        },
      ],
    );
    // A new session would be told the conversation so far, which is no command of this agent.
    const second = await client.responses.create({ model, input: "echo two", previous_response_id: first.id });
    assert.deepEqual([second.output_text, second.previous_response_id], ["two\n", first.id]);
  });

  it("go on in the same session when the client sends everything again", async () => {
    const { client, model } = await open(agentText());
    const input: ResponseInputItem[] = [{ role: "user", content: [{ type: "input_text", text: "updates\necho one" }] }];
    const first = await client.responses.create({ model, input, store: false });
    assert.deepEqual([...new Set(first.output.map(({ type }) => type))], ["message", "reasoning"]);
    const history = [...input, ...first.output] as ResponseInputItem[];
    const second = await client.responses.create({ model, input: [...history, { role: "user", content: "echo two" }] });
    assert.equal(second.output_text, "two\n");
  });

  it("stream every step, in order, and end with the whole", async () => {
    const { client, model } = await open(agentText());
    const events: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create({ model, stream: true, input: "stream 2 4" })) {
      events.push(event);
    }
    assert.deepEqual(
      events.map(({ type }) => type),
      [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
      ],
    );
    assert.deepEqual(
      events.map((event) => event.sequence_number),
      [...events.keys()],
    );
    const last = events.at(-1);
    assert.ok(last?.type === "response.completed");
    const [message] = last.response.output;
    assert.ok(message?.type === "message");
    assert.deepEqual(message.content, [{ type: "output_text", text: "1 ..2 ..", annotations: [], logprobs: [] }]);
  });

  it("are put together by the client's own stream, thoughts and text apart", async () => {
    const { client, model } = await open(agentText());
    const stream = client.responses.stream({ model, input: "updates" });
    const response = await stream.finalResponse();
    const thoughts = response.output.flatMap((item) => (item.type === "reasoning" ? (item.content ?? []) : []));
    assert.match(thoughts.map(({ text }) => text).join(""), /A thought/);
    assert.match(response.output_text, /An answer\n/);
    assert.doesNotMatch(response.output_text, /A thought/);
  });

  it("have the client run its tools, whole and streamed", async () => {
    const { client, model } = await open("eliza");
    for (const isStreaming of [false, true]) {
      const { id, output } = isStreaming
        ? await client.responses.stream({ model, input: shoutPrompt, tools: [shout] }).finalResponse()
        : await client.responses.create({ model, input: shoutPrompt, tools: [shout] });
      const items: readonly ResponseOutputItem[] = output;
      const call = items.find((item): item is ResponseFunctionToolCall => item.type === "function_call");
      assert.deepEqual([call?.name, JSON.parse(call?.arguments ?? "")], ["shout", { text: "quiet" }]);
      const answered = await client.responses.create({
        model,
        previous_response_id: id,
        input: [{ type: "function_call_output", call_id: call?.call_id ?? "", output: "QUIET" }],
        tools: [shout],
      });
      assert.match(answered.output_text, /answered:\n\nQUIET$/);
    }
  });

  it("are refused for what is not there, and for what no agent can do", async () => {
    const { client, model } = await open("eliza");
    const ask = (members: object): Promise<unknown> =>
      statusOf(client.responses.create({ model, input: "Hello", ...members }));
    assert.deepEqual(
      [
        await ask({ model: "nobody" }),
        await ask({ previous_response_id: "resp_gone" }),
        await ask({ background: true }),
        await ask({ input: [{ type: "computer_call_output", call_id: "1", output: {} }] }),
        await ask({ tools: [{ type: "web_search" }] }),
      ],
      [
        [404, "model_not_found"],
        [400, "previous_response_not_found"],
        [400, "invalid_value"],
        [400, "invalid_value"],
        [400, "invalid_value"],
      ],
    );
  });

  it("say that the agent failed: at once with the status, later as the last event", async () => {
    const { client, model } = await open(agentText());
    assert.deepEqual(await statusOf(client.responses.create({ model, input: "error -32000 no" })), [
      502,
      "agent_sign_in_required",
    ]);
    const types: [string, string | undefined][] = [];
    for await (const event of await client.responses.create({ model, stream: true, input: "echo begun\ncrash 3" })) {
      types.push([event.type, "response" in event ? event.response.error?.code : undefined]);
    }
    assert.deepEqual(types.at(-1), ["response.failed", "agent_failed"]);
  });

  it("end a real agent's turn when the client leaves", async function () {
    const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    const fake = scope().use(await startFakeModel({ script: [talkUntilCancelled] }));
    const { words, env } = await agentCommand(opencode, opencodeFolder(this), folder, fake.url);
    scope().defer(async () => assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map()));
    const environment = { ...env, ...commandEnvironment(folder), PATH: env["PATH"] ?? "" };
    const { client } = scope().use(await startOpenAiEndpoint(folder, [shellWords(words)], environment));
    const left = new AbortController();
    const [model] = (await client.models.list()).data;
    const stream = await client.responses.create(
      { model: model?.id ?? "", stream: true, input: "Tell me a story." },
      { signal: left.signal },
    );
    for await (const event of stream) if (event.type === "response.output_text.delta") break;
    left.abort();
    const talk = fake.requests.find(({ reply }) => reply.kind === "talk-until-cancelled");
    assert.equal(await talk?.ended, "aborted");
  });
});
