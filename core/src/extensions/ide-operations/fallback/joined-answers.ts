import { parsedValue, stringsOf } from "../../../base/rpc/json.js";
import { isUnserved, type OperationState, worstState } from "../../../base/ide-operations/operation-state.js";
import type {
  DiagnosticsAnswer,
  IdeResult,
  PageAnswer,
  PageParams,
} from "../../../base/ide-operations/operation-types.js";
import { maxIdeItems } from "../../../base/ide-operations/wire.js";

/** Operations on one document that either the editor or a fallback server answers. */
export type DocumentOperation =
  | "definition"
  | "typeDefinition"
  | "references"
  | "implementations"
  | "documentSymbols"
  | "hover"
  | "incomingCalls"
  | "outgoingCalls"
  | "supertypes"
  | "subtypes"
  | "rename"
  | "format";

/** Whether an answer has no results. */
export function isEmpty(answer: IdeResult<DocumentOperation>): boolean {
  if ("items" in answer) return answer.items.length === 0;
  if ("text" in answer) return answer.text === null;
  if ("edit" in answer) return answer.edit === null;
  // Without a refusal, an empty result means that the formatter found nothing to change.
  return answer.edits.length === 0 && answer.refusal !== undefined;
}

/** Adds the reason why no local language server answers either. */
export function withReason(state: OperationState, reason: string): OperationState {
  if (state.kind !== "degraded") return state;
  return { ...state, reason: `${state.reason} No installed language server can take over: ${reason}` };
}

/** Adds the names of the answering language servers. */
export function answeredBy<T extends { readonly state: OperationState }>(answer: T, by: readonly string[]): T {
  return { ...answer, state: { ...answer.state, by } };
}

/** Returns the page to request from the second list, after the editor answered with its `part`. */
export function restOf(
  { offset = 0, limit = maxIdeItems }: PageParams,
  part: PageAnswer<unknown>,
): Required<PageParams> {
  return {
    offset: Math.max(0, offset - part.total),
    limit: Math.max(0, Math.min(limit, maxIdeItems) - part.items.length),
  };
}

/** Joins the editor's page and the page of the list that continues after it. */
export function joinedPages<T>(editor: PageAnswer<T>, other: PageAnswer<T>): PageAnswer<T> {
  const items = [...editor.items, ...other.items];
  return { state: joinedState(editor, other), items, total: editor.total + other.total };
}

/** Ignores the state of a source that permanently lacks support and returned nothing. */
function joinedState(editor: PageAnswer<unknown>, other: PageAnswer<unknown>): OperationState {
  if (isUnserved(editor.state)) return other.state;
  const isIdle = other.state.kind === "degraded" && other.total === 0 && editor.total > 0;
  return isIdle ? editor.state : worstState([editor.state, other.state]);
}

/** Joins both sources' diagnostics. `cursor` combines both cursors. */
export function joinedDiagnostics(editor: DiagnosticsAnswer, other: DiagnosticsAnswer): DiagnosticsAnswer {
  const byFile = new Map(editor.files.map((file) => [file.uri, file]));
  for (const { uri, diagnostics } of other.files) {
    byFile.set(uri, { uri, diagnostics: [...(byFile.get(uri)?.diagnostics ?? []), ...diagnostics] });
  }
  return {
    state: isUnserved(editor.state) ? other.state : worstState([editor.state, other.state]),
    files: [...byFile.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1)).slice(0, maxIdeItems),
    pending: [...new Set([...editor.pending, ...other.pending])],
    cursor: joinedCursor(editor.cursor, other.cursor),
  };
}

function joinedCursor(editor: string, other: string): string {
  return JSON.stringify([editor, other]);
}

/** Splits a combined cursor. Any other cursor is the editor's. */
export function cursorsIn(cursor: string | undefined): { readonly editor?: string; readonly other?: string } {
  if (cursor === undefined) return {};
  const [editor, other] = stringsOf(parsedValue(cursor));
  if (editor !== undefined && other !== undefined) return { editor, ...(other !== "" && { other }) };
  return { editor: cursor };
}
