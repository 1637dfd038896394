import { createHash } from "node:crypto";
import { pathOfFileUri } from "@symposium-dev/core";
import { checkCommand, type CheckedCommand, type CheckedPath, checkPath } from "@symposium-dev/core/node";
import type { AbilitySession } from "../../acp/abilities.js";
import type { PermissionRequest } from "./permission-request.js";
import { type RequestedCommand, requestedCommand } from "./requested-command.js";

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

const pathNames =
  /^(?:(?:abs|absolute|file|dir|folder|target|source|dest|destination|old|new|parent)?_?-?(?:path|file|dir|directory|filename|filepath|uri))$/i;
/** Finds out what `request` would touch. Paths are followed to where they lead. */
export async function subjectOf(
  request: PermissionRequest,
  session: Pick<AbilitySession, "agent" | "roots" | "sessionId">,
): Promise<PermissionSubject> {
  const command = requestedCommand(request.rawInput);
  const [folder = "/"] = session.roots;
  const names = new Set(pathsOf(request));
  const origin = originOf(request.rawInput);
  return {
    agentId: session.agent.id,
    sessionId: session.sessionId,
    toolKind: request.toolKind,
    title: request.title,
    paths: await Promise.all([...names].map((path) => checkPath(path, folder, session.roots))),
    print: printOf([request.toolKind, request.title, request.rawInput ?? null, [...names]]),
    // Leaving a plan, or a question that only looks like a tool call, is for the user.
    isUserOnly: request.toolKind === "switch_mode" || request.toolCallId.startsWith("elicitation-"),
    ...(command ? { command: await commandSubject(command, session.roots) } : {}),
    ...(origin === undefined ? {} : { origin }),
  };
}

async function commandSubject(command: RequestedCommand, roots: readonly string[]): Promise<CommandSubject> {
  const checked = await checkCommand(command, roots);
  const { text, cwd, variables } = checked;
  return { ...checked, print: printOf([text, command.words ?? null, cwd.real, variables, command.special]) };
}

function pathsOf(request: PermissionRequest): string[] {
  const diffs = request.content.flatMap((content) => (content.type === "diff" ? [content.path] : []));
  return [...request.locations.map(({ path }) => path), ...diffs, ...inputPaths(request.rawInput)];
}

/** Paths in the input by the names of its members, since not every agent sends `locations`. */
function inputPaths(rawInput: unknown): string[] {
  if (typeof rawInput !== "object" || rawInput === null) return [];
  return Object.entries(rawInput).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== "string" || value === "" || !pathNames.test(name)) return [];
    return [pathOfFileUri(value) ?? value];
  });
}

function originOf(rawInput: unknown): string | undefined {
  if (typeof rawInput !== "object" || rawInput === null || !("url" in rawInput)) return undefined;
  if (typeof rawInput.url !== "string" || !URL.canParse(rawInput.url)) return undefined;
  const { protocol, origin } = new URL(rawInput.url);
  return protocol === "https:" || protocol === "http:" ? origin : undefined;
}

function printOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
