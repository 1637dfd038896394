import {
  type McpCallContext,
  mcpError,
  type McpOutcome,
  mcpResult,
  type McpServer,
  type McpServerDescription,
} from "../../base/mcp/mcp-server.js";
import { asObject, Json } from "../../base/rpc/json.js";
import { rpcErrorCodes } from "../../base/rpc/rpc-error.js";

/** Lists other than tools: the member with the items and the key that identifies an item. */
const lists: Readonly<Record<string, { readonly member: string; readonly key: string }>> = {
  "prompts/list": { member: "prompts", key: "name" },
  "resources/list": { member: "resources", key: "uri" },
  "resources/templates/list": { member: "resourceTemplates", key: "uriTemplate" },
};

/** Requests about one item, which go to the server that owns it. */
const itemMethods: ReadonlySet<string> = new Set([
  "prompts/get",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "completion/complete",
]);

/** Page limit, more than any real list needs. */
const maxPages = 64;

/** Combines the prompts, resources and completions of several servers. */
export class PromptsAndResources {
  constructor(private readonly servers: readonly McpServer[]) {}

  /** Merges the servers' capabilities other than tools. Skips servers that don't answer. */
  async capabilities(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const described = await Promise.allSettled(this.servers.map((server) => server.describe(signal)));
    const merged: Record<string, Record<string, unknown>> = {};
    for (const { capabilities } of described.flatMap(valueOf<McpServerDescription>)) {
      for (const name of ["prompts", "resources", "completions"]) {
        const one = asObject(capabilities[name]);
        if (one) merged[name] = { ...merged[name], ...one };
      }
    }
    return merged;
  }

  async call(method: string, params: Json | undefined, context: McpCallContext): Promise<McpOutcome> {
    const list = lists[method];
    if (list) {
      const items = await Promise.all(this.servers.map((server) => itemsOf(server, method, list.member, context)));
      const byKey = new Map<unknown, unknown>();
      for (const item of items.flat()) {
        const key = asObject(item)?.[list.key];
        if (!byKey.has(key)) byKey.set(key, item);
      }
      return mcpResult({ [list.member]: [...byKey.values()] });
    }
    let answer = mcpError(rpcErrorCodes.methodNotFound, `Method not found: ${method}`);
    if (!itemMethods.has(method)) return answer;
    for (const server of this.servers) {
      const outcome = await server.call(method, params, context);
      if (!outcome.isError) return outcome;
      if (outcome.json.object?.["code"] !== rpcErrorCodes.methodNotFound) answer = outcome;
    }
    return answer;
  }
}

/** Returns the items of all pages; empty if the server has no such list. */
async function itemsOf(
  server: McpServer,
  method: string,
  member: string,
  context: McpCallContext,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const outcome = await server.call(method, Json.of(cursor === undefined ? {} : { cursor }), context);
    const { [member]: found, nextCursor } = (outcome.isError ? undefined : outcome.json.object) ?? {};
    if (Array.isArray(found)) items.push(...(found as readonly unknown[]));
    if (typeof nextCursor !== "string") break;
    cursor = nextCursor;
  }
  return items;
}

function valueOf<T>(settled: PromiseSettledResult<T>): T[] {
  return settled.status === "fulfilled" ? [settled.value] : [];
}
