import { SymposiumError } from "@symposium-dev/core";

/** The capabilities of `initialize` by the method that each one offers. */
const staticNames: Readonly<Record<string, string>> = {
  "textDocument/definition": "definitionProvider",
  "textDocument/typeDefinition": "typeDefinitionProvider",
  "textDocument/implementation": "implementationProvider",
  "textDocument/references": "referencesProvider",
  "textDocument/hover": "hoverProvider",
  "textDocument/documentSymbol": "documentSymbolProvider",
  "workspace/symbol": "workspaceSymbolProvider",
  "textDocument/prepareCallHierarchy": "callHierarchyProvider",
  "textDocument/prepareTypeHierarchy": "typeHierarchyProvider",
  "textDocument/diagnostic": "diagnosticProvider",
  "textDocument/rename": "renameProvider",
  "textDocument/codeAction": "codeActionProvider",
  "textDocument/formatting": "documentFormattingProvider",
  "textDocument/rangeFormatting": "documentRangeFormattingProvider",
  "workspace/executeCommand": "executeCommandProvider",
};

interface Registration {
  readonly id: string;
  readonly method: string;
  readonly registerOptions?: unknown;
}

/** What a language server can do now: what it said at its start, and what it has registered and taken back since. */
export class CapabilityTable {
  #initial: Readonly<Record<string, unknown>> = {};
  readonly #registered = new Map<string, Registration>();
  readonly #refused = new Set<string>();

  /** `capabilities` of the answer to `initialize`. */
  setInitial(capabilities: unknown): void {
    this.#initial = isObject(capabilities) ? capabilities : {};
  }

  /** Whether `method` may be asked. */
  offers(method: string): boolean {
    return this.optionsOf(method) !== undefined;
  }

  /** What it said about `method`; an empty object where it said no more than yes, undefined where it does not offer it. */
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

  /** It said that it offers `method`, and then that it knows no such method, as clangd 14 does of type hierarchies. */
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

/** What people call that which a method gives. */
const names: Readonly<Record<string, string>> = {
  "textDocument/definition": "definitions",
  "textDocument/typeDefinition": "type definitions",
  "textDocument/implementation": "implementations",
  "textDocument/references": "references",
  "textDocument/hover": "hover texts",
  "textDocument/documentSymbol": "the symbols of a file",
  "workspace/symbol": "the symbols of a workspace",
  "textDocument/prepareCallHierarchy": "call hierarchies",
  "callHierarchy/incomingCalls": "call hierarchies",
  "callHierarchy/outgoingCalls": "call hierarchies",
  "textDocument/prepareTypeHierarchy": "type hierarchies",
  "typeHierarchy/supertypes": "type hierarchies",
  "typeHierarchy/subtypes": "type hierarchies",
  "textDocument/diagnostic": "diagnostics on request",
  "textDocument/rename": "renames",
  "textDocument/codeAction": "code actions",
  "codeAction/resolve": "the edits of code actions",
  "textDocument/formatting": "formatting",
  "textDocument/rangeFormatting": "the formatting of a part",
  "workspace/executeCommand": "commands",
};

/** For a server, by its name and version, that cannot do what `method` asks for. */
export function notOffered(server: string, method: string, cause?: unknown): SymposiumError {
  const what = names[method] === undefined ? method : `${names[method]} (${method})`;
  const hint = "A newer version of it may: update it. Else use another operation, or search the text.";
  return new SymposiumError("ide-operation-failed", `${server} does not offer ${what}.`, hint, { cause });
}
