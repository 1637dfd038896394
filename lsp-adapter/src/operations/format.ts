import type { FormatAnswer, FormatParams, OperationState } from "@symposium-dev/core";
import { notOffered } from "../connection/not-offered.js";
import { askAbout, type OperationContext } from "./operation-context.js";
import { refusedBy } from "./rename.js";
import { toTextEdits } from "./wire-edits.js";

/** The edits that format a document, or a range of it, not made yet. */
export async function format(
  context: OperationContext,
  params: FormatParams,
  signal: AbortSignal,
): Promise<FormatAnswer> {
  const { uri, range } = params;
  const method = range ? "textDocument/rangeFormatting" : "textDocument/formatting";
  const options = indentationOf(context.view.textOf(uri) ?? "");
  try {
    const reply = await askAbout(
      context,
      { uri, method, params: { options, ...(range && { range }) }, needsWhole: false },
      signal,
    );
    if (reply.kind === "not-offered") throw notOffered(reply.server, method);
    if (reply.kind === "unavailable") return { state: reply.state, edits: [], refusal: reasonOf(reply.state) };
    return { state: reply.state, edits: toTextEdits(reply.value) };
  } catch (error) {
    const { state, refusal } = refusedBy(error, context, uri);
    return { state, edits: [], ...(refusal !== undefined && { refusal }) };
  }
}

function reasonOf(state: OperationState): string {
  return state.kind === "degraded" ? state.reason : "There is no language server that could.";
}

/** How the text is indented, by its first indented lines; four spaces where none is. */
function indentationOf(text: string): { readonly tabSize: number; readonly insertSpaces: boolean } {
  const first = /^(\t|[ ]{2,8})(?=\S)/m.exec(text)?.[1];
  return { tabSize: first === undefined || first === "\t" ? 4 : first.length, insertSpaces: first !== "\t" };
}
