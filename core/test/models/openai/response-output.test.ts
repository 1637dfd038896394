import assert from "node:assert/strict";
import { ErrorResponse } from "../../../src/models/openai/error-response.js";
import { type ResponseEvent, ResponseOutput } from "../../../src/models/openai/response-output.js";
import { parseResponsesRequest } from "../../../src/models/openai/responses-request.js";
import { asObject } from "../../../src/base/rpc/json.js";

describe("a response", () => {
  let events: ResponseEvent[];
  let output: ResponseOutput;
  beforeEach(() => {
    events = [];
    const request = parseResponsesRequest({ model: "a", input: "Hello", previous_response_id: "resp_0" });
    output = new ResponseOutput({ id: "resp_1", created: 7, request }, (event) => events.push(event));
  });

  /** The items of a response, without their ids, which are by chance. */
  function itemsOf(response: unknown): readonly unknown[] {
    const { output: items } = asObject(response) ?? {};
    assert.ok(Array.isArray(items));
    return items.map((item: unknown) => ({ ...asObject(item), id: "" }));
  }

  it("is one item for each stretch of thought and of text, and for each call", () => {
    output.reasoning("Hm");
    output.reasoning(".");
    output.content("So");
    output.reasoning("Oh.");
    output.content(", then.");
    output.toolCall({ id: "call_1", name: "shout", args: { text: "a" } });
    const thought = (text: string): object => {
      const content = [{ type: "reasoning_text", text }];
      return { type: "reasoning", id: "", summary: [], status: "completed", content };
    };
    const words = (text: string): object => {
      const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
      return { type: "message", id: "", role: "assistant", status: "completed", content };
    };
    const call = { type: "function_call", id: "", call_id: "call_1", name: "shout" };
    assert.deepEqual(itemsOf(output.end({ finishReason: "tool_calls" })), [
      thought("Hm."),
      words("So"),
      thought("Oh."),
      words(", then."),
      { ...call, arguments: '{"text":"a"}', status: "completed" },
    ]);
    assert.deepEqual(output.message, {
      role: "assistant",
      parts: [
        { kind: "text", text: "So, then." },
        { kind: "call", id: "call_1", name: "shout", args: { text: "a" } },
      ],
    });
  });

  it("is told with numbers and places that lead from one event to the next", () => {
    output.content("One");
    output.toolCall({ id: "call_1", name: "shout", args: {} });
    output.end({ finishReason: "tool_calls" });
    assert.deepEqual(
      events.map(({ type, sequence_number: number, output_index: index }) => [number, type, index]),
      [
        [0, "response.created", undefined],
        [1, "response.in_progress", undefined],
        [2, "response.output_item.added", 0],
        [3, "response.content_part.added", 0],
        [4, "response.output_text.delta", 0],
        [5, "response.output_text.done", 0],
        [6, "response.content_part.done", 0],
        [7, "response.output_item.done", 0],
        [8, "response.output_item.added", 1],
        [9, "response.function_call_arguments.delta", 1],
        [10, "response.function_call_arguments.done", 1],
        [11, "response.output_item.done", 1],
        [12, "response.completed", undefined],
      ],
    );
  });

  it("says what was asked, and how much it took", () => {
    const usage = { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 };
    assert.deepEqual(output.end({ finishReason: "stop", usage }), {
      id: "resp_1",
      object: "response",
      created_at: 7,
      status: "completed",
      model: "a",
      output: [],
      error: null,
      incomplete_details: null,
      instructions: null,
      previous_response_id: "resp_0",
      parallel_tool_calls: true,
      store: true,
      temperature: null,
      top_p: null,
      tools: [],
      tool_choice: "auto",
      metadata: {},
      usage: {
        input_tokens: 2,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 5,
      },
    });
  });

  it("is incomplete where the agent had to stop, and says why", () => {
    output.content("And th");
    const { status, incomplete_details: why } = asObject(output.end({ finishReason: "length" })) ?? {};
    assert.deepEqual([status, why], ["incomplete", { reason: "max_output_tokens" }]);
    assert.equal(events.at(-1)?.type, "response.incomplete");
  });

  it("keeps what was said before it failed", () => {
    output.content("And th");
    output.fail(new ErrorResponse(502, "agent_failed", "It is gone."));
    const { type, response } = events.at(-1) ?? { type: "" };
    const { status, error } = asObject(response) ?? {};
    assert.deepEqual(
      [type, status, error],
      ["response.failed", "failed", { code: "agent_failed", message: "It is gone." }],
    );
    assert.equal(asObject(itemsOf(response)[0])?.["status"], "incomplete");
  });
});
