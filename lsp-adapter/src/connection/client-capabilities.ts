import { textOf } from "@symposium-dev/core";
import {
  ApplyWorkspaceEditRequest,
  type ClientCapabilities,
  ConfigurationRequest,
  MarkupKind,
  PrepareSupportDefaultBehavior,
  RegistrationRequest,
  ShowDocumentRequest,
  SymbolKind,
  UnregistrationRequest,
  WorkspaceFoldersRequest,
} from "vscode-languageserver-protocol/node";
import type { CapabilityTable } from "./capability-table.js";
import type { PositionEncoding } from "./position-encoding.js";

const everySymbolKind = Object.values(SymbolKind).filter((kind) => typeof kind === "number");
const codeActionKinds = ["", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite"];

/** Returns the client capabilities that the adapter announces. If fewer are announced, servers use older formats or send no diagnostics. */
export function clientCapabilities(encodings: readonly PositionEncoding[]): ClientCapabilities {
  const dynamic = { dynamicRegistration: true };
  return {
    general: {
      positionEncodings: [...encodings],
      staleRequestSupport: { cancel: true, retryOnContentModified: [] },
    },
    window: { workDoneProgress: true },
    workspace: {
      applyEdit: true,
      configuration: true,
      workspaceFolders: true,
      didChangeConfiguration: dynamic,
      didChangeWatchedFiles: { ...dynamic, relativePatternSupport: true },
      symbol: { symbolKind: { valueSet: everySymbolKind } },
      workspaceEdit: {
        documentChanges: true,
        resourceOperations: ["create", "rename", "delete"],
        failureHandling: "transactional",
      },
      diagnostics: { refreshSupport: true },
    },
    textDocument: {
      synchronization: { ...dynamic, didSave: true },
      definition: { linkSupport: true },
      typeDefinition: { linkSupport: true },
      implementation: { linkSupport: true },
      references: {},
      hover: { contentFormat: [MarkupKind.Markdown, MarkupKind.PlainText] },
      documentSymbol: { hierarchicalDocumentSymbolSupport: true, symbolKind: { valueSet: everySymbolKind } },
      callHierarchy: dynamic,
      typeHierarchy: dynamic,
      diagnostic: { ...dynamic, relatedDocumentSupport: false },
      publishDiagnostics: {
        relatedInformation: true,
        versionSupport: true,
        codeDescriptionSupport: true,
        dataSupport: true,
      },
      rename: { prepareSupport: true, prepareSupportDefaultBehavior: PrepareSupportDefaultBehavior.Identifier },
      codeAction: {
        codeActionLiteralSupport: { codeActionKind: { valueSet: codeActionKinds } },
        isPreferredSupport: true,
        disabledSupport: true,
        dataSupport: true,
        resolveSupport: { properties: ["edit"] },
      },
      formatting: dynamic,
      rangeFormatting: dynamic,
    },
    experimental: { serverStatusNotification: true },
  };
}

interface ReplyFacts {
  /** Settings that the server may request, nested by their dotted names. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly folder: { readonly uri: string; readonly name: string };
  readonly capabilities: CapabilityTable;
}

type RequestParams = Readonly<Record<string, unknown>>;
type Answer = (params: RequestParams, facts: ReplyFacts) => unknown;

/** Server requests that need an answer other than null. A wrong answer causes most language servers to exit or hang. */
const answers: Readonly<Record<string, Answer>> = {
  // Return one setting for each requested item, in order.
  [ConfigurationRequest.method]: ({ items }, { settings }) =>
    Array.isArray(items) ? items.map((item) => settingOf(settings, sectionOf(item))) : [],
  [WorkspaceFoldersRequest.method]: (_params, { folder }) => [folder],
  [RegistrationRequest.method]: ({ registrations }, { capabilities }) => capabilities.register(registrations),
  // The spelling `unregisterations` is that of the protocol.
  [UnregistrationRequest.method]: ({ unregisterations }, { capabilities }) => capabilities.unregister(unregisterations),
  [ApplyWorkspaceEditRequest.method]: () => ({
    applied: false,
    failureReason: "Edits are only returned as answers and never applied unasked.",
  }),
  [ShowDocumentRequest.method]: () => ({ success: false }),
};

/** Answers a language server's request. Unknown requests get null, never an error. */
export function replyTo(method: string, params: unknown, facts: ReplyFacts): unknown {
  const given = typeof params === "object" && params !== null ? (params as RequestParams) : {};
  return (Object.hasOwn(answers, method) ? answers[method]?.(given, facts) : null) ?? null;
}

function sectionOf(item: unknown): string {
  const section = typeof item === "object" && item !== null && "section" in item ? item.section : undefined;
  return textOf(section);
}

/** Returns the settings below the dotted name `section`; null if missing. */
function settingOf(settings: Readonly<Record<string, unknown>>, section: string): unknown {
  let value: unknown = settings;
  for (const name of section === "" ? [] : section.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
