import { linkedSignal } from "../../base/linked-signal.js";
import type { McpServerDescription } from "../../base/mcp/mcp-server.js";
import { asObject, type Members, objectsOf } from "../../base/rpc/json.js";
import { rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import type { ServerOrigin } from "../../settings/user-server.js";
import { CallFailure, type UserServerConnection } from "./user-server-connection.js";

/** What a server says of itself, its tools and its prompts: kept from one session to the next, so that none waits for it. */
export interface ServerLists {
  readonly description: McpServerDescription;
  /** Whether it speaks the stateless revision alone. */
  readonly isStateless: boolean;
  /** As the server lists them, of all pages. */
  readonly tools: readonly Members[];
  readonly prompts: readonly Members[];
}

/** The lists of last time. */
export interface KeptLists {
  /** Undefined where there are none, or none that can be read. */
  read(key: string): Promise<ServerLists | undefined>;
  /** Never rejects: what could not be kept is asked for again next time. `origin` is who named the server. */
  write(key: string, lists: ServerLists, origin?: ServerOrigin): Promise<void>;
}

/** Reads what {@link KeptLists} has written. */
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

/** Longest wait for the lists of a server that has just come up. */
const defaultListMs = 30_000;

/** Asks a server for all of it. Rejects with a `CallFailure` where a list does not come, so that the one of before stays. */
export async function readLists(
  live: UserServerConnection,
  signal: AbortSignal,
  ms = defaultListMs,
): Promise<ServerLists> {
  const { description, isStateless } = live;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ms);
  const linked = linkedSignal([signal, limit.signal]);
  const list = (name: "tools" | "prompts"): Promise<readonly Members[]> =>
    description.capabilities[name] === undefined ? Promise.resolve([]) : allPages(live, name, linked.signal);
  try {
    const [tools, prompts] = await Promise.all([list("tools"), list("prompts")]);
    return { description, isStateless, tools, prompts };
  } finally {
    clearTimeout(timer);
    linked.release();
  }
}

/** More pages than any list has: an end for servers whose cursor never ends. */
const maxPages = 64;

async function allPages(live: UserServerConnection, name: string, signal: AbortSignal): Promise<Members[]> {
  const items: Members[] = [];
  let params: Members = {};
  for (let page = 0; page < maxPages; page++) {
    const outcome = await live.call(`${name}/list`, params, { signal, notify: () => undefined });
    // Some announce what they do not have.
    if (outcome.isError && outcome.json.object?.["code"] === rpcErrorCodes.methodNotFound) break;
    if (outcome.isError) throw new CallFailure("silent", `its ${name} could not be listed: ${outcome.json.text}`);
    const { [name]: listed, nextCursor: cursor } = outcome.json.object ?? {};
    items.push(...objectsOf(listed));
    if (typeof cursor !== "string" || cursor === params["cursor"]) break;
    params = { cursor };
  }
  return items;
}
