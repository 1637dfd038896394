import {
  comparePositions,
  type EditAnswer,
  type FormatAnswer,
  type FormatParams,
  type OperationState,
  type RenameParams,
  stringOf,
  SymposiumError,
  type TextEdit,
  textOf,
  type WorkspaceChange,
  type WorkspaceEdit,
  normalFileUri,
} from "@symposium-dev/core";
import {
  DocumentFormattingRequest,
  DocumentRangeFormattingRequest,
  ErrorCodes,
  RenameRequest,
  ResponseError,
} from "vscode-languageserver-protocol/node";
import { notSupportedBy } from "../connection/capability-table.js";
import { askAbout, type OperationContext } from "./operation-context.js";
import { isSameRange, toRange, type Wire, wireList, wireObject } from "./wire-places.js";

/** Returns the edit for renaming a symbol everywhere, without applying it. */
export async function rename(
  context: OperationContext,
  params: RenameParams,
  signal: AbortSignal,
): Promise<EditAnswer> {
  const { uri, position, newName } = params;
  const request = RenameRequest.type;
  try {
    const reply = await askAbout(context, { uri, request, params: { position, newName }, needsWhole: true }, signal);
    if (reply.kind === "not-supported") throw notSupportedBy(reply.server, request.method);
    if (reply.kind === "unavailable")
      return { state: reply.state, edit: null, refusal: "No language server can do this." };
    const edit = reply.value === null ? null : toWorkspaceEdit(reply.value);
    if (edit && edit.changes.length > 0) return { state: reply.state, edit };
    return { state: reply.state, edit: null, refusal: "There is nothing to rename at this position." };
  } catch (error) {
    return refusedBy(error, context, uri);
  }
}

/** Converts a server's refusal to an answer; rethrows other failures. */
export function refusedBy(error: unknown, context: OperationContext, uri: string): EditAnswer {
  const cause = error instanceof SymposiumError ? error.cause : undefined;
  const isRefusal = cause instanceof ResponseError && cause.code !== ErrorCodes.PendingResponseRejected;
  const running = context.workspace.serverFor(uri)?.running;
  if (!isRefusal || !running) throw error;
  return { state: running.server.readiness.state, edit: null, refusal: cause.message };
}

/** Returns the edits for formatting a document or range, without applying them. */
export async function format(
  context: OperationContext,
  params: FormatParams,
  signal: AbortSignal,
): Promise<FormatAnswer> {
  const { uri, range } = params;
  const [whole, part] = [DocumentFormattingRequest.type, DocumentRangeFormattingRequest.type];
  const options = indentationOf(context.view.textOf(uri) ?? "");
  try {
    const reply = range
      ? await askAbout(context, { uri, request: part, params: { options, range }, needsWhole: false }, signal)
      : await askAbout(context, { uri, request: whole, params: { options }, needsWhole: false }, signal);
    if (reply.kind === "not-supported") throw notSupportedBy(reply.server, (range ? part : whole).method);
    if (reply.kind === "unavailable") return { state: reply.state, edits: [], refusal: reasonOf(reply.state) };
    return { state: reply.state, edits: toTextEdits(reply.value) };
  } catch (error) {
    const { state, refusal } = refusedBy(error, context, uri);
    return { state, edits: [], ...(refusal !== undefined && { refusal }) };
  }
}

function reasonOf(state: OperationState): string {
  return state.kind === "degraded" ? state.reason : "No language server can do this.";
}

/** Detects the indentation from the first indented line; default: four spaces. */
function indentationOf(text: string): { readonly tabSize: number; readonly insertSpaces: boolean } {
  const first = /^(\t|[ ]{2,8})(?=\S)/m.exec(text)?.[1];
  return { tabSize: first === undefined || first === "\t" ? 4 : first.length, insertSpaces: first !== "\t" };
}

/** Parses a language server's workspace edit in either form of the protocol. Throws for unknown steps, since a partial edit is invalid. */
export function toWorkspaceEdit(value: unknown): WorkspaceEdit {
  const { documentChanges, changes } = wireObject(value);
  if (Array.isArray(documentChanges)) return { changes: wireList(documentChanges).map(toChange) };
  return {
    changes: Object.entries(wireObject(changes)).map(([uri, edits]) => ({
      kind: "edit",
      uri: normalFileUri(uri),
      edits: toTextEdits(edits),
    })),
  };
}

/** Returns a document's edits sorted and without duplicates, which some servers send. */
function toTextEdits(value: unknown): readonly TextEdit[] {
  const edits = wireList(value).map((edit) => ({ range: toRange(edit["range"]), newText: newTextOf(edit) }));
  const isRepeated = (edit: TextEdit, index: number): boolean =>
    comparePositions(edit.range.start, edit.range.end) !== 0 &&
    edits.slice(0, index).some((other) => isSameRange(other.range, edit.range) && other.newText === edit.newText);
  return edits
    .filter((edit, index) => !isRepeated(edit, index))
    .sort((a, b) => comparePositions(a.range.start, b.range.start));
}

function newTextOf(edit: Wire): string {
  return stringOf(edit["newText"]) ?? stringOf(wireObject(edit["snippet"])["value"]) ?? "";
}

function toChange(change: Wire): WorkspaceChange {
  const uri = normalFileUri(textOf(change["uri"]));
  const options = wireObject(change["options"]);
  switch (change["kind"]) {
    case undefined:
      return {
        kind: "edit",
        uri: normalFileUri(textOf(wireObject(change["textDocument"])["uri"])),
        edits: toTextEdits(change["edits"]),
      };
    case "create":
      return { kind: "create", uri, ...(options["overwrite"] === true && { overwrite: true }) };
    case "rename": {
      const [from, to] = [textOf(change["oldUri"]), textOf(change["newUri"])];
      return { kind: "rename", from: normalFileUri(from), to: normalFileUri(to) };
    }
    case "delete":
      return { kind: "delete", uri };
    default:
      throw new SymposiumError(
        "ide-operation-failed",
        `The language server's edit has an unknown step: ${JSON.stringify(change["kind"])}.`,
      );
  }
}
