import { arrayOf, objectOf, stringOf, textOf, type JsonObject } from "../json.js";
import type { ToolCall } from "./model-request.js";
import type { WireFormat } from "./wire-format.js";

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

/** OpenAI chat completions, as OpenCode, Qwen Code and Copilot use it with their own endpoints. */
export const openaiChat: WireFormat = {
  name: "openai-chat",

  accepts: (path) => path.endsWith("/chat/completions"),

  read: (_path, body) => {
    const messages = arrayOf(body["messages"]).map(objectOf);
    const answerSchema = objectOf(objectOf(objectOf(body["response_format"])["json_schema"])["schema"]);
    return {
      tools: arrayOf(body["tools"]).map((tool) => {
        const declaration = objectOf(objectOf(tool)["function"]);
        return { name: stringOf(declaration["name"]), schema: objectOf(declaration["parameters"]) };
      }),
      toolResults: messages
        .filter((message) => message["role"] === "tool")
        .map((message) => ({ call: stringOf(message["tool_call_id"]), text: textOf(message["content"]) })),
      endsWithResult: messages.at(-1)?.["role"] === "tool",
      userText: messages
        .filter((message) => message["role"] === "user")
        .map((message) => textOf(message["content"]))
        .join("\n"),
      isStreaming: body["stream"] === true,
      ...(Object.keys(answerSchema).length > 0 && { answerSchema }),
    };
  },

  whole: (body, reply, serial) => ({
    ...envelope(body, serial, "chat.completion"),
    choices: [
      {
        index: 0,
        finish_reason: reply.kind === "call" ? "tool_calls" : "stop",
        message:
          reply.kind === "call"
            ? {
                role: "assistant",
                content: null,
                tool_calls: reply.calls.map((call, index) => wireCall(call, serial, index)),
              }
            : { role: "assistant", content: reply.chunks.join("") },
      },
    ],
    usage,
  }),

  stream: (events, body, serial) => {
    const base = envelope(body, serial, "chat.completion.chunk");
    const send = (delta: JsonObject, finishReason: string | null) =>
      events.send({ ...base, choices: [{ index: 0, delta, finish_reason: finishReason }] });
    let finishReason = "stop";
    let calls = 0;
    return {
      text: (chunk) => send({ role: "assistant", content: chunk }, null),
      call: (call) => {
        finishReason = "tool_calls";
        const index = calls++;
        const { function: named, ...head } = wireCall(call, serial, index);
        const opening = { index, ...head, function: { name: named.name, arguments: "" } };
        send({ role: "assistant", content: null, tool_calls: [opening] }, null);
        send({ tool_calls: [{ index, function: { arguments: named.arguments } }] }, null);
      },
      finish: () => {
        send({}, finishReason);
        events.send({ ...base, choices: [], usage });
        events.send("[DONE]");
      },
    };
  },
};

function envelope(body: JsonObject, serial: number, object: string): JsonObject {
  return { id: `chat_${serial}`, object, created: 1, model: stringOf(body["model"]) };
}

function wireCall(call: ToolCall, serial: number, index: number) {
  return {
    id: `call_${serial}_${index}`,
    type: "function",
    function: { name: call.tool.name, arguments: JSON.stringify(call.arguments) },
  };
}
