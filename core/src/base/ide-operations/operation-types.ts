import type { FileDiagnostics } from "./diagnostic.js";
import type { OperationState } from "./operation-state.js";
import type { Location, Position, Range, Target } from "./place.js";
import type { CallItem, OutlineItem, SymbolItem } from "./symbol-item.js";
import type { TextEdit, WorkspaceEdit } from "./workspace-edit.js";
import type { IdeOperationName } from "./wire.js";

export interface FileParams {
  readonly uri: string;
}

export interface PositionParams extends FileParams {
  readonly position: Position;
}

/**
 * Page of a list: at most `limit` items starting at `offset`. By default, starts at the first item and contains as many items as an answer
 * may.
 */
export interface PageParams {
  readonly offset?: number;
  readonly limit?: number;
}

export interface Answer {
  readonly state: OperationState;
}

/** Page of a list. Every answer uses the same order of the whole list. */
export interface PageAnswer<T> extends Answer {
  readonly items: readonly T[];
  readonly total: number;
}

export interface ReferenceParams extends PositionParams {
  readonly includeDeclaration: boolean;
}

export interface SymbolQueryParams {
  /** Part of a symbol's name. Symbols outside the workspace are omitted from the answer. */
  readonly query: string;
  /** Restricts the languages to those of these document URIs; used by adapters, not editors. */
  readonly documents?: readonly string[];
}

export interface HoverAnswer extends Answer {
  /** Information as Markdown; null if there is none. */
  readonly text: string | null;
}

export interface DiagnosticsParams {
  /** URI of a single file; absent for the whole workspace as known to the editor. */
  readonly uri?: string;
  /** `cursor` of an earlier answer. Returns only files whose diagnostics changed since, including files that became clean. */
  readonly since?: string;
  /** Without `uri`: restricts the languages to those of these document URIs; used by adapters, not editors. */
  readonly documents?: readonly string[];
}

export interface DiagnosticsAnswer extends Answer {
  /** Files with their diagnostics, at most {@link maxIdeItems}. Diagnostics of outdated text are omitted. */
  readonly files: readonly FileDiagnostics[];
  /** Edited files whose check hasn't finished; `files` doesn't include them. */
  readonly pending: readonly string[];
  readonly cursor: string;
}

export interface RenameParams extends PositionParams {
  readonly newName: string;
}

export interface PrepareRenameAnswer extends Answer {
  /** Text that a rename would replace; null if the language server leaves this to the editor, or refuses. */
  readonly range: Range | null;
  /** Text to edit, if it isn't that of `range`. */
  readonly placeholder?: string;
  readonly refusal?: string;
}

export interface EditAnswer extends Answer {
  readonly edit: WorkspaceEdit | null;
  readonly refusal?: string;
}

export interface CodeActionParams extends FileParams {
  readonly range: Range;
  /** Kinds of code actions in LSP's notation, such as `quickfix` or `refactor.extract`; absent for all kinds. */
  readonly only?: readonly string[];
}

export interface CodeAction {
  /** Id for `resolveCodeAction`; valid until the document changes. */
  readonly id: string;
  readonly title: string;
  readonly kind?: string;
  readonly isPreferred?: boolean;
  readonly disabled?: string;
}

export interface ResolveParams {
  readonly id: string;
}

export interface FormatParams extends FileParams {
  readonly range?: Range;
}

export interface FormatAnswer extends Answer {
  readonly edits: readonly TextEdit[];
  readonly refusal?: string;
}

export interface ApplyParams {
  readonly edit: WorkspaceEdit;
  /** Label in the editor's undo list, such as `Rename area to surface`. */
  readonly label: string;
}

/** Result of an atomic edit: applied as a whole or not at all. */
export interface ApplyAnswer extends Answer {
  readonly isApplied: boolean;
  readonly refusal?: string;
}

export interface Selection extends Location {
  /** Selected text; empty if nothing is selected. */
  readonly text: string;
}

export interface SelectionAnswer extends Answer {
  readonly selection: Selection | null;
}

export interface OpenFile {
  readonly uri: string;
  /** Whether the document is in the active or last active editor. */
  readonly isActive: boolean;
  readonly isUnsaved: boolean;
}

export interface OpenFilesAnswer extends Answer {
  readonly files: readonly OpenFile[];
}

export interface DocumentAnswer extends Answer {
  /** Text in the editor, including unsaved changes; null if the document doesn't exist. */
  readonly text: string | null;
}

export interface SetDocumentParams extends FileParams {
  /** Unsaved text in the editor; null to use the file on disk again. */
  readonly text: string | null;
}

export interface LanguageServerStatus {
  readonly name: string;
  readonly state: OperationState;
  /** Memory of the whole process tree, in bytes. */
  readonly memory?: number;
  readonly uri?: string;
}

export interface StatusAnswer extends Answer {
  readonly servers: readonly LanguageServerStatus[];
}

interface PageOf<P, T> {
  readonly params: P & PageParams;
  readonly result: PageAnswer<T>;
}

/** Parameters and result of each operation. Requests also include `workspace`, the session's folder as a URI. */
export interface IdeOperationTypes {
  readonly definition: PageOf<PositionParams, Target>;
  readonly typeDefinition: PageOf<PositionParams, Target>;
  readonly references: PageOf<ReferenceParams, Location>;
  readonly implementations: PageOf<PositionParams, Target>;
  readonly documentSymbols: PageOf<FileParams, OutlineItem>;
  readonly workspaceSymbols: PageOf<SymbolQueryParams, SymbolItem>;
  readonly hover: { readonly params: PositionParams; readonly result: HoverAnswer };
  readonly incomingCalls: PageOf<PositionParams, CallItem>;
  readonly outgoingCalls: PageOf<PositionParams, CallItem>;
  readonly supertypes: PageOf<PositionParams, SymbolItem>;
  readonly subtypes: PageOf<PositionParams, SymbolItem>;
  readonly diagnostics: { readonly params: DiagnosticsParams; readonly result: DiagnosticsAnswer };
  readonly rename: { readonly params: RenameParams; readonly result: EditAnswer };
  readonly prepareRename: { readonly params: PositionParams; readonly result: PrepareRenameAnswer };
  readonly codeActions: PageOf<CodeActionParams, CodeAction>;
  readonly resolveCodeAction: { readonly params: ResolveParams; readonly result: EditAnswer };
  readonly format: { readonly params: FormatParams; readonly result: FormatAnswer };
  readonly applyEdit: { readonly params: ApplyParams; readonly result: ApplyAnswer };
  readonly selection: { readonly params: EmptyParams; readonly result: SelectionAnswer };
  readonly openFiles: { readonly params: EmptyParams; readonly result: OpenFilesAnswer };
  readonly readDocument: { readonly params: FileParams; readonly result: DocumentAnswer };
  readonly setDocument: { readonly params: SetDocumentParams; readonly result: Answer };
  readonly status: { readonly params: EmptyParams; readonly result: StatusAnswer };
}

export type EmptyParams = Readonly<Record<string, never>>;

export type IdeParams<N extends IdeOperationName> = IdeOperationTypes[N]["params"];
export type IdeResult<N extends IdeOperationName> = IdeOperationTypes[N]["result"];
