import type { WorkspaceEdit } from "@symposium-dev/core";
import type * as vscode from "vscode";

type Places = readonly (vscode.Location | vscode.LocationLink)[];
type TypeItems = readonly vscode.TypeHierarchyItem[];

/** What VS Code's commands that ask language extensions answer. */
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

/** A document as VS Code has it. */
export type EditorDocument = Pick<vscode.TextDocument, "uri" | "languageId" | "version" | "isDirty" | "getText">;

/** An installed extension that says that it serves a language. */
export interface LanguageExtension {
  readonly name: string;
  /** Resolves when it runs, whether or not it could be started. */
  started(): Promise<unknown>;
}

/** What IDE operations need of VS Code. URIs are those of the wire. */
export interface Editor {
  /**
   * The document, opened without being shown. It has the text of the disk unless the user has typed in it. Rejects where
   * there is no such text document.
   */
  open(uri: string, signal: AbortSignal): Promise<EditorDocument>;
  /** The text of a document or file; null where there is none. */
  text(uri: string): Promise<string | null>;
  /** Undefined where no extension answers that question for the document. */
  ask<N extends ProviderCommand>(command: N, ...args: readonly unknown[]): Promise<ProviderAnswers[N] | undefined>;
  extensionsFor(languageId: string): readonly LanguageExtension[];
  /** One source file for each language of a folder, as URIs. */
  samples(folder: string): Promise<readonly string[]>;
  formatOptions(document: EditorDocument): vscode.FormattingOptions;
  /** Makes an edit, in documents and on disk. False where VS Code refuses. */
  apply(edit: WorkspaceEdit): Promise<boolean>;
}
