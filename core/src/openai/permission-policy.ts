import { asObject } from "../rpc/json.js";
import { clientToolsName } from "./client-tools.js";

/** What an agent may do that asks first: nothing, or read and search. */
export type PermissionPolicy = "deny" | "allow-reads";

/** The result of `session/request_permission`, and what was denied. */
export interface PermissionDecision {
  readonly result: unknown;
  /** The title of the tool call that was not permitted. */
  readonly denied?: string;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Answers a permission request by policy, since nobody is there to ask. Options are chosen by their kind. The client's
 * own tools are always allowed: the client runs them, and asks as it sees fit.
 */
export function decidePermission(
  params: Members,
  policy: PermissionPolicy,
  clientTools: ReadonlySet<string>,
): PermissionDecision {
  const toolCall = asObject(params["toolCall"]) ?? {};
  const isAllowed = isClientTool(toolCall, clientTools) || (policy === "allow-reads" && isReading(toolCall["kind"]));
  const kinds = isAllowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const options = (Array.isArray(params["options"]) ? params["options"] : []).map((option: unknown) =>
    asObject(option),
  );
  const optionId = kinds
    .map((kind) => options.find((option) => option?.["kind"] === kind)?.["optionId"])
    .find((id) => typeof id === "string");
  const outcome = optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  const title = typeof toolCall["title"] === "string" ? toolCall["title"] : "a tool call";
  return { result: { outcome }, ...(!isAllowed && { denied: title }) };
}

function isReading(kind: unknown): boolean {
  return kind === "read" || kind === "search";
}

/** Titles hold a model's words for most kinds of tool call; for tools of MCP servers they are the tool's full name. */
function isClientTool({ kind, title, name }: Members, clientTools: ReadonlySet<string>): boolean {
  if (kind !== undefined && kind !== "other") return false;
  return [title, name].some((text) => {
    const [, tool] = (typeof text === "string" && fullName.exec(text)) || [];
    return tool !== undefined && clientTools.has(tool);
  });
}

const fullName = new RegExp(`^(?:mcp__)?${clientToolsName}(?:__|_|[.:/]{1,2})([\\w-]+)$`);
