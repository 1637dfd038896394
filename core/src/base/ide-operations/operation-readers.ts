import { fileDiagnostics } from "./diagnostic.js";
import { operationState } from "./operation-state.js";
import type {
  Answer,
  ApplyAnswer,
  ApplyParams,
  CodeAction,
  CodeActionParams,
  DiagnosticsAnswer,
  DiagnosticsParams,
  DocumentAnswer,
  EditAnswer,
  EmptyParams,
  FileParams,
  FormatAnswer,
  FormatParams,
  HoverAnswer,
  IdeParams,
  IdeResult,
  LanguageServerStatus,
  OpenFile,
  OpenFilesAnswer,
  PageAnswer,
  PageParams,
  PositionParams,
  PrepareRenameAnswer,
  ReferenceParams,
  RenameParams,
  ResolveParams,
  Selection,
  SelectionAnswer,
  SetDocumentParams,
  StatusAnswer,
  SymbolQueryParams,
} from "./operation-types.js";
import { location, position, range, target } from "./place.js";
import { count, flag, list, object, optional, orNull, type Reader, text } from "./reader.js";
import { callItem, outlineItem, symbolItem } from "./symbol-item.js";
import { textEdit, workspaceEdit } from "./workspace-edit.js";
import type { IdeOperationName } from "./wire.js";

const state = operationState;
const uri = text;
const paging = { offset: optional(count), limit: optional(count) };
const documents = optional(list(uri));

function page<T>(item: Reader<T>): Reader<PageAnswer<T>> {
  return object<PageAnswer<T>>({ state, items: list(item), total: count });
}

const nothing = object<EmptyParams>({});
const atPosition = object<PositionParams>({ uri, position });
const pageAtPosition = object<PositionParams & PageParams>({ uri, position, ...paging });
const edit = object<EditAnswer>({ state, edit: orNull(workspaceEdit), refusal: optional(text) });
const codeAction = object<CodeAction>({
  id: text,
  title: text,
  kind: optional(text),
  isPreferred: optional(flag),
  disabled: optional(text),
});
const selection = object<Selection>({ uri, range, text });
const openFile = object<OpenFile>({ uri, isActive: flag, isUnsaved: flag });
const server = object<LanguageServerStatus>({ name: text, state, memory: optional(count), uri: optional(uri) });

interface OperationReaders<N extends IdeOperationName> {
  readonly params: Reader<IdeParams<N>>;
  readonly result: Reader<IdeResult<N>>;
}

export const ideOperationReaders: { readonly [N in IdeOperationName]: OperationReaders<N> } = {
  definition: { params: pageAtPosition, result: page(target) },
  typeDefinition: { params: pageAtPosition, result: page(target) },
  references: {
    params: object<ReferenceParams & PageParams>({ uri, position, includeDeclaration: flag, ...paging }),
    result: page(location),
  },
  implementations: { params: pageAtPosition, result: page(target) },
  documentSymbols: { params: object<FileParams & PageParams>({ uri, ...paging }), result: page(outlineItem) },
  workspaceSymbols: {
    params: object<SymbolQueryParams & PageParams>({ query: text, documents, ...paging }),
    result: page(symbolItem),
  },
  hover: { params: atPosition, result: object<HoverAnswer>({ state, text: orNull(text) }) },
  incomingCalls: { params: pageAtPosition, result: page(callItem) },
  outgoingCalls: { params: pageAtPosition, result: page(callItem) },
  supertypes: { params: pageAtPosition, result: page(symbolItem) },
  subtypes: { params: pageAtPosition, result: page(symbolItem) },
  diagnostics: {
    params: object<DiagnosticsParams>({ uri: optional(uri), since: optional(text), documents }),
    result: object<DiagnosticsAnswer>({ state, files: list(fileDiagnostics), pending: list(uri), cursor: text }),
  },
  rename: { params: object<RenameParams>({ uri, position, newName: text }), result: edit },
  prepareRename: {
    params: atPosition,
    result: object<PrepareRenameAnswer>({
      state,
      range: orNull(range),
      placeholder: optional(text),
      refusal: optional(text),
    }),
  },
  codeActions: {
    params: object<CodeActionParams & PageParams>({ uri, range, only: optional(list(text)), ...paging }),
    result: page(codeAction),
  },
  resolveCodeAction: { params: object<ResolveParams>({ id: text }), result: edit },
  format: {
    params: object<FormatParams>({ uri, range: optional(range) }),
    result: object<FormatAnswer>({ state, edits: list(textEdit), refusal: optional(text) }),
  },
  applyEdit: {
    params: object<ApplyParams>({ edit: workspaceEdit, label: text }),
    result: object<ApplyAnswer>({ state, isApplied: flag, refusal: optional(text) }),
  },
  selection: { params: nothing, result: object<SelectionAnswer>({ state, selection: orNull(selection) }) },
  openFiles: { params: nothing, result: object<OpenFilesAnswer>({ state, files: list(openFile) }) },
  readDocument: { params: object<FileParams>({ uri }), result: object<DocumentAnswer>({ state, text: orNull(text) }) },
  setDocument: {
    params: object<SetDocumentParams>({ uri, text: orNull(text) }),
    result: object<Answer>({ state }),
  },
  status: { params: nothing, result: object<StatusAnswer>({ state, servers: list(server) }) },
};
