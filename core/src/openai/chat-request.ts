import { asObject } from "../rpc/json.js";
import { chatMessages, type ChatMessage } from "./chat-message.js";
import { invalidRequest } from "./openai-failure.js";

/** A function of the client that the model may call. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What `POST /v1/chat/completions` asks for, as far as an agent can do it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly isStreaming: boolean;
  /** Whether a stream ends with the usage. */
  readonly includesUsage: boolean;
  readonly tools: readonly ClientTool[];
  /** Whether one answer may have several tool calls. */
  readonly hasParallelCalls: boolean;
}

/**
 * Reads the body of a chat completion. Throws an `OpenAiFailure` that names the member for what is malformed, and for
 * what would change the answer and that no agent can do; sampling parameters have no meaning here, and are ignored.
 */
export function parseChatRequest(body: unknown): ChatRequest {
  const request = asObject(body);
  if (!request) throw invalidRequest("body", "a JSON object is expected.");
  const { model, stream, stream_options: streamOptions, n, response_format: format } = request;
  if (typeof model !== "string" || model === "") throw invalidRequest("model", "the id of a model is expected.");
  if (n !== undefined && n !== null && n !== 1) throw invalidRequest("n", "an agent gives one answer at a time.");
  const formatType = asObject(format)?.["type"];
  if (formatType !== undefined && formatType !== "text") {
    throw invalidRequest("response_format", "an agent cannot be held to a format; ask for it in a message.");
  }
  const tools = request["tool_choice"] === "none" ? [] : clientTools(request["tools"]);
  if (isForced(request["tool_choice"])) throw invalidRequest("tool_choice", 'only "auto" and "none" can be chosen.');
  return {
    model,
    messages: chatMessages(request["messages"]),
    isStreaming: stream === true,
    includesUsage: asObject(streamOptions)?.["include_usage"] === true,
    tools,
    hasParallelCalls: request["parallel_tool_calls"] !== false,
  };
}

function isForced(choice: unknown): boolean {
  return choice !== undefined && choice !== null && choice !== "auto" && choice !== "none";
}

function clientTools(value: unknown): readonly ClientTool[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidRequest("tools", "a list is expected.");
  const tools = value.map((item: unknown, index) => clientTool(item, `tools[${index}]`));
  const repeated = tools.find(({ name }, index) => tools.findIndex((tool) => tool.name === name) !== index);
  if (repeated) throw invalidRequest("tools", `two are named "${repeated.name}".`);
  return tools;
}

function clientTool(value: unknown, where: string): ClientTool {
  const tool = asObject(value);
  const called = asObject(tool?.["function"]);
  if (tool?.["type"] !== "function" || !called) throw invalidRequest(where, 'a tool of type "function" is expected.');
  const { name, description, parameters } = called;
  if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name)) {
    throw invalidRequest(`${where}.function.name`, "up to 64 letters, digits, _ and - are expected.");
  }
  return {
    name,
    description: typeof description === "string" ? description : name,
    parameters: asObject(parameters) ?? {},
  };
}
