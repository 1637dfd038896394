import { isUnserved, type OperationState, worstState } from "../../../base/ide-operations/operation-state.js";
import type {
  DiagnosticsAnswer,
  IdeResult,
  PageAnswer,
  PageParams,
} from "../../../base/ide-operations/operation-types.js";
import { maxIdeItems } from "../../../base/ide-operations/wire.js";

/** The operations that are asked about one document, and that either the editor answers or another one. */
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

/** Whether an answer has nothing to say. */
export function isEmpty(answer: IdeResult<DocumentOperation>): boolean {
  if ("items" in answer) return answer.items.length === 0;
  if ("text" in answer) return answer.text === null;
  if ("edit" in answer) return answer.edit === null;
  // Without a refusal, a formatter has found nothing to change.
  return answer.edits.length === 0 && answer.refusal !== undefined;
}

/** The state in which nobody answers, with why no language server of this machine does. */
export function withReason(state: OperationState, reason: string): OperationState {
  if (state.kind !== "degraded") return state;
  return { ...state, reason: `${state.reason} No language server of this machine stands in: ${reason}` };
}

/** An answer of the language servers named. */
export function answeredBy<T extends { readonly state: OperationState }>(answer: T, by: readonly string[]): T {
  return { ...answer, state: { ...answer.state, by } };
}

/** What is asked of the list that goes on after the editor's, where the editor has answered with its `part` of what is asked. */
export function restOf(
  { offset = 0, limit = maxIdeItems }: PageParams,
  part: PageAnswer<unknown>,
): Required<PageParams> {
  return {
    offset: Math.max(0, offset - part.total),
    limit: Math.max(0, Math.min(limit, maxIdeItems) - part.items.length),
  };
}

/** A part of one list: of the editor's, and of another one that goes on after it. */
export function joinedPages<T>(editor: PageAnswer<T>, other: PageAnswer<T>): PageAnswer<T> {
  const items = [...editor.items, ...other.items];
  return { state: joinedState(editor, other), items, total: editor.total + other.total };
}

/** One who lacks something for good, and has nothing to say, does not spoil what the other one says. */
function joinedState(editor: PageAnswer<unknown>, other: PageAnswer<unknown>): OperationState {
  if (isUnserved(editor.state)) return other.state;
  const isIdle = other.state.kind === "degraded" && other.total === 0 && editor.total > 0;
  return isIdle ? editor.state : worstState([editor.state, other.state]);
}

/** What an editor and another one know is wrong; `cursor` stands for both of theirs. */
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

/** The two cursors that a joined one stands for; another one is the editor's. */
export function cursorsIn(cursor: string | undefined): { readonly editor?: string; readonly other?: string } {
  if (cursor === undefined) return {};
  try {
    const parts: unknown = JSON.parse(cursor);
    const list: readonly unknown[] = Array.isArray(parts) ? parts : [];
    const [editor, other] = list;
    if (typeof editor === "string" && typeof other === "string") return { editor, ...(other !== "" && { other }) };
  } catch {
    // Only joined cursors are JSON.
  }
  return { editor: cursor };
}
