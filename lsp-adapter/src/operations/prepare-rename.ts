import { type PositionParams, type PrepareRenameAnswer, stringOf } from "@symposium-dev/core";
import { notSupportedBy } from "../connection/capability-table.js";
import { PrepareRenameRequest, RenameRequest } from "vscode-languageserver-protocol/node";
import { refusedBy } from "./edits.js";
import { askAbout, type OperationContext } from "./operation-context.js";
import { toRange, wireObject } from "./wire-places.js";

const nothing = "There is nothing to rename at this position.";

/** Returns what a rename at a position would replace, or the server's reason to refuse it. */
export async function prepareRename(
  context: OperationContext,
  { uri, position }: PositionParams,
  signal: AbortSignal,
): Promise<PrepareRenameAnswer> {
  const request = PrepareRenameRequest.type;
  try {
    const reply = await askAbout(context, { uri, request, params: { position }, needsWhole: false }, signal);
    const { state } = reply;
    if (reply.kind === "unavailable") return { state, range: null, refusal: "No language server can do this." };
    if (reply.kind === "not-supported") {
      const capabilities = context.workspace.serverFor(uri)?.running?.server.capabilities;
      if (capabilities?.supports(RenameRequest.method)) return { state, range: null };
      return { state, range: null, refusal: notSupportedBy(reply.server, RenameRequest.method).message };
    }
    const { value } = reply;
    if (value === null) return { state, range: null, refusal: nothing };
    const { range, placeholder, start } = wireObject(value);
    if (range === undefined && start === undefined) return { state, range: null };
    const named = stringOf(placeholder);
    return { state, range: toRange(range ?? value), ...(named !== undefined && { placeholder: named }) };
  } catch (error) {
    const { state, refusal } = refusedBy(error, context, uri);
    return { state, range: null, ...(refusal !== undefined && { refusal }) };
  }
}
