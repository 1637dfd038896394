import { arrayOf, objectOf, stringOf, textOf, type JsonObject } from "../json.js";
import type { EventStream } from "./event-stream.js";
import type { OfferedTool, ToolCall } from "./model-request.js";
import type { AnswerWriter, WholeReply, WireFormat } from "./wire-format.js";

/** OpenAI responses, as Codex uses it. MCP tools come grouped in namespaces there. */
export const openaiResponses: WireFormat = {
  name: "openai-responses",

  accepts: (path) => path.endsWith("/responses"),

  read: (_path, body) => {
    const items = arrayOf(body["input"]).map(objectOf);
    const answerSchema = objectOf(objectOf(objectOf(body["text"])["format"])["schema"]);
    return {
      tools: arrayOf(body["tools"]).flatMap((tool) => offeredTools(objectOf(tool))),
      toolResults: items
        .filter((item) => stringOf(item["type"]).endsWith("_output"))
        .map((item) => ({ call: stringOf(item["call_id"]), text: textOf(item["output"]) })),
      endsWithResult: stringOf(items.at(-1)?.["type"]).endsWith("_output"),
      userText: items
        .filter((item) => item["role"] === "user")
        .map((item) => textOf(item["content"]))
        .join("\n"),
      isStreaming: body["stream"] === true,
      ...(Object.keys(answerSchema).length > 0 && { answerSchema }),
    };
  },

  whole: (body, reply, serial) => completed(body, serial, wholeItems(reply, serial)),

  stream: (events, body, serial) => new ResponseWriter(events, body, serial),
};

/** The items of one streamed response, in the order of the provider: announced, filled, done. */
class ResponseWriter implements AnswerWriter {
  readonly #items: JsonObject[] = [];
  #sequence = 0;
  #text: string | undefined;

  constructor(
    private readonly events: EventStream,
    private readonly body: JsonObject,
    private readonly serial: number,
  ) {
    this.#send("response.created", { response: { ...response(body, serial), status: "in_progress", output: [] } });
  }

  text(chunk: string): void {
    const place = { item_id: `msg_${this.serial}`, output_index: 0, content_index: 0 };
    if (this.#text === undefined) {
      const item = { ...messageItem("", this.serial), content: [], status: "in_progress" };
      this.#send("response.output_item.added", { output_index: 0, item });
      const part = { type: "output_text", text: "", annotations: [] };
      this.#send("response.content_part.added", { ...place, part });
    }
    this.#text = (this.#text ?? "") + chunk;
    this.#send("response.output_text.delta", { ...place, delta: chunk });
  }

  call(call: ToolCall): void {
    const index = this.#items.length;
    const item = callItem(call, this.serial, index);
    this.#send("response.output_item.added", { output_index: index, item: { ...item, status: "in_progress" } });
    this.#done(item);
  }

  finish(): void {
    if (this.#text !== undefined) this.#done(messageItem(this.#text, this.serial));
    this.#send("response.completed", { response: completed(this.body, this.serial, this.#items) });
  }

  #done(item: JsonObject): void {
    this.#send("response.output_item.done", { output_index: this.#items.length, item });
    this.#items.push(item);
  }

  #send(type: string, members: JsonObject): void {
    this.events.send({ type, sequence_number: this.#sequence++, ...members }, type);
  }
}

function offeredTools(tool: JsonObject): readonly OfferedTool[] {
  const name = stringOf(tool["name"]) || stringOf(tool["type"]);
  if (tool["type"] === "namespace") {
    return arrayOf(tool["tools"]).flatMap((member) =>
      offeredTools(objectOf(member)).map((t) => ({ ...t, namespace: name })),
    );
  }
  return [{ name, schema: objectOf(tool["parameters"]), isFreeform: tool["type"] === "custom" }];
}

function wholeItems(reply: WholeReply, serial: number): readonly JsonObject[] {
  if (reply.kind === "say") return [messageItem(reply.chunks.join(""), serial)];
  return reply.calls.map((call, index) => callItem(call, serial, index));
}

function messageItem(text: string, serial: number): JsonObject {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: `msg_${serial}`, role: "assistant", status: "completed", content };
}

function callItem({ tool, arguments: args }: ToolCall, serial: number, index: number): JsonObject {
  const common = { call_id: `call_${serial}_${index}`, name: tool.name, status: "completed" };
  if (tool.isFreeform) {
    return { type: "custom_tool_call", id: `ctc_${serial}_${index}`, ...common, input: stringOf(args["input"]) };
  }
  const namespace = tool.namespace === undefined ? {} : { namespace: tool.namespace };
  return {
    type: "function_call",
    id: `fc_${serial}_${index}`,
    ...namespace,
    ...common,
    arguments: JSON.stringify(args),
  };
}

function response(body: JsonObject, serial: number): JsonObject {
  return { id: `resp_${serial}`, object: "response", created_at: 1, model: stringOf(body["model"]) };
}

function completed(body: JsonObject, serial: number, output: readonly JsonObject[]): JsonObject {
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 110,
  };
  return { ...response(body, serial), status: "completed", output, usage };
}
