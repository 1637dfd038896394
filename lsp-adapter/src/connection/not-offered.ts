import { SymposiumError } from "@symposium-dev/core";

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
