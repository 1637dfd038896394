import type { McpServer } from "../../../src/base/mcp/mcp-server.js";
import { Json } from "../../../src/base/rpc/json.js";

type Members = Readonly<Record<string, unknown>>;

/** A signal that is never aborted. */
export const never: AbortSignal = new AbortController().signal;

/** Calls a tool; resolves with its result, or with the error. */
export async function call(server: McpServer, name: string): Promise<Json> {
  const params = Json.of({ name, arguments: {} });
  return (await server.call("tools/call", params, { signal: never, notify: () => undefined })).json;
}

/** The text that a tool answers with. */
export async function text(server: McpServer, tool: string): Promise<string> {
  const { content } = (await call(server, tool)).object ?? {};
  return String((content as Members[] | undefined)?.[0]?.["text"]);
}

/** The result of any request. */
export async function result(server: McpServer, method: string, params: Members = {}): Promise<Members> {
  const { json } = await server.call(method, Json.of(params), { signal: never, notify: () => undefined });
  return json.object ?? {};
}

export async function toolNames(server: McpServer): Promise<unknown[]> {
  const { tools } = await result(server, "tools/list");
  return (tools as Members[]).map(({ name }) => name);
}
