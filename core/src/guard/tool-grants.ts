import type { McpTool } from "../base/acp/mcp-tool-call.js";
import { asObject, objectsOf } from "../base/rpc/json.js";
import type { Outcome, Request } from "../base/rpc/message.js";
import type { GuardedCall } from "./decision.js";

/** Maximum number of unused grants per session. */
const maxGrants = 50;

/**
 * Tool calls that the user allowed when the agent asked. Each grant covers one call with the same arguments, so that the user isn't asked a
 * second time.
 */
export class ToolGrants {
  readonly #granted = new Map<string, string[]>();

  add(session: string, { tools = [], rawInput }: GuardedCall): void {
    const [tool, ...others] = tools;
    if (!tool || others.length > 0) return;
    const grants = this.#granted.get(session) ?? [];
    grants.push(keyOf(tool, argumentsOf(tool, rawInput)));
    this.#granted.set(session, grants.slice(-maxGrants));
  }

  /** Returns whether a tool call was allowed. If so, the grant is used up. */
  take(session: string, { tools = [], rawInput }: GuardedCall): boolean {
    const [tool] = tools;
    const grants = this.#granted.get(session) ?? [];
    const place = tool ? grants.indexOf(keyOf(tool, rawInput)) : -1;
    if (place === -1) return false;
    grants.splice(place, 1);
    return true;
  }

  end(session: string): void {
    this.#granted.delete(session);
  }
}

export function isGranted(request: Request, outcome: Outcome): boolean {
  const { outcome: answer, optionId } = asObject(outcome.json.object?.["outcome"]) ?? {};
  const chosen = objectsOf(request.params?.object?.["options"]).find((one) => one["optionId"] === optionId);
  return !outcome.isError && answer === "selected" && String(chosen?.["kind"]).startsWith("allow");
}

/**
 * Returns a tool call's arguments. Codex wraps them in an object with server and tool; other agents' tools may have arguments with these
 * names.
 */
function argumentsOf(called: McpTool, rawInput: unknown): unknown {
  const { server, tool, arguments: args } = asObject(rawInput) ?? {};
  return server === called.server && tool === called.tool && args !== undefined ? args : rawInput;
}

function keyOf({ server, tool }: McpTool, args: unknown): string {
  return JSON.stringify([server, tool, sorted(args ?? {})]);
}

/** Makes values comparable: objects are equal regardless of the order of their properties, and differ from arrays. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  const members = asObject(value);
  if (!members) return value;
  const pairs = Object.entries(members)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
  return { pairs };
}
