import { chooseOption } from "../model/permission-option.js";
import { asObject } from "../rpc/json.js";

/** What an agent may do that asks first: nothing, or read and search. */
export type PermissionPolicy = "deny" | "allow-reads";

/** The result of `session/request_permission`, and what was denied. */
export interface PermissionDecision {
  readonly result: unknown;
  /** The title of the tool call that was not permitted. */
  readonly denied?: string;
}

/** The MCP server under which an agent finds the client's tools. */
export const clientToolsName = "client_tools";

type Members = Readonly<Record<string, unknown>>;

/**
 * Answers a permission request by policy, since nobody is there to ask. Options are chosen by their kind. The client's
 * own tools, as `isOwn` knows them, are always allowed: the client runs them, and asks as it sees fit.
 */
export function decidePermission(
  params: Members,
  policy: PermissionPolicy,
  isOwn: (toolCall: Members) => boolean,
): PermissionDecision {
  const toolCall = asObject(params["toolCall"]) ?? {};
  const isAllowed = isOwn(toolCall) || (policy === "allow-reads" && isReading(toolCall["kind"]));
  const kinds = isAllowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const title = typeof toolCall["title"] === "string" ? toolCall["title"] : "a tool call";
  return { result: chooseOption(params["options"], kinds), ...(!isAllowed && { denied: title }) };
}

function isReading(kind: unknown): boolean {
  return kind === "read" || kind === "search";
}
