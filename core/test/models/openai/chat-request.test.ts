import assert from "node:assert/strict";
import { parseChatRequest } from "../../../src/models/openai/chat-request.js";
import { ErrorResponse } from "../../../src/models/openai/error-response.js";

const user = { role: "user", content: "Hello" };
const tool = { type: "function", function: { name: "shout", parameters: { type: "object" } } };

describe("a chat completion's request", () => {
  it("is read with everything that an agent can do", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const link = { type: "image_url", image_url: { url: "https://a.example/b.png" } };
    const request = parseChatRequest({
      model: "eliza",
      stream: true,
      stream_options: { include_usage: true },
      parallel_tool_calls: false,
      temperature: 0.2,
      stop: ["\n\n", "", "END"],
      tools: [tool],
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Look: " }, image, link] },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", type: "function", function: { name: "shout", arguments: '{"text":"a"}' } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "Done" },
      ],
    });
    assert.deepEqual(request, {
      model: "eliza",
      isStreaming: true,
      includesUsage: true,
      hasParallelCalls: false,
      stop: ["\n\n", "END"],
      tools: [{ name: "shout", inputSchema: { type: "object" } }],
      messages: [
        { role: "system", parts: [{ kind: "text", text: "Be brief." }] },
        {
          role: "user",
          parts: [
            { kind: "text", text: "Look: " },
            { kind: "image", mimeType: "image/png", data: "AAAA" },
            { kind: "link", url: "https://a.example/b.png" },
          ],
        },
        { role: "assistant", parts: [{ kind: "call", id: "call_1", name: "shout", args: { text: "a" } }] },
        {
          role: "user",
          parts: [{ kind: "result", id: "call_1", result: { content: [{ type: "text", text: "Done" }] } }],
        },
      ],
    });
  });

  it("takes calls as they are that lack a name, or whose arguments are no JSON", () => {
    const calls = [
      { id: "a", type: "function" },
      { id: "b", function: { name: "shout", arguments: "{" } },
      { id: "c" },
    ];
    const messages = [{ role: "assistant", tool_calls: calls }, user];
    assert.deepEqual(parseChatRequest({ model: "a", messages }).messages[0]?.parts, [
      { kind: "call", id: "a", name: "", args: {} },
      { kind: "call", id: "b", name: "shout", args: "{" },
      { kind: "call", id: "c", name: "", args: {} },
    ]);
  });

  it("has no tools where the client wants none called", () => {
    const request = parseChatRequest({ model: "a", messages: [user], tools: [tool], tool_choice: "none" });
    assert.deepEqual(request.tools, []);
  });

  it("may have one stop sequence, and end with instructions", () => {
    const { stop, messages } = parseChatRequest({
      model: "a",
      messages: [{ role: "system", content: "Hi" }],
      stop: ".",
    });
    assert.deepEqual([stop, messages], [["."], [{ role: "system", parts: [{ kind: "text", text: "Hi" }] }]]);
  });

  const refused: readonly [string, unknown, string][] = [
    ["is no object", [], "body"],
    ["has no model", { messages: [user] }, "model"],
    ["has no messages", { model: "a", messages: [] }, "messages"],
    ["ends with the assistant", { model: "a", messages: [{ role: "assistant", content: "Hi" }] }, "messages"],
    ["has a role that nobody has", { model: "a", messages: [{ role: "function" }] }, "messages[0].role"],
    ["has a result of no call", { model: "a", messages: [{ role: "tool" }] }, "messages[0].tool_call_id"],
    [
      "has sound",
      { model: "a", messages: [{ role: "user", content: [{ type: "input_audio" }] }] },
      "messages[0].content[0]",
    ],
    [
      "has an image that is none",
      { model: "a", messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:x" } }] }] },
      "messages[0].content[0]",
    ],
    ["wants two answers", { model: "a", messages: [user], n: 2 }, "n"],
    ["wants XML", { model: "a", messages: [user], response_format: { type: "xml" } }, "response_format"],
    ["lacks its schema", { model: "a", messages: [user], response_format: { type: "json_schema" } }, "response_format"],
    [
      "has a schema that cannot be checked",
      {
        model: "a",
        messages: [user],
        response_format: { type: "json_schema", json_schema: { schema: { $ref: "https://a.example/s.json" } } },
      },
      "response_format",
    ],
    ["has no length", { model: "a", messages: [user], max_tokens: 0 }, "max_tokens"],
    ["has functions of the older form", { model: "a", messages: [user], functions: [{ name: "shout" }] }, "functions"],
    ["wants sound", { model: "a", messages: [user], audio: { voice: "alloy", format: "wav" } }, "audio"],
    ["has a stop sequence that is none", { model: "a", messages: [user], stop: [1] }, "stop"],
    ["forces a tool", { model: "a", messages: [user], tools: [tool], tool_choice: "required" }, "tool_choice"],
    ["has one tool twice", { model: "a", messages: [user], tools: [tool, tool] }, "tools"],
    ["has a tool of the server", { model: "a", messages: [user], tools: [{ type: "web_search" }] }, "tools[0]"],
  ];
  for (const [what, body, parameter] of refused) {
    it(`is refused by its member when it ${what}`, () => {
      assert.throws(
        () => parseChatRequest(body),
        (failure) => {
          assert.ok(failure instanceof ErrorResponse);
          assert.deepEqual([failure.status, failure.parameter], [400, parameter]);
          return true;
        },
      );
    });
  }
});
