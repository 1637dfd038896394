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

/** Which part of a list: `limit` items from `offset` on; by default as many as an answer may hold, from the first. */
export interface PageParams {
  readonly offset?: number;
  readonly limit?: number;
}

/** What every answer says. */
export interface Answer {
  readonly state: OperationState;
}

/** One part of a list, in the order of the whole, which is the same in every answer. */
export interface PageAnswer<T> extends Answer {
  readonly items: readonly T[];
  /** Of the whole list. */
  readonly total: number;
}

export interface ReferenceParams extends PositionParams {
  readonly includeDeclaration: boolean;
}

export interface SymbolQueryParams {
  /** Part of a name; symbols outside the workspace are left out. */
  readonly query: string;
  /** Only the languages of these documents, as URIs; for adapters, not for editors. */
  readonly documents?: readonly string[];
}

export interface HoverAnswer extends Answer {
  /** Markdown; null where there is nothing to say. */
  readonly text: string | null;
}

export interface DiagnosticsParams {
  /** One file; absent for the workspace as far as the editor knows it. */
  readonly uri?: string;
  /** The `cursor` of an earlier answer: only files whose diagnostics changed since, those that became clean included. */
  readonly since?: string;
  /** Without `uri`: only the languages of these documents, as URIs; for adapters, not for editors. */
  readonly documents?: readonly string[];
}

export interface DiagnosticsAnswer extends Answer {
  /** Never those of a text that has been edited since; at most {@link maxIdeItems} files. */
  readonly files: readonly FileDiagnostics[];
  /** Files that were edited and whose check has not ended, so that they are not in `files`. */
  readonly pending: readonly string[];
  readonly cursor: string;
}

export interface RenameParams extends PositionParams {
  readonly newName: string;
}

/** An edit that has not been made, or why there is none. */
export interface EditAnswer extends Answer {
  readonly edit: WorkspaceEdit | null;
  /** In the language server's words, where it refuses. */
  readonly refusal?: string;
}

export interface CodeActionParams extends FileParams {
  readonly range: Range;
  /** LSP kinds such as `quickfix` or `refactor.extract`; absent for all. */
  readonly only?: readonly string[];
}

export interface CodeAction {
  /** For `resolveCodeAction`; good until the document changes. */
  readonly id: string;
  readonly title: string;
  readonly kind?: string;
  readonly isPreferred?: boolean;
  /** Why it cannot be done here. */
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
  /** Why it cannot be formatted. */
  readonly refusal?: string;
}

export interface ApplyParams {
  readonly edit: WorkspaceEdit;
  /** For the editor's undo list, such as `Rename area to surface`. */
  readonly label: string;
}

/** All of the edit was made, or nothing of it. */
export interface ApplyAnswer extends Answer {
  readonly isApplied: boolean;
  readonly refusal?: string;
}

export interface Selection extends Location {
  /** The selected text; empty where only the cursor stands there. */
  readonly text: string;
}

export interface SelectionAnswer extends Answer {
  /** Of the editor that the user is, or was last, in. */
  readonly selection: Selection | null;
}

export interface OpenFile {
  readonly uri: string;
  /** The user is, or was last, in it. */
  readonly isActive: boolean;
  /** It has text that is not on disk. */
  readonly isUnsaved: boolean;
}

export interface OpenFilesAnswer extends Answer {
  readonly files: readonly OpenFile[];
}

export interface DocumentAnswer extends Answer {
  /** As the editor has it, unsaved text included; null where there is no such document. */
  readonly text: string | null;
}

export interface SetDocumentParams extends FileParams {
  /** What an editor shows and the disk does not have; null to go by the disk again. */
  readonly text: string | null;
}

/** A language server, as far as it is known. */
export interface LanguageServerStatus {
  readonly name: string;
  readonly state: OperationState;
  /** Bytes of its whole process tree. */
  readonly memory?: number;
  /** A document of the workspace that it is for. */
  readonly uri?: string;
}

export interface StatusAnswer extends Answer {
  readonly servers: readonly LanguageServerStatus[];
}

interface PageOf<P, T> {
  readonly params: P & PageParams;
  readonly result: PageAnswer<T>;
}

/** Parameters and result of every operation. On the wire the parameters also say `workspace`: the session's folder as a URI. */
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

/** For operations about the workspace as a whole. */
export type EmptyParams = Readonly<Record<string, never>>;

export type IdeParams<N extends IdeOperationName> = IdeOperationTypes[N]["params"];
export type IdeResult<N extends IdeOperationName> = IdeOperationTypes[N]["result"];
