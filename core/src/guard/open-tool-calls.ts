import { mcpToolsOf } from "../base/acp/mcp-tool-call.js";
import { updatedToolCall } from "../base/acp/tool-call.js";
import { sessionIdOf } from "../base/acp/session-message.js";
import { asObject, type Members, objectsOf, stringOf } from "../base/rpc/json.js";
import type { Notification, Request } from "../base/rpc/message.js";
import type { GuardedCall } from "./decision.js";

/** Maximum number of tool calls that are remembered. */
const maxCalls = 200;

/** Id prefix of calls that are questions from MCP servers, whatever their kind. */
const elicitationIds = "elicitation-";

/** Remembers the tool calls that agents announce, since permission requests may omit fields that the agent sent earlier. */
export class OpenToolCalls {
  readonly #calls = new Map<string, GuardedCall>();

  announced(notification: Notification, servers: readonly string[]): void {
    const update = asObject(notification.params?.object?.["update"]);
    const id = update?.["toolCallId"];
    if (typeof id !== "string") return;
    const key = keyOf(sessionIdOf(notification.params), id);
    const call = readCall(update ?? {}, servers, this.#calls.get(key));
    this.#calls.delete(key);
    this.#calls.set(key, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > maxCalls && oldest !== undefined) this.#calls.delete(oldest);
  }

  /**
   * Returns the tool call that a `session/request_permission` is about. `titlesCommands` is true if the agent shows commands only in
   * titles.
   */
  requested(request: Request, servers: readonly string[], titlesCommands = false): GuardedCall {
    const call = asObject(request.params?.object?.["toolCall"]) ?? {};
    const id = typeof call["toolCallId"] === "string" ? call["toolCallId"] : "";
    const read = readCall(call, servers, this.#calls.get(keyOf(sessionIdOf(request.params), id)));
    const { title } = call;
    if (id.startsWith(elicitationIds)) return { ...read, isQuestion: true };
    const isTitled = titlesCommands && read.kind === "execute" && read.rawInput === undefined;
    return isTitled && typeof title === "string" ? { ...read, rawInput: { command: title } } : read;
  }
}

export function serverNames(request: Request): readonly string[] {
  return objectsOf(request.params?.object?.["mcpServers"]).flatMap(({ name }) => stringOf(name) ?? []);
}

function keyOf(session = "", id: string): string {
  return `${session}\n${id}`;
}

function readCall(call: Members, servers: readonly string[], known: GuardedCall | undefined): GuardedCall {
  const places = [...objectsOf(call["locations"]), ...objectsOf(call["content"])];
  const locations = places.flatMap(({ path }) => stringOf(path) ?? []);
  const { kind, rawInput } = updatedToolCall(known && { ...known }, {
    kind: stringOf(call["kind"]),
    rawInput: call["rawInput"],
  });
  // Keep all tools that may be meant, since a name can be ambiguous.
  const tools = [...(known?.tools ?? []), ...mcpToolsOf(call, servers)];
  const distinct = new Map(tools.map((tool) => [JSON.stringify([tool.server, tool.tool]), tool]));
  return {
    kind: stringOf(kind) ?? "other",
    rawInput,
    locations: locations.length > 0 ? locations : (known?.locations ?? []),
    ...(distinct.size > 0 && { tools: [...distinct.values()] }),
  };
}
