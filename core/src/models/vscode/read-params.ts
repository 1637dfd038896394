import type { Json } from "../../base/rpc/json.js";
import { type AgentStart, readAgentDefinition } from "./agent-to-start.js";
import { readMessages, type ReadMessages } from "./read-messages.js";
import { WireValue } from "./wire-value.js";
import type { EditorServers, Exposure, LmTool, SystemPromptUse } from "./wire.js";

export interface ResponseRequest extends ReadMessages {
  readonly requestId: number | string | undefined;
  readonly modelId: string;
  readonly agent: AgentStart;
  readonly tools: readonly LmTool[];
  readonly isToolRequired: boolean;
  readonly conversationId: string | undefined;
  readonly initiator: string | undefined;
  readonly folder: string | undefined;
  readonly exposure: Exposure;
  readonly systemPromptUse: SystemPromptUse;
  readonly configOptions: Readonly<Record<string, string>>;
  readonly mcpServers: EditorServers | undefined;
}

/** Reads the parameters of `lm/provideLanguageModelChatResponse`. Throws a `WireFault` that names the member. */
export function readResponseParams(params: Json | undefined): ResponseRequest {
  const value = new WireValue(params?.value, "");
  const options = value.member("options").optional((given) => given);
  const exposure =
    value.member("exposure").optional((given) => given.choice<Exposure>(["agent", "hybrid", "raw"])) ?? "hybrid";
  const use = value
    .member("systemPrompt")
    .optional((given) => given.choice<SystemPromptUse>(["pass", "append", "drop"]));
  const text = (name: string): string | undefined => value.member(name).optional((given) => given.text);
  return {
    ...readMessages(value.member("messages")),
    requestId: value.member("requestId").optional(readId),
    modelId: value.member("modelId").text,
    agent: readAgentDefinition(value.member("agent").value),
    tools: options?.member("tools").optional(({ list }) => list.map(readTool)) ?? [],
    isToolRequired: options?.member("toolMode").value === "required",
    conversationId: text("conversationId"),
    initiator: text("initiator"),
    folder: text("folder"),
    exposure,
    // Drop the editor's system message for an agent that uses only its own tools, since the message describes the editor's tools.
    systemPromptUse: use ?? (exposure === "agent" ? "drop" : "append"),
    configOptions: value.member("configOptions").optional(readTexts) ?? {},
    mcpServers: readServers(value),
  };
}

export interface AskedAgent {
  readonly id: string;
  readonly name: string;
  readonly agent: AgentStart;
}

export interface InformationRequest {
  readonly isSilent: boolean;
  readonly agents: readonly AskedAgent[];
  readonly folder: string | undefined;
  readonly mcpServers: EditorServers | undefined;
}

/** Reads the parameters of `lm/provideLanguageModelChatInformation`; the oldest clients omit the agents. */
export function readInformationParams(params: Json | undefined): InformationRequest {
  const value = new WireValue(params?.value ?? {}, "");
  const agents = value.member("agents").optional(({ list }) => list.map(readOfferedAgent));
  return {
    isSilent: value.member("silent").value === true,
    agents: agents ?? [{ id: "eliza", name: "Eliza", agent: { kind: "eliza", isDeterministic: false } }],
    folder: value.member("folder").optional(({ text }) => text),
    mcpServers: readServers(value),
  };
}

export function readTokenCountParams(params: Json | undefined): string {
  const text = new WireValue(params?.value, "").member("text");
  return typeof text.value === "string" ? text.value : JSON.stringify(text.object);
}

export function readCancelParams(params: Json | undefined): number | string {
  return readId(new WireValue(params?.value, "").member("requestId"));
}

/** Reads the editor's MCP servers; returns undefined if there are none. The agent's chain parses the entries and reports invalid ones. */
function readServers(value: WireValue): EditorServers | undefined {
  const servers = value.member("mcpServers").optional(({ object }) => object);
  return servers && Object.keys(servers).length > 0 ? servers : undefined;
}

function readOfferedAgent(value: WireValue): AskedAgent {
  const id = value.member("id").text;
  const name = value.member("name").optional(({ text }) => text) ?? id;
  return { id, name, agent: readAgentDefinition(value.member("agent").value, `${value.path}.agent`) };
}

function readId(value: WireValue): number | string {
  if (typeof value.value === "number" || typeof value.value === "string") return value.value;
  return value.refuse("a number or a string");
}

function readTexts(value: WireValue): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(value.object).map((name) => [name, value.member(name).text]));
}

function readTool(value: WireValue): LmTool {
  const description = value.member("description").value;
  return {
    name: value.member("name").text,
    ...(typeof description === "string" && { description }),
    inputSchema: value.object["inputSchema"],
  };
}
