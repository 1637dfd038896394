import type { Diagnostic, IdeOperations, Location, WorkspaceChange, WorkspaceEdit } from "@symposium-dev/core";
import {
  type ClientCapabilities,
  type Connection,
  type Diagnostic as LspDiagnostic,
  DocumentDiagnosticReportKind,
  LSPErrorCodes,
  type Location as LspLocation,
  MarkupKind,
  ResponseError,
  type ServerCapabilities,
  type TextDocumentPositionParams,
  type WorkspaceEdit as LspWorkspaceEdit,
} from "vscode-languageserver";
import type { OperationRequests } from "./operation-requests.js";
import { refusedFile } from "./operations/refused-file.js";

/** Returns the standard features that `operations` can answer for a client. */
export function standardCapabilities({ supported }: IdeOperations, client: ClientCapabilities): ServerCapabilities {
  // A server may leave the choice of the text to the client.
  const prepareProvider = client.textDocument?.rename?.prepareSupportDefaultBehavior !== undefined;
  return {
    ...(supported.has("definition") && { definitionProvider: true }),
    ...(supported.has("references") && { referencesProvider: true }),
    ...(supported.has("hover") && { hoverProvider: true }),
    ...(supported.has("rename") && { renameProvider: prepareProvider ? { prepareProvider } : true }),
    ...(supported.has("diagnostics") && {
      diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false },
    }),
  };
}

/**
 * Answers definitions, references, hovers, renames and diagnostics of standard clients with IDE operations. Refuses renames that change
 * files outside `folder` or sensitive files, since clients apply them without asking.
 */
export function answerStandardRequests(
  connection: Connection,
  requests: OperationRequests,
  folder: () => string | undefined,
): void {
  connection.onDefinition((params, cancel) =>
    requests.run(cancel, async (operations, signal) => {
      const { items } = await operations.run("definition", placeOf(params), signal);
      return items.map(toLspLocation);
    }),
  );
  connection.onReferences((params, cancel) =>
    requests.run(cancel, async (operations, signal) => {
      const { includeDeclaration } = params.context;
      const { items } = await operations.run("references", { ...placeOf(params), includeDeclaration }, signal);
      return items.map(toLspLocation);
    }),
  );
  connection.onHover((params, cancel) =>
    requests.run(cancel, async (operations, signal) => {
      const { text } = await operations.run("hover", placeOf(params), signal);
      return text === null ? null : { contents: { kind: MarkupKind.Markdown, value: text } };
    }),
  );
  connection.onPrepareRename((params, cancel) =>
    requests.run(cancel, async (operations, signal) => {
      const { range, placeholder, refusal } = await operations.run("prepareRename", placeOf(params), signal);
      if (refusal !== undefined) throw failed(refusal);
      if (!range) return { defaultBehavior: true };
      return placeholder === undefined ? range : { range, placeholder };
    }),
  );
  connection.onRenameRequest((params, cancel) =>
    requests.run(cancel, async (operations, signal) => {
      const { newName } = params;
      const { edit, refusal } = await operations.run("rename", { ...placeOf(params), newName }, signal);
      if (!edit) throw failed(refusal ?? "There is nothing to rename here.");
      const refused = await refusedFile(edit, folder() ?? "");
      if (refused) throw failed(`Can't rename: this would change ${refused.path}, but it ${refused.why}.`);
      return toLspEdit(edit);
    }),
  );
  connection.languages.diagnostics.on((params, cancel) =>
    requests.run(cancel, async (operations, signal) => {
      const { files, pending } = await operations.run("diagnostics", { uri: params.textDocument.uri }, signal);
      if (pending.length > 0)
        throw new ResponseError(LSPErrorCodes.ServerCancelled, "The check isn't done.", { retriggerRequest: true });
      const items = files.flatMap(({ diagnostics }) => diagnostics.map(toLspDiagnostic));
      return { kind: DocumentDiagnosticReportKind.Full, items };
    }),
  );
}

function failed(message: string): ResponseError<unknown> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}

function placeOf({ textDocument: { uri }, position }: TextDocumentPositionParams) {
  return { uri, position };
}

function toLspLocation({ uri, range }: Location): LspLocation {
  return { uri, range };
}

const severities = { error: 1, warning: 2, information: 3, hint: 4 } as const;

function toLspDiagnostic({ range, severity, message, code, source, related }: Diagnostic): LspDiagnostic {
  return {
    range,
    severity: severities[severity],
    message,
    ...(code !== undefined && { code }),
    ...(source !== undefined && { source }),
    ...(related && {
      relatedInformation: related.map((one) => ({ location: toLspLocation(one.location), message: one.message })),
    }),
  };
}

function toLspEdit({ changes }: WorkspaceEdit): LspWorkspaceEdit {
  return { documentChanges: changes.map(toLspChange) };
}

function toLspChange(change: WorkspaceChange): NonNullable<LspWorkspaceEdit["documentChanges"]>[number] {
  switch (change.kind) {
    case "edit":
      return { textDocument: { uri: change.uri, version: null }, edits: [...change.edits] };
    case "create":
      return {
        kind: "create",
        uri: change.uri,
        ...(change.overwrite !== undefined && { options: { overwrite: change.overwrite } }),
      };
    case "rename":
      return { kind: "rename", oldUri: change.from, newUri: change.to };
    case "delete":
      return { kind: "delete", uri: change.uri };
  }
}
