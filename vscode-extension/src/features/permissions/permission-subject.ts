import { createHash } from "node:crypto";
import { type RequestedCommand, requestedCommand } from "@symposium-dev/core";
import {
  addressInInput,
  checkCommand,
  type CheckedCommand,
  type CheckedPath,
  checkPath,
  type GuardedCall,
  pathsInInput,
} from "@symposium-dev/core/node";
import type { AbilitySession } from "../../acp/abilities.js";
import type { PermissionRequest } from "./permission-request.js";

export interface PermissionSubject {
  readonly agentId: string;
  readonly sessionId: string;
  readonly toolKind: string;
  readonly title: string;
  readonly command?: CommandSubject;
  readonly paths: readonly CheckedPath[];
  readonly origin?: string;
  /** Hash of the whole input. Requests with equal prints are the same request. */
  readonly print: string;
  readonly isUserOnly: boolean;
}

export interface CommandSubject extends CheckedCommand {
  /** Identifies the command's text, folder, variables and other options that affect how it runs. */
  readonly print: string;
}

export async function subjectOf(
  request: PermissionRequest,
  session: Pick<AbilitySession, "agent" | "roots" | "sessionId">,
): Promise<PermissionSubject> {
  const command = requestedCommand(request.rawInput);
  const [folder = "/"] = session.roots;
  const names = new Set(pathsOf(request));
  const origin = addressInInput(request.rawInput)?.origin;
  return {
    agentId: session.agent.id,
    sessionId: session.sessionId,
    toolKind: request.toolKind,
    title: request.title,
    paths: await Promise.all([...names].map((path) => checkPath(path, folder, session.roots))),
    print: printOf([request.toolKind, request.title, request.rawInput ?? null, [...names]]),
    // Only the user may answer when an agent leaves its plan or sends a question as a tool call.
    isUserOnly: request.toolKind === "switch_mode" || isQuestion(request.toolCallId),
    ...(command ? { command: await commandSubject(command, session.roots) } : {}),
    ...(origin === undefined ? {} : { origin }),
  };
}

async function commandSubject(command: RequestedCommand, roots: readonly string[]): Promise<CommandSubject> {
  const checked = await checkCommand(command, roots);
  return { ...checked, print: commandPrint(command, checked.cwd.real) };
}

export function commandPrint(
  { text, words, variables, special }: Pick<RequestedCommand, "text" | "words" | "variables" | "special">,
  cwd: string,
): string {
  return printOf([text, words ?? null, cwd, variables, special]);
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

function pathsOf(request: PermissionRequest): string[] {
  return [...placesOf(request), ...pathsInInput(request.rawInput)];
}

function printOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
