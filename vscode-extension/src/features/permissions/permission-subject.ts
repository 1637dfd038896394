import { createHash } from "node:crypto";
import { type RequestedCommand, requestedCommand } from "@symposium-dev/core";
import { type CheckedPath, checkPath, type GuardedCall, pathsInInput } from "@symposium-dev/core/node";
import type { AbilitySession } from "../../acp/client-abilities.js";
import type { PermissionRequest } from "./permission-request.js";

export interface PermissionSubject {
  readonly agentId: string;
  readonly sessionId: string;
  readonly toolKind: string;
  readonly title: string;
  readonly command?: Pick<RequestedCommand, "text" | "variables"> & { readonly cwd: CheckedPath };
  readonly paths: readonly CheckedPath[];
  /** Hash of everything that affects what the request does. Requests with equal prints are the same request. */
  readonly print: string;
  readonly isUserOnly: boolean;
}

export async function subjectOf(
  request: PermissionRequest,
  { agent, roots, sessionId }: Pick<AbilitySession, "agent" | "roots" | "sessionId">,
): Promise<PermissionSubject> {
  const { toolKind, title, toolCallId } = request;
  const command = requestedCommand(request.rawInput);
  const [folder = "/"] = roots;
  const names = [...new Set([...placesOf(request), ...pathsInInput(request.rawInput)])];
  const checked = (path: string): Promise<CheckedPath> => checkPath(path, folder, roots);
  const cwd = command && (await checked(command.cwd ?? folder));
  const input = command && cwd ? commandParts(command, cwd) : [title, request.rawInput ?? null, names];
  return {
    agentId: agent.id,
    sessionId,
    toolKind,
    title,
    paths: await Promise.all(names.map(checked)),
    print: createHash("sha256")
      .update(JSON.stringify([toolKind, ...input]))
      .digest("hex"),
    // Only the user may answer when an agent leaves its plan or sends a question as a tool call.
    isUserOnly: toolKind === "switch_mode" || isQuestion(toolCallId),
    ...(command && cwd ? { command: { text: command.text, variables: command.variables, cwd } } : {}),
  };
}

/** Returns everything that affects how a command runs, without its description. */
function commandParts({ text, words, variables, special }: RequestedCommand, cwd: CheckedPath): readonly unknown[] {
  return [text, words ?? null, cwd.real, variables, special];
}

export function guardedCall({ toolCallId, toolKind, rawInput, ...request }: PermissionRequest): GuardedCall {
  return {
    kind: toolKind,
    rawInput,
    locations: placesOf(request),
    isQuestion: isQuestion(toolCallId),
  };
}

/** Returns whether the tool call id belongs to a question from an MCP server. */
function isQuestion(toolCallId: string): boolean {
  return toolCallId.startsWith("elicitation-");
}

function placesOf({ content, locations }: Pick<PermissionRequest, "content" | "locations">): string[] {
  const diffs = content.flatMap((one) => (one.type === "diff" ? [one.path] : []));
  return [...locations.map(({ path }) => path), ...diffs];
}
