import { arrayOf, objectOf, stringOf, textOf, type JsonObject } from "../json.js";
import type { WireFormat } from "./wire-format.js";

/** Gemini `generateContent` and `streamGenerateContent`, as Gemini CLI uses them. Calls have no ids there. */
export const geminiGenerateContent: WireFormat = {
  name: "gemini",

  accepts: (path) => /:(streamGenerateContent|generateContent)$/.test(path),

  read: (path, body) => {
    const parts = arrayOf(body["contents"])
      .map(objectOf)
      .filter((content) => content["role"] !== "model")
      .flatMap((content) => arrayOf(content["parts"]).map(objectOf));
    const config = objectOf(body["generationConfig"]);
    return {
      tools: arrayOf(body["tools"])
        .flatMap((group) => arrayOf(objectOf(group)["functionDeclarations"]).map(objectOf))
        .map((tool) => ({
          name: stringOf(tool["name"]),
          schema: objectOf(tool["parametersJsonSchema"] ?? tool["parameters"]),
        })),
      toolResults: parts
        .filter((part) => "functionResponse" in part)
        .map((part) => {
          const response = objectOf(part["functionResponse"]);
          return { call: stringOf(response["name"]), text: JSON.stringify(response["response"] ?? null) };
        }),
      endsWithResult: "functionResponse" in (parts.at(-1) ?? {}),
      userText: textOf(parts),
      isStreaming: path.endsWith(":streamGenerateContent"),
      ...(config["responseMimeType"] === "application/json" && {
        answerSchema: objectOf(config["responseJsonSchema"] ?? config["responseSchema"]),
      }),
    };
  },

  whole: (_body, reply) =>
    lastChunk(
      reply.kind === "call"
        ? reply.calls.map((call) => ({ functionCall: { name: call.tool.name, args: call.arguments } }))
        : [{ text: reply.chunks.join("") }],
    ),

  stream: (events) => {
    const parts: JsonObject[] = [];
    return {
      text: (chunk) =>
        events.send({ candidates: [{ content: { role: "model", parts: [{ text: chunk }] }, index: 0 }] }),
      call: (call) => parts.push({ functionCall: { name: call.tool.name, args: call.arguments } }),
      finish: () => events.send(lastChunk(parts)),
    };
  },
};

function lastChunk(parts: readonly JsonObject[]): JsonObject {
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
    modelVersion: "fake",
  };
}
