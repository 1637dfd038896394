import { readFile, writeFile } from "node:fs/promises";
import { pathOfFileUri, type WorkspaceEdit } from "@symposium-dev/core";
import type * as vscode from "vscode";
import type {
  Editor,
  EditorDocument,
  LanguageExtension,
  ProviderAnswers,
  ProviderCommand,
} from "../../../src/features/ide-operations/editor.js";

type Answer<N extends ProviderCommand> = ProviderAnswers[N] | undefined;
type Answers = { [N in ProviderCommand]?: (...args: readonly unknown[]) => Answer<N> | Promise<Answer<N>> };

/** A URI as VS Code has it. */
export function vsUri(path: string, scheme = "file"): vscode.Uri {
  const uri = { scheme, fsPath: path, toString: () => `${scheme}:${path}` };
  return uri as unknown as vscode.Uri;
}

/** A range as VS Code has it. */
export function vsRange(line: number, from: number, to: number, endLine = line): vscode.Range {
  const range = { start: { line, character: from }, end: { line: endLine, character: to } };
  return range as unknown as vscode.Range;
}

/** A place as VS Code has it. */
export function vsLocation(path: string, range: vscode.Range): vscode.Location {
  const location: unknown = { uri: vsUri(path), range };
  return location as vscode.Location;
}

/** An error as VS Code has it. */
export function vsDiagnostic(message: string, more: object = {}): vscode.Diagnostic {
  const diagnostic: unknown = { range: vsRange(0, 0, 1), message, severity: 0, ...more };
  return diagnostic as vscode.Diagnostic;
}

/** An editor whose extensions answer what a test says. */
export class FakeEditor implements Editor {
  readonly asked: string[] = [];
  languageId = "rust";
  extensions: LanguageExtension[] = [];
  applies = true;

  constructor(readonly answers: Answers = {}) {}

  readonly document = this.documentAt("/project/a.rs");

  documentAt(path: string): EditorDocument {
    const { languageId } = this;
    return { uri: vsUri(path), languageId, version: 1, isDirty: false, getText: () => "" };
  }

  open(): Promise<EditorDocument> {
    return Promise.resolve(this.document);
  }

  text(uri: string): Promise<string | null> {
    return readFile(pathOfFileUri(uri) ?? "", "utf8").catch(() => null);
  }

  async ask<N extends ProviderCommand>(command: N, ...args: readonly unknown[]): Promise<Answer<N>> {
    this.asked.push(command);
    return this.answers[command]?.(...args);
  }

  extensionsFor(): readonly LanguageExtension[] {
    return this.extensions;
  }

  samples(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  formatOptions(): vscode.FormattingOptions {
    return { tabSize: 2, insertSpaces: true };
  }

  /** Whole files only: each edit replaces the text. */
  async apply({ changes }: WorkspaceEdit): Promise<boolean> {
    if (!this.applies) return false;
    for (const change of changes) {
      if (change.kind === "edit") await writeFile(pathOfFileUri(change.uri) ?? "", change.edits[0]?.newText ?? "");
    }
    return true;
  }
}
