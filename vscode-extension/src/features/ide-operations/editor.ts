import type { WorkspaceEdit } from "@symposium-dev/core";
import type * as vscode from "vscode";

type Places = readonly (vscode.Location | vscode.LocationLink)[];
type TypeItems = readonly vscode.TypeHierarchyItem[];

export interface ProviderAnswers {
  readonly "vscode.executeDefinitionProvider": Places;
  readonly "vscode.executeTypeDefinitionProvider": Places;
  readonly "vscode.executeImplementationProvider": Places;
  readonly "vscode.executeReferenceProvider": readonly vscode.Location[];
  readonly "vscode.executeDocumentSymbolProvider": readonly vscode.DocumentSymbol[];
  readonly "vscode.executeWorkspaceSymbolProvider": readonly vscode.SymbolInformation[];
  readonly "vscode.executeHoverProvider": readonly vscode.Hover[];
  readonly "vscode.prepareCallHierarchy": readonly vscode.CallHierarchyItem[];
  readonly "vscode.provideIncomingCalls": readonly vscode.CallHierarchyIncomingCall[];
  readonly "vscode.provideOutgoingCalls": readonly vscode.CallHierarchyOutgoingCall[];
  readonly "vscode.prepareTypeHierarchy": TypeItems;
  readonly "vscode.provideSupertypes": TypeItems;
  readonly "vscode.provideSubtypes": TypeItems;
  readonly "vscode.executeDocumentRenameProvider": vscode.WorkspaceEdit;
  readonly "vscode.executeCodeActionProvider": readonly (vscode.CodeAction | vscode.Command)[];
  readonly "vscode.executeFormatDocumentProvider": readonly vscode.TextEdit[];
  readonly "vscode.executeFormatRangeProvider": readonly vscode.TextEdit[];
}

export type ProviderCommand = keyof ProviderAnswers;

export type EditorDocument = Pick<vscode.TextDocument, "uri" | "languageId" | "version" | "isDirty" | "getText">;

export interface LanguageExtension {
  readonly name: string;
  /** Resolves when the extension has started or failed to start. */
  started(): Promise<unknown>;
}

export interface Editor {
  /**
   * Opens a document without showing it. The text is the file's text on disk, unless the user edited it; rejects if the URI isn't a text
   * document.
   */
  open(uri: string, signal: AbortSignal): Promise<EditorDocument>;
  /** Returns the text of a document or file; null if there is none. */
  text(uri: string): Promise<string | null>;
  /** Runs a provider command for a document. Returns undefined if no extension provides the result. */
  ask<N extends ProviderCommand>(command: N, ...args: readonly unknown[]): Promise<ProviderAnswers[N] | undefined>;
  extensionsFor(languageId: string): readonly LanguageExtension[];
  samples(folder: string): Promise<readonly string[]>;
  formatOptions(document: EditorDocument): vscode.FormattingOptions;
  /** Applies an edit to documents and files. Returns false if VS Code refuses. */
  apply(edit: WorkspaceEdit): Promise<boolean>;
}
