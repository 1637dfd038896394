import { fileDiagnostics } from "./diagnostic.js";
import { operationState } from "./operation-state.js";
import { location, position, range, target } from "./place.js";
import { count, flag, list, object, optional, orNull, type Read, type Reader, text } from "./reader.js";
import { callItem, outlineItem, symbolItem } from "./symbol-item.js";
import type { IdeOperationName } from "./wire.js";
import { textEdit, workspaceEdit } from "./workspace-edit.js";

const state = operationState;
const uri = text;
/**
 * Page of a list: at most `limit` items starting at `offset`. By default, starts at the first item and contains as many items as an answer
 * may.
 */
const paging = { offset: optional(count), limit: optional(count) };
/** Restricts the languages to those of these document URIs; used by adapters, not editors. */
const documents = optional(list(uri));
const refusal = optional(text);

export type PageParams = Pick<IdeParams<"workspaceSymbols">, "offset" | "limit">;

/** Page of a list. Every answer uses the same order of the whole list. */
export interface PageAnswer<T> {
  readonly state: Read<typeof operationState>;
  readonly items: readonly T[];
  readonly total: number;
}

function page<T>(item: Reader<T>): Reader<PageAnswer<T>> {
  return object({ state, items: list(item), total: count });
}

type EmptyParams = Readonly<Record<string, never>>;
const nothing: Reader<EmptyParams> = object({});
const ofFile = object({ uri });
const atPosition = object({ uri, position });
export type PositionParams = Read<typeof atPosition>;
const pageAtPosition = object({ uri, position, ...paging });
const edit = object({ state, edit: orNull(workspaceEdit), refusal });
export type EditAnswer = Read<typeof edit>;
const codeAction = object({
  /** Id for `resolveCodeAction`; valid until the document changes. */
  id: text,
  title: text,
  kind: optional(text),
  isPreferred: optional(flag),
  disabled: optional(text),
});
export type CodeAction = Read<typeof codeAction>;
/** Selected text and its place; the text is empty if nothing is selected. */
const selection = object({ uri, range, text });
export type Selection = Read<typeof selection>;
/** `isActive`: whether the document is in the active or last active editor. */
const openFile = object({ uri, isActive: flag, isUnsaved: flag });
export type OpenFile = Read<typeof openFile>;
/** `memory` is that of the whole process tree, in bytes. */
const server = object({ name: text, state, memory: optional(count), uri: optional(uri) });
export type LanguageServerStatus = Read<typeof server>;

/** Parameters and result of each operation. Requests also include `workspace`, the session's folder as a URI. */
const operations = {
  definition: { params: pageAtPosition, result: page(target) },
  typeDefinition: { params: pageAtPosition, result: page(target) },
  references: { params: object({ uri, position, includeDeclaration: flag, ...paging }), result: page(location) },
  implementations: { params: pageAtPosition, result: page(target) },
  documentSymbols: { params: object({ uri, ...paging }), result: page(outlineItem) },
  /** `query` is a part of a symbol's name. Symbols outside the workspace are omitted from the answer. */
  workspaceSymbols: { params: object({ query: text, documents, ...paging }), result: page(symbolItem) },
  /** Information as Markdown; null if there is none. */
  hover: { params: atPosition, result: object({ state, text: orNull(text) }) },
  incomingCalls: { params: pageAtPosition, result: page(callItem) },
  outgoingCalls: { params: pageAtPosition, result: page(callItem) },
  supertypes: { params: pageAtPosition, result: page(symbolItem) },
  subtypes: { params: pageAtPosition, result: page(symbolItem) },
  /**
   * Without `uri`, asks for the whole workspace as known to the editor. With `since`, the `cursor` of an earlier answer, returns only files
   * whose diagnostics changed since, including files that became clean. Returns at most {@link maxIdeItems} files, without diagnostics of
   * outdated text; `pending` lists edited files whose check hasn't finished, which `files` doesn't include.
   */
  diagnostics: {
    params: object({ uri: optional(uri), since: optional(text), documents }),
    result: object({ state, files: list(fileDiagnostics), pending: list(uri), cursor: text }),
  },
  rename: { params: object({ uri, position, newName: text }), result: edit },
  /**
   * `range` is the text that a rename would replace; null if the language server leaves this to the editor, or refuses. `placeholder` is the
   * text to edit, if it isn't that of `range`.
   */
  prepareRename: {
    params: atPosition,
    result: object({ state, range: orNull(range), placeholder: optional(text), refusal }),
  },
  /** `only` lists kinds of code actions in LSP's notation, such as `quickfix` or `refactor.extract`; absent for all kinds. */
  codeActions: { params: object({ uri, range, only: optional(list(text)), ...paging }), result: page(codeAction) },
  resolveCodeAction: { params: object({ id: text }), result: edit },
  format: {
    params: object({ uri, range: optional(range) }),
    result: object({ state, edits: list(textEdit), refusal }),
  },
  /** Applies an edit as a whole or not at all. `label` is for the editor's undo list, such as `Rename area to surface`. */
  applyEdit: {
    params: object({ edit: workspaceEdit, label: text }),
    result: object({ state, isApplied: flag, refusal }),
  },
  selection: { params: nothing, result: object({ state, selection: orNull(selection) }) },
  openFiles: { params: nothing, result: object({ state, files: list(openFile) }) },
  /** Text in the editor, including unsaved changes; null if the document doesn't exist. */
  readDocument: { params: ofFile, result: object({ state, text: orNull(text) }) },
  /** Sets unsaved text in the editor; null to use the file on disk again. */
  setDocument: { params: object({ uri, text: orNull(text) }), result: object({ state }) },
  status: { params: nothing, result: object({ state, servers: list(server) }) },
};

type IdeOperationTypes = {
  readonly [N in IdeOperationName]: {
    readonly params: Read<(typeof operations)[N]["params"]>;
    readonly result: Read<(typeof operations)[N]["result"]>;
  };
};

export type IdeParams<N extends IdeOperationName> = IdeOperationTypes[N]["params"];
export type IdeResult<N extends IdeOperationName> = IdeOperationTypes[N]["result"];

export const ideOperationReaders: {
  readonly [N in IdeOperationName]: { readonly params: Reader<IdeParams<N>>; readonly result: Reader<IdeResult<N>> };
} = operations;

export type FileParams = Read<typeof ofFile>;
export type ReferenceParams = IdeParams<"references">;
export type SymbolQueryParams = IdeParams<"workspaceSymbols">;
export type HoverAnswer = IdeResult<"hover">;
export type DiagnosticsParams = IdeParams<"diagnostics">;
export type DiagnosticsAnswer = IdeResult<"diagnostics">;
export type RenameParams = IdeParams<"rename">;
export type PrepareRenameAnswer = IdeResult<"prepareRename">;
export type CodeActionParams = IdeParams<"codeActions">;
export type ResolveParams = IdeParams<"resolveCodeAction">;
export type FormatParams = IdeParams<"format">;
export type FormatAnswer = IdeResult<"format">;
export type ApplyParams = IdeParams<"applyEdit">;
export type ApplyAnswer = IdeResult<"applyEdit">;
export type StatusAnswer = IdeResult<"status">;
