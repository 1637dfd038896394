import assert from "node:assert/strict";
import { ErrorResponse } from "../../../src/models/openai/error-response.js";
import { asChatRequest, parseResponsesRequest } from "../../../src/models/openai/responses-request.js";

function parsed(members: object): ReturnType<typeof parseResponsesRequest> {
  return parseResponsesRequest({ model: "a", input: "Hello", ...members });
}

describe("a request for a response", () => {
  it("is read with everything that an agent can do", () => {
    const shout = {
      type: "function",
      name: "shout",
      description: "Loud.",
      parameters: { type: "object" },
      strict: true,
    };
    assert.deepEqual(
      parsed({
        instructions: "Be brief.",
        stream: true,
        store: false,
        previous_response_id: "resp_1",
        tools: [shout],
        parallel_tool_calls: false,
        metadata: { of: "test" },
        temperature: 0.5,
      }),
      {
        model: "a",
        instructions: "Be brief.",
        input: [{ role: "user", parts: [{ kind: "text", text: "Hello" }] }],
        previousId: "resp_1",
        isStreaming: true,
        isStored: false,
        tools: [{ name: "shout", description: "Loud.", inputSchema: { type: "object" } }],
        hasParallelCalls: false,
        echoed: { tools: [shout], tool_choice: "auto", metadata: { of: "test" } },
      },
    );
  });

  it("may have items of every kind that an answer has, of which the assistant's become one message", () => {
    const { input } = parsed({
      input: [
        { role: "developer", content: "Be kind." },
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_text", text: "Look" },
            { type: "input_image", image_url: "data:image/png;base64,AAAA" },
            { type: "input_image", image_url: "https://pictures.example/a.png" },
          ],
        },
        { type: "reasoning", id: "rs_1", summary: [] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Looking" }] },
        { type: "function_call", call_id: "call_1", name: "shout", arguments: "{}" },
        { type: "function_call", call_id: "call_2", name: "shout", arguments: "{}" },
        { type: "function_call_output", call_id: "call_1", output: "A" },
        { type: "function_call_output", call_id: "call_2", output: [{ type: "input_text", text: "B" }] },
      ],
    });
    assert.deepEqual(input, [
      { role: "system", parts: [{ kind: "text", text: "Be kind." }] },
      {
        role: "user",
        parts: [
          { kind: "text", text: "Look" },
          { kind: "image", mimeType: "image/png", data: "AAAA" },
          { kind: "link", url: "https://pictures.example/a.png" },
        ],
      },
      {
        role: "assistant",
        parts: [
          { kind: "text", text: "Looking" },
          { kind: "call", id: "call_1", name: "shout", args: {} },
          { kind: "call", id: "call_2", name: "shout", args: {} },
        ],
      },
      { role: "user", parts: [{ kind: "result", id: "call_1", result: { content: [{ type: "text", text: "A" }] } }] },
      { role: "user", parts: [{ kind: "result", id: "call_2", result: { content: [{ type: "text", text: "B" }] } }] },
    ]);
  });

  it("asks, after the conversation that it goes on from, with the instructions of its own", () => {
    const history = [
      { role: "user", parts: [{ kind: "text", text: "One" }] },
      { role: "assistant", parts: [{ kind: "text", text: "1" }] },
    ] as const;
    const { messages } = asChatRequest(parsed({ instructions: "Count." }), history);
    assert.deepEqual(messages, [
      { role: "system", parts: [{ kind: "text", text: "Count." }] },
      ...history,
      { role: "user", parts: [{ kind: "text", text: "Hello" }] },
    ]);
  });

  const refused: readonly [string, object, string][] = [
    ["has no model", { model: "" }, "model"],
    ["has no input", { input: undefined }, "input"],
    ["has a role that nobody has", { input: [{ role: "king", content: "" }] }, "input[0].role"],
    ["has a result of no call", { input: [{ type: "function_call_output", output: "" }] }, "input[0].call_id"],
    ["has a file", { input: [{ role: "user", content: [{ type: "input_file" }] }] }, "input[0].content[0]"],
    ["has an item of another server", { input: [{ type: "item_reference", id: "1" }] }, "input[0].type"],
    ["has instructions that are no text", { instructions: [] }, "instructions"],
    ["lacks the schema of its format", { text: { format: { type: "json_schema" } } }, "text.format"],
    ["is to be answered later", { background: true }, "background"],
    ["belongs to a conversation by name", { conversation: "conv_1" }, "conversation"],
    ["has a tool of the server", { tools: [{ type: "web_search" }] }, "tools[0]"],
    ["has a tool without a name", { tools: [{ type: "function" }] }, "tools[0].name"],
    ["forces a tool", { tool_choice: "required" }, "tool_choice"],
  ];
  for (const [what, members, parameter] of refused) {
    it(`is refused by its member when it ${what}`, () => {
      assert.throws(
        () => parsed(members),
        (failure) => failure instanceof ErrorResponse && failure.parameter === parameter,
      );
    });
  }

  it("is refused when there is nothing to answer at its end", () => {
    const request = parsed({ input: [{ role: "assistant", content: "Done." }] });
    assert.throws(() => asChatRequest(request, []), /^ErrorResponse: input: the last message must be from the user/);
  });
});
