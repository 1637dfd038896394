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

/** What rules look at: the facts of a request, found out once. */
export interface PermissionSubject {
  readonly agentId: string;
  readonly sessionId: string;
  readonly toolKind: string;
  readonly title: string;
  readonly command?: CommandSubject;
  /** Every path that the request names, besides those in a command. */
  readonly paths: readonly CheckedPath[];
  /** Scheme and host of the address it wants to fetch. */
  readonly origin?: string;
  /** Stands for the whole input: two requests with equal prints ask for the same. */
  readonly print: string;
  /** Only the user may answer, whatever rules say. */
  readonly isUserOnly: boolean;
}

export interface CommandSubject extends CheckedCommand {
  /** Stands for its text, folder, variables and whatever else changes how it runs. */
  readonly print: string;
}

/** Finds out what `request` would touch. Paths are followed to where they lead. */
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
    // Leaving a plan, or a question that only looks like a tool call, is for the user.
    isUserOnly: request.toolKind === "switch_mode" || isQuestion(request.toolCallId),
    ...(command ? { command: await commandSubject(command, session.roots) } : {}),
    ...(origin === undefined ? {} : { origin }),
  };
}

async function commandSubject(command: RequestedCommand, roots: readonly string[]): Promise<CommandSubject> {
  const checked = await checkCommand(command, roots);
  return { ...checked, print: commandPrint(command, checked.cwd.real) };
}

/** Stands for a command in the folder `cwd`, with links followed; see {@link CommandSubject.print}. */
export function commandPrint(
  { text, words, variables, special }: Pick<RequestedCommand, "text" | "words" | "variables" | "special">,
  cwd: string,
): string {
  return printOf([text, words ?? null, cwd, variables, special]);
}

/** The same request as the guard sees it. */
export function guardedCall({ toolCallId, toolKind, rawInput, ...request }: PermissionRequest): GuardedCall {
  return {
    kind: toolKind,
    rawInput,
    locations: placesOf(request),
    isQuestion: isQuestion(toolCallId),
  };
}

/** Questions of MCP servers come as tool calls with such ids. */
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
