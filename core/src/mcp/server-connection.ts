import { asObject, Json } from "../rpc/json.js";
import type { McpConnection, McpTool, McpToolResult } from "./mcp-connection.js";
import { McpError } from "./mcp-error.js";
import type { McpServer } from "./mcp-server.js";

/** More pages than any list of tools has: an end for servers whose cursor never ends. */
const maxPages = 64;

/** A connection to anything that answers MCP requests one by one: no handshake, no transport. */
export class ServerConnection implements McpConnection {
  constructor(private readonly server: McpServer) {}

  async listTools(signal: AbortSignal): Promise<readonly McpTool[]> {
    const tools: McpTool[] = [];
    let cursor: unknown;
    for (let page = 0; page < maxPages; page++) {
      const { tools: entries, nextCursor } = await this.#ask(
        "tools/list",
        cursor === undefined ? {} : { cursor },
        signal,
      );
      tools.push(...objectsOf(entries).flatMap(toTool));
      if (typeof nextCursor !== "string") break;
      cursor = nextCursor;
    }
    return tools;
  }

  async callTool(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<McpToolResult> {
    const result = await this.#ask("tools/call", { name, arguments: args }, signal);
    const { structuredContent } = result;
    return {
      content: objectsOf(result["content"]),
      ...(structuredContent !== undefined && { structuredContent }),
      isError: result["isError"] === true,
    };
  }

  /** Nothing was opened. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.resolve();
  }

  async #ask(method: string, params: unknown, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const outcome = await this.server.call(method, Json.of(params), { signal, notify: () => undefined });
    if (!outcome.isError) return outcome.json.object ?? {};
    const { code, message, data } = outcome.json.object ?? {};
    throw new McpError(
      typeof code === "number" ? code : 0,
      typeof message === "string" ? message : outcome.json.text,
      data,
    );
  }
}

function objectsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(asObject).filter((item) => item !== undefined) : [];
}

function toTool({ name, description }: Readonly<Record<string, unknown>>): McpTool[] {
  if (typeof name !== "string") return [];
  return [{ name, description: typeof description === "string" ? description : undefined }];
}
