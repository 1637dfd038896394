import { messageOf } from "../../base/symposium-error.js";
import { untilAborted } from "../../base/until-aborted.js";
import type { McpConnection, McpToolResult } from "../../base/mcp/mcp-client-contract.js";
import { McpError } from "../../base/mcp/mcp-server.js";
import { asObject } from "../../base/rpc/json.js";
import type { PromptCommand } from "./prompt-command.js";
import type { Turn } from "./turn.js";

type ToolUse = Extract<PromptCommand, { kind: "use-tool" }>;

interface ToolOutcome {
  readonly isError: boolean;
  readonly text: string;
  readonly result?: McpToolResult;
}

export async function useTool(turn: Turn, use: ToolUse): Promise<void> {
  const title = `${use.server}::${use.tool}`;
  const toolCall = { toolCallId: crypto.randomUUID(), title, kind: "other", rawInput: use.args } as const;
  const { toolCallId } = toolCall;
  turn.announce(toolCall);
  if (!(await turn.mayGoOn(toolCall))) {
    turn.report({ toolCallId, status: "failed" });
    return;
  }
  turn.report({ toolCallId, status: "in_progress" });
  const { isError, text, result } = await callTool(turn, use);
  turn.report({
    toolCallId,
    status: isError ? "failed" : "completed",
    content: [{ type: "content", content: { type: "text", text } }],
    ...(result && { rawOutput: result }),
  });
  await turn.say(isError ? `${title} failed: ${text}` : `${title} answered:\n\n${text}`);
}

async function callTool(turn: Turn, use: ToolUse): Promise<ToolOutcome> {
  const { servers, signal } = turn;
  try {
    const connection = await untilAborted(servers.connect(use.server), signal);
    const result = await untilAborted(connection.callTool(use.tool, use.args, signal), signal);
    const missing = result.isError ? await missingTool(turn, use, connection) : undefined;
    return { isError: result.isError, text: missing ?? toolResultText(result), result };
  } catch (thrown) {
    if (signal.aborted) return { isError: true, text: "The call was cancelled." };
    if (!(thrown instanceof McpError)) {
      await servers.drop(use.server);
      return { isError: true, text: messageOf(thrown) };
    }
    const connection = await servers.connect(use.server);
    const text = (await missingTool(turn, use, connection)) ?? `the server says: ${thrown.message} (${thrown.code})`;
    return { isError: true, text };
  }
}

/** Returns an error sentence if the server doesn't list the tool. Servers report unknown tools inconsistently or not at all. */
async function missingTool(turn: Turn, use: ToolUse, connection: McpConnection): Promise<string | undefined> {
  const tools = await untilAborted(connection.listTools(turn.signal), turn.signal).catch(() => undefined);
  if (tools === undefined || tools.some((tool) => tool.name === use.tool)) return undefined;
  const names = tools.map((tool) => `"${tool.name}"`).join(", ");
  return `${use.server} has no tool "${use.tool}". ${names === "" ? "It has none at all." : `It has ${names}.`}`;
}

function toolResultText(result: McpToolResult): string {
  const text = result.content.map(blockText).join("\n");
  if (text.trim() !== "") return text;
  return result.structuredContent === undefined ? "(nothing)" : JSON.stringify(result.structuredContent);
}

function blockText(block: Readonly<Record<string, unknown>>): string {
  const { type, text, uri, mimeType } = block;
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource_link" && typeof uri === "string") return uri;
  const resource = asObject(block["resource"]);
  if (typeof resource?.["text"] === "string") return resource["text"];
  if (typeof resource?.["uri"] === "string") return resource["uri"];
  return `(${typeof mimeType === "string" ? mimeType : String(type)})`;
}
