import type { GuardRequest } from "../decision.js";
import type { GuardPath } from "../path-pattern.js";
import { refusedEditorFile } from "./editor-file.js";

/** ACP's kinds of tool calls by what they do with files that they name. */
const readingKinds: ReadonlySet<string> = new Set(["read", "search"]);
const writingKinds: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

/**
 * Whether the sandbox of the agent that asks holds what it asks for, so that nobody needs to be asked: a read, a write in `roots`
 * (absolute, with and without links followed), a command. Its programs do each of these in the sandbox, whatever the request
 * says, and could do it without one. Not so for what is done elsewhere (tools of MCP servers, addresses), for secrets, for files
 * that run code later, which the user may start outside, and for what a request does not show.
 */
export function isHeldRequest(kind: string, request: GuardRequest, roots: readonly string[]): boolean {
  const { command, paths, tools, host } = request;
  if (tools.length > 0 || host !== undefined) return false;
  if (kind === "execute") return command !== undefined && command.text.trim() !== "";
  if (command !== undefined || paths.length === 0) return false;
  if (readingKinds.has(kind)) return paths.every(({ isSensitive }) => !isSensitive);
  return writingKinds.has(kind) && paths.every((path) => isPlainFile(path, roots));
}

/** A file of the workspace that makes no other program run code. */
function isPlainFile({ isOrdinary, isSensitive, real }: GuardPath, roots: readonly string[]): boolean {
  return isOrdinary && !isSensitive && refusedEditorFile({ place: real, roots }, true) === undefined;
}
