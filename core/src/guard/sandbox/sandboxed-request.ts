import { fileUses } from "../../base/safety/file-uses.js";
import type { GuardRequest } from "../decision.js";
import type { GuardPath } from "../path-pattern.js";
import { refusedEditorFile } from "./editor-file.js";

/**
 * Returns whether the sandbox contains a request, so that nobody needs to approve it: a read, a write in `roots` or a command, all of which
 * the agent could do without asking. False for MCP tools, URLs, secrets, files that can cause code to run later, and requests with missing
 * details. `roots` are absolute and listed both with and without links resolved.
 */
export function isHeldRequest(kind: string, request: GuardRequest, roots: readonly string[]): boolean {
  const { command, paths, tools, host } = request;
  if (tools.length > 0 || host !== undefined) return false;
  if (kind === "execute") return command !== undefined && command.text.trim() !== "";
  if (command !== undefined || paths.length === 0) return false;
  const uses = fileUses(kind);
  if (uses?.includes("write")) return paths.every((path) => isPlainFile(path, roots));
  return uses !== undefined && paths.every(({ isSensitive }) => !isSensitive);
}

/** Returns whether a file is in the workspace and can't make another program run code. */
function isPlainFile({ isOrdinary, isSensitive, real }: GuardPath, roots: readonly string[]): boolean {
  return isOrdinary && !isSensitive && refusedEditorFile({ place: real, roots }, true) === undefined;
}
