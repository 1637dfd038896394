import { arrayOf, objectOf, stringOf, textOf, type JsonObject } from "../json.js";
import type { ToolCall } from "./model-request.js";
import type { WireFormat } from "./wire-format.js";

/** Anthropic messages, as Claude Code uses it. */
export const anthropicMessages: WireFormat = {
  name: "anthropic-messages",

  accepts: (path) => path.endsWith("/messages"),

  read: (_path, body) => {
    const contents = arrayOf(body["messages"])
      .map(objectOf)
      .filter((message) => message["role"] === "user")
      .map((message) => contentBlocks(message["content"]));
    const blocks = contents.flat();
    const answerSchema = objectOf(objectOf(objectOf(body["output_config"])["format"])["schema"]);
    return {
      tools: arrayOf(body["tools"])
        .map(objectOf)
        .map((tool) => ({ name: stringOf(tool["name"]), schema: objectOf(tool["input_schema"]) })),
      toolResults: blocks
        .filter((block) => block["type"] === "tool_result")
        .map((block) => ({ call: stringOf(block["tool_use_id"]), text: textOf(block["content"]) })),
      // Agents add words of their own beside a result.
      endsWithResult: contents.at(-1)?.some((block) => block["type"] === "tool_result") === true,
      userText: textOf(blocks.filter((block) => block["type"] === "text")),
      isStreaming: body["stream"] === true,
      ...(Object.keys(answerSchema).length > 0 && { answerSchema }),
    };
  },

  whole: (body, reply, serial) => ({
    ...message(body, serial),
    content:
      reply.kind === "call"
        ? reply.calls.map((call, index) => toolUse(call, serial, index))
        : [{ type: "text", text: reply.chunks.join("") }],
    stop_reason: reply.kind === "call" ? "tool_use" : "end_turn",
  }),

  stream: (events, body, serial) => {
    const send = (type: string, members: JsonObject) => events.send({ type, ...members }, type);
    let index = -1;
    const close = () => {
      if (index >= 0) send("content_block_stop", { index });
    };
    const open = (block: JsonObject) => {
      close();
      send("content_block_start", { index: ++index, content_block: block });
    };
    const fill = (delta: JsonObject) => send("content_block_delta", { index, delta });
    let stopReason = "end_turn";
    let hasText = false;
    send("message_start", { message: message(body, serial) });
    return {
      text: (chunk) => {
        if (!hasText) open({ type: "text", text: "" });
        hasText = true;
        fill({ type: "text_delta", text: chunk });
      },
      call: (call) => {
        stopReason = "tool_use";
        open({ ...toolUse(call, serial, index + 1), input: {} });
        fill({ type: "input_json_delta", partial_json: JSON.stringify(call.arguments) });
      },
      finish: () => {
        close();
        send("message_delta", {
          delta: { stop_reason: stopReason, stop_sequence: null },
          usage: { output_tokens: 10 },
        });
        send("message_stop", {});
      },
    };
  },
};

function contentBlocks(content: unknown): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : arrayOf(content).map(objectOf);
}

function toolUse(call: ToolCall, serial: number, index: number): JsonObject {
  return { type: "tool_use", id: `toolu_${serial}_${index}`, name: call.tool.name, input: call.arguments };
}

function message(body: JsonObject, serial: number): JsonObject {
  return {
    id: `msg_${serial}`,
    type: "message",
    role: "assistant",
    model: stringOf(body["model"]),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
}
