import { whenAborted } from "../src/base/until-aborted.js";
import type { McpCallContext, McpOutcome, McpServer } from "../src/base/mcp/mcp-server.js";
import { Json } from "../src/base/rpc/json.js";
import { objectMember, stringMember } from "./members.js";

const tools = [
  {
    name: "mcp_ping",
    description: "Says the text back",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
  {
    name: "mcp_slow",
    description: "Reports progress, then ends when it is cancelled, or after `ms` milliseconds when that is given",
    inputSchema: { type: "object", properties: { ms: { type: "number" } } },
  },
];

/**
 * An MCP server with the tools `mcp_ping {text}`, which answers `pong: TEXT`, and `mcp_slow {ms?}`, which
 * reports progress 1 of 2 when the caller gave a progress token, and answers -32800 when it is cancelled.
 */
export function pingServer(name: string): McpServer {
  return {
    name,
    describe: () =>
      Promise.resolve({ serverInfo: { name, version: "1.0.0" }, capabilities: { tools: {} }, instructions: "Ping." }),
    call(method, params, context) {
      if (method === "tools/list") return Promise.resolve(result({ tools }));
      if (method === "tools/call") return callTool(params, context);
      return Promise.resolve(error(-32601, `Method not found: ${method}`));
    },
  };
}

function callTool(params: Json | undefined, context: McpCallContext): Promise<McpOutcome> {
  const name = stringMember(params, "name");
  const toolArguments = Json.of(objectMember(params, "arguments"));
  if (name === "mcp_ping") {
    const text = stringMember(toolArguments, "text");
    return Promise.resolve(text === undefined ? error(-32602, "mcp_ping needs a text") : said(`pong: ${text}`));
  }
  if (name === "mcp_slow") return beSlow(params, toolArguments.object?.["ms"], context);
  return Promise.resolve(error(-32602, `Unknown tool: ${name ?? ""}`));
}

function beSlow(params: Json | undefined, ms: unknown, context: McpCallContext): Promise<McpOutcome> {
  const progressToken = objectMember(params, "_meta")?.["progressToken"];
  if (progressToken !== undefined) {
    context.notify("notifications/progress", Json.of({ progressToken, progress: 1, total: 2 }));
  }
  return new Promise((resolve) => {
    const timer = typeof ms === "number" ? setTimeout(() => resolve(said("slow: done")), ms) : undefined;
    const cancel = (): void => {
      clearTimeout(timer);
      resolve(error(-32800, "mcp_slow was cancelled"));
    };
    whenAborted(context.signal, cancel);
  });
}

function said(text: string): McpOutcome {
  return result({ content: [{ type: "text", text }] });
}

function result(value: unknown): McpOutcome {
  return { isError: false, json: Json.of(value) };
}

function error(code: number, message: string): McpOutcome {
  return { isError: true, json: Json.of({ code, message }) };
}
