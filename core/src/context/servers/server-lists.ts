import { linkedSignal } from "../../base/linked-signal.js";
import type { McpServerDescription } from "../../base/mcp/mcp-server.js";
import { asObject, type Members, objectsOf } from "../../base/rpc/json.js";
import { rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import type { ServerOrigin } from "../../settings/user-server.js";
import { CallFailure, type UserServerConnection } from "./user-server-connection.js";

/** A server's description, tools and prompts. Stored between sessions, so that no session waits for them. */
export interface ServerLists {
  readonly description: McpServerDescription;
  /** Whether the server supports only the stateless revision. */
  readonly isStateless: boolean;
  /** Unmodified tools from all pages. */
  readonly tools: readonly Members[];
  readonly prompts: readonly Members[];
}

export interface KeptLists {
  /** Returns undefined if there are no readable lists. */
  read(key: string): Promise<ServerLists | undefined>;
  /** Never rejects; lists that can't be stored are requested again next time. `origin` is the configuration that declares the server. */
  write(key: string, lists: ServerLists, origin?: ServerOrigin): Promise<void>;
}

/** Parses stored lists; undefined if they are invalid. */
export function parseServerLists(value: unknown): ServerLists | undefined {
  const { description, isStateless, tools, prompts } = asObject(value) ?? {};
  const { serverInfo, capabilities, instructions } = asObject(description) ?? {};
  const info = asObject(serverInfo);
  const abilities = asObject(capabilities);
  if (!info || !abilities || !Array.isArray(tools) || !Array.isArray(prompts)) return undefined;
  return {
    description: {
      serverInfo: info,
      capabilities: abilities,
      ...(typeof instructions === "string" && { instructions }),
    },
    isStateless: isStateless === true,
    tools: objectsOf(tools),
    prompts: objectsOf(prompts),
  };
}

/** Time limit for the lists of a server that just started. */
const defaultListMs = 30_000;

/** Requests all lists. Rejects with `CallFailure` if one fails, so that the caller keeps the previous lists. */
export async function readLists(
  live: UserServerConnection,
  signal: AbortSignal,
  ms = defaultListMs,
): Promise<ServerLists> {
  const { description, isStateless } = live;
  using linked = linkedSignal([signal], ms);
  const list = (name: "tools" | "prompts"): Promise<readonly Members[]> =>
    description.capabilities[name] === undefined ? Promise.resolve([]) : allPages(live, name, linked.signal);
  const [tools, prompts] = await Promise.all([list("tools"), list("prompts")]);
  return { description, isStateless, tools, prompts };
}

/** Page limit for servers whose cursor never ends. */
const maxPages = 64;

async function allPages(live: UserServerConnection, name: string, signal: AbortSignal): Promise<Members[]> {
  const items: Members[] = [];
  let params: Members = {};
  for (let page = 0; page < maxPages; page++) {
    const outcome = await live.call(`${name}/list`, params, { signal, notify: () => undefined });
    // Some servers announce lists that they don't have.
    if (outcome.isError && outcome.json.object?.["code"] === rpcErrorCodes.methodNotFound) break;
    if (outcome.isError) throw new CallFailure("silent", `its ${name} could not be listed: ${outcome.json.text}`);
    const { [name]: listed, nextCursor: cursor } = outcome.json.object ?? {};
    items.push(...objectsOf(listed));
    if (typeof cursor !== "string" || cursor === params["cursor"]) break;
    params = { cursor };
  }
  return items;
}
