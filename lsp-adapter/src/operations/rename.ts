import { type EditAnswer, type RenameParams, SymposiumError } from "@symposium-dev/core";
import { ErrorCodes, ResponseError } from "vscode-languageserver-protocol/node";
import { notOffered } from "../connection/not-offered.js";
import { askAbout, type OperationContext } from "./operation-context.js";
import { toWorkspaceEdit } from "./wire-edits.js";

/** The edit that renames a symbol everywhere, not made yet. */
export async function rename(
  context: OperationContext,
  params: RenameParams,
  signal: AbortSignal,
): Promise<EditAnswer> {
  const { uri, position, newName } = params;
  const method = "textDocument/rename";
  try {
    const reply = await askAbout(context, { uri, method, params: { position, newName }, needsWhole: true }, signal);
    if (reply.kind === "not-offered") throw notOffered(reply.server, method);
    if (reply.kind === "unavailable")
      return { state: reply.state, edit: null, refusal: "There is no language server that could." };
    const edit = reply.value === null ? null : toWorkspaceEdit(reply.value);
    if (edit && edit.changes.length > 0) return { state: reply.state, edit };
    return { state: reply.state, edit: null, refusal: "There is nothing to rename at this position." };
  } catch (error) {
    return refusedBy(error, context, uri);
  }
}

/** A server's "no" as an answer; any other failure is thrown again. */
export function refusedBy(error: unknown, context: OperationContext, uri: string): EditAnswer {
  const cause = error instanceof SymposiumError ? error.cause : undefined;
  const isRefusal = cause instanceof ResponseError && cause.code !== ErrorCodes.PendingResponseRejected;
  const running = context.workspace.serverFor(uri)?.running;
  if (!isRefusal || !running) throw error;
  return { state: running.server.readiness.state, edit: null, refusal: cause.message };
}
