import { type IdeOperations, operationsOf, type StatusAnswer, worstState, normalFileUri } from "@symposium-dev/core";
import { applyEdit } from "./apply-edit.js";
import { codeActions, resolveCodeAction } from "./code-actions.js";
import { diagnostics } from "./diagnostics.js";
import { format, rename } from "./edits.js";
import { incomingCalls, outgoingCalls, subtypes, supertypes } from "./hierarchies.js";
import { definition, hover, implementations, references, typeDefinition } from "./locations.js";
import type { OperationContext } from "./operation-context.js";
import { prepareRename } from "./prepare-rename.js";
import { documentSymbols, workspaceSymbols } from "./symbols.js";

const ready = { kind: "ready" } as const;

/** Returns the operations over language servers for one client, without those that need an editor: selection and open files. */
export function operationsOver(context: OperationContext): IdeOperations {
  const { view } = context;
  return operationsOf({
    definition: (params, signal) => definition(context, params, signal),
    typeDefinition: (params, signal) => typeDefinition(context, params, signal),
    references: (params, signal) => references(context, params, signal),
    implementations: (params, signal) => implementations(context, params, signal),
    documentSymbols: (params, signal) => documentSymbols(context, params, signal),
    workspaceSymbols: (params, signal) => workspaceSymbols(context, params, signal),
    hover: (params, signal) => hover(context, params, signal),
    incomingCalls: (params, signal) => incomingCalls(context, params, signal),
    outgoingCalls: (params, signal) => outgoingCalls(context, params, signal),
    supertypes: (params, signal) => supertypes(context, params, signal),
    subtypes: (params, signal) => subtypes(context, params, signal),
    diagnostics: (params, signal) => diagnostics(context, params, signal),
    rename: (params, signal) => rename(context, params, signal),
    prepareRename: (params, signal) => prepareRename(context, params, signal),
    codeActions: (params, signal) => codeActions(context, params, signal),
    resolveCodeAction: (params, signal) => resolveCodeAction(context, params, signal),
    format: (params, signal) => format(context, params, signal),
    applyEdit: (params) => applyEdit(context, params),
    readDocument: ({ uri }) => Promise.resolve({ state: ready, text: view.textOf(normalFileUri(uri)) ?? null }),
    setDocument({ uri, text }) {
      view.set(normalFileUri(uri), text);
      return Promise.resolve({ state: ready });
    },
    status: () => status(context),
  });
}

async function status({ workspace }: OperationContext): Promise<StatusAnswer> {
  const all = await Promise.all(workspace.servers.map((server) => server.status()));
  const servers = all.filter((one) => one !== undefined);
  return { state: worstState(servers.map(({ state }) => state)), servers };
}
