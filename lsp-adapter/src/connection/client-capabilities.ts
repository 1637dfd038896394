import { type ClientCapabilities, MarkupKind, SymbolKind } from "vscode-languageserver-protocol/node";
import type { PositionEncoding } from "./position-encoding.js";

const everySymbolKind = Object.values(SymbolKind).filter((kind) => typeof kind === "number");
const codeActionKinds = ["", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite"];

/**
 * What the adapter tells a language server that it understands. Less makes servers answer in older forms, or keep
 * diagnostics to themselves.
 */
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
      rename: { prepareSupport: true },
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
