import { SymposiumError } from "@symposium-dev/core";
import {
  CallHierarchyIncomingCallsRequest,
  CallHierarchyOutgoingCallsRequest,
  CallHierarchyPrepareRequest,
  CodeActionRequest,
  CodeActionResolveRequest,
  DefinitionRequest,
  DocumentDiagnosticRequest,
  DocumentFormattingRequest,
  DocumentRangeFormattingRequest,
  DocumentSymbolRequest,
  ExecuteCommandRequest,
  HoverRequest,
  ImplementationRequest,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
  TypeDefinitionRequest,
  TypeHierarchyPrepareRequest,
  TypeHierarchySubtypesRequest,
  TypeHierarchySupertypesRequest,
  WorkspaceSymbolRequest,
  type ServerCapabilities,
} from "vscode-languageserver-protocol/node";

const staticNames: Readonly<Record<string, keyof ServerCapabilities>> = {
  [DefinitionRequest.method]: "definitionProvider",
  [TypeDefinitionRequest.method]: "typeDefinitionProvider",
  [ImplementationRequest.method]: "implementationProvider",
  [ReferencesRequest.method]: "referencesProvider",
  [HoverRequest.method]: "hoverProvider",
  [DocumentSymbolRequest.method]: "documentSymbolProvider",
  [WorkspaceSymbolRequest.method]: "workspaceSymbolProvider",
  [CallHierarchyPrepareRequest.method]: "callHierarchyProvider",
  [TypeHierarchyPrepareRequest.method]: "typeHierarchyProvider",
  [DocumentDiagnosticRequest.method]: "diagnosticProvider",
  [RenameRequest.method]: "renameProvider",
  [CodeActionRequest.method]: "codeActionProvider",
  [DocumentFormattingRequest.method]: "documentFormattingProvider",
  [DocumentRangeFormattingRequest.method]: "documentRangeFormattingProvider",
  [ExecuteCommandRequest.method]: "executeCommandProvider",
};

interface Registration {
  readonly id: string;
  readonly method: string;
  readonly registerOptions?: unknown;
}

/** Current capabilities of a language server: those reported at its start, and those registered dynamically. */
export class CapabilityTable {
  #initial: Readonly<Record<string, unknown>> = {};
  readonly #registered = new Map<string, Registration>();
  readonly #refused = new Set<string>();

  /** Sets the capabilities that the server reports at its start. `capabilities` is from the answer to `initialize`. */
  setInitial(capabilities: unknown): void {
    this.#initial = isObject(capabilities) ? capabilities : {};
  }

  supports(method: string): boolean {
    // Servers announce this request as an option of renames.
    if (method === PrepareRenameRequest.method)
      return !this.#refused.has(method) && this.optionsOf(RenameRequest.method)?.["prepareProvider"] === true;
    return this.optionsOf(method) !== undefined;
  }

  /** Returns the server's options for `method`: an empty object if there are no options, undefined if the method isn't supported. */
  optionsOf(method: string): Readonly<Record<string, unknown>> | undefined {
    if (this.#refused.has(method)) return undefined;
    for (const registration of this.#registered.values()) {
      if (registration.method === method)
        return isObject(registration.registerOptions) ? registration.registerOptions : {};
    }
    const name = staticNames[method];
    const value = name === undefined ? undefined : this.#initial[name];
    if (value === undefined || value === null || value === false) return undefined;
    return isObject(value) ? value : {};
  }

  /** Marks `method` as unsupported although the server announced it. For example, clangd 14 announces type hierarchies but rejects them. */
  refuse(method: string): void {
    this.#refused.add(method);
  }

  register(registrations: unknown): void {
    for (const one of Array.isArray(registrations) ? registrations : []) {
      if (isRegistration(one)) this.#registered.set(one.id, one);
    }
  }

  unregister(unregistrations: unknown): void {
    for (const one of Array.isArray(unregistrations) ? unregistrations : []) {
      if (isRegistration(one)) this.#registered.delete(one.id);
    }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isRegistration(value: unknown): value is Registration {
  return isObject(value) && typeof value["id"] === "string" && typeof value["method"] === "string";
}

const names: Readonly<Record<string, string>> = {
  [DefinitionRequest.method]: "definitions",
  [TypeDefinitionRequest.method]: "type definitions",
  [ImplementationRequest.method]: "implementations",
  [ReferencesRequest.method]: "references",
  [HoverRequest.method]: "hover texts",
  [DocumentSymbolRequest.method]: "file symbols",
  [WorkspaceSymbolRequest.method]: "workspace symbols",
  [CallHierarchyPrepareRequest.method]: "call hierarchies",
  [CallHierarchyIncomingCallsRequest.method]: "call hierarchies",
  [CallHierarchyOutgoingCallsRequest.method]: "call hierarchies",
  [TypeHierarchyPrepareRequest.method]: "type hierarchies",
  [TypeHierarchySupertypesRequest.method]: "type hierarchies",
  [TypeHierarchySubtypesRequest.method]: "type hierarchies",
  [DocumentDiagnosticRequest.method]: "diagnostics on request",
  [RenameRequest.method]: "renames",
  [PrepareRenameRequest.method]: "checks before renames",
  [CodeActionRequest.method]: "code actions",
  [CodeActionResolveRequest.method]: "code action edits",
  [DocumentFormattingRequest.method]: "formatting",
  [DocumentRangeFormattingRequest.method]: "range formatting",
  [ExecuteCommandRequest.method]: "commands",
};

/** Creates the error for a server that doesn't support `method`. `server` is its name and version. */
export function notSupportedBy(server: string, method: string, cause?: unknown): SymposiumError {
  const what = names[method] === undefined ? method : `${names[method]} (${method})`;
  const hint = "Updating it may help. Otherwise, use another operation or search the text.";
  return new SymposiumError("ide-operation-failed", `${server} doesn't support ${what}.`, hint, { cause });
}
