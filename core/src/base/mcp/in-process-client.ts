import { utf8Length } from "../text-bounds.js";
import { asObject, Json, stringOf, objectsOf } from "../rpc/json.js";
import type { JsonSchema } from "./argument-check.js";
import type { McpConnection, McpTool, McpToolResult } from "./mcp-client-contract.js";
import { McpError, type McpServer } from "./mcp-server.js";
import { mcpMethods } from "./wire.js";

export interface ListedTool extends McpTool {
  readonly inputSchema: JsonSchema;
  readonly isReadOnly: boolean;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Size of a tool in model requests: UTF-8 bytes of name, description and schema as JSON. */
export function toolBytes({ name, description, inputSchema }: ListedTool): number {
  return utf8Length(JSON.stringify({ name, description, inputSchema }));
}

/** Maximum number of pages, in case a server's cursor never ends. */
const maxPages = 64;

/** Lists the tools of all pages, in the server's order. Rejects with `McpError` if the server answers with an error. */
export async function listTools(server: Pick<McpServer, "call">, signal: AbortSignal): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const { tools: entries, nextCursor } = await ask(
      server,
      mcpMethods.toolsList,
      cursor === undefined ? {} : { cursor },
      signal,
    );
    tools.push(...objectsOf(entries).flatMap(toTool));
    if (typeof nextCursor !== "string") break;
    cursor = nextCursor;
  }
  return tools;
}

/** Connection to any object that answers MCP requests, without handshake or transport. */
export class InProcessClient implements McpConnection {
  /** Resources disposed together with the connection. */
  constructor(
    private readonly server: Pick<McpServer, "call">,
    private readonly owned?: AsyncDisposable,
  ) {}

  async listTools(signal: AbortSignal): Promise<readonly McpTool[]> {
    return (await listTools(this.server, signal)).map(({ name, description }) => ({ name, description }));
  }

  async callTool(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<McpToolResult> {
    const result = await ask(this.server, mcpMethods.toolsCall, { name, arguments: args }, signal);
    const { structuredContent } = result;
    return {
      content: objectsOf(result["content"]),
      ...(structuredContent !== undefined && { structuredContent }),
      isError: result["isError"] === true,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.owned?.[Symbol.asyncDispose]();
  }
}

async function ask(
  server: Pick<McpServer, "call">,
  method: string,
  params: unknown,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const outcome = await server.call(method, Json.of(params), { signal, notify: () => undefined });
  if (!outcome.isError) return outcome.json.object ?? {};
  const { code, message, data } = outcome.json.object ?? {};
  throw new McpError(
    typeof code === "number" ? code : 0,
    typeof message === "string" ? message : outcome.json.text,
    data,
  );
}

function toTool(entry: Readonly<Record<string, unknown>>): ListedTool[] {
  const { name, description, inputSchema, annotations } = entry;
  if (typeof name !== "string") return [];
  return [
    {
      name,
      description: stringOf(description),
      inputSchema: asObject(inputSchema) ?? {},
      isReadOnly: asObject(annotations)?.["readOnlyHint"] === true,
      entry,
    },
  ];
}
