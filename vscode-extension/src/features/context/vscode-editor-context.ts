import { basename } from "node:path";
import { fileUri, pathOfFileUri } from "@symposium-dev/core";
import * as vscode from "vscode";
import { gitDiff } from "./file-list.js";
import type { ContentSource } from "./content-blocks.js";
import { type EditorContext, type FoundSymbol, lineRangeLabel } from "./context-search.js";
import type { TerminalRecorder } from "./terminal-recorder.js";

const severities = ["error", "warning", "information", "hint"] as const;
const maxProblems = 200;

export class VsCodeEditorContext implements EditorContext, ContentSource {
  constructor(private readonly recorder: TerminalRecorder) {}

  selection(): ReturnType<EditorContext["selection"]> {
    const editor = vscode.window.activeTextEditor;
    return editor && selectionOf(editor);
  }

  openFiles(): readonly string[] {
    const active = vscode.window.activeTextEditor?.document.uri;
    const tabs = vscode.window.tabGroups.all.flatMap(({ tabs: inGroup }) => inGroup.map(({ input }) => input));
    const uris = tabs.flatMap((input) => (input instanceof vscode.TabInputText ? [input.uri] : []));
    const files = [...(active ? [active] : []), ...uris].filter(({ scheme }) => scheme === "file");
    return [...new Set(files.map(({ fsPath }) => fsPath))];
  }

  async symbols(text: string): Promise<readonly FoundSymbol[]> {
    const document = vscode.window.activeTextEditor?.document;
    const [here, everywhere] = await Promise.all([
      document ? symbolsOf(document.uri, text) : [],
      vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
        "vscode.executeWorkspaceSymbolProvider",
        text,
      ),
    ]);
    const files = (everywhere ?? []).filter(({ location }) => location.uri.scheme === "file");
    return [...here, ...files.map(toSymbol)];
  }

  problemCount(path?: string): number {
    const entries = path === undefined ? vscode.languages.getDiagnostics() : [diagnosticsOf(vscode.Uri.file(path))];
    return entries.flatMap(([, diagnostics]) => diagnostics.filter(isProblem)).length;
  }

  terminal(): ReturnType<EditorContext["terminal"]> {
    return this.recorder.last;
  }

  unsavedText(uri: string): string | undefined {
    const wanted = uri.toLowerCase();
    const path = pathOfFileUri(uri);
    const document = vscode.workspace.textDocuments.find(
      (one) => one.uri.toString().toLowerCase() === wanted || (path !== undefined && one.uri.fsPath === path),
    );
    return document && (document.isDirty || document.isUntitled) ? document.getText() : undefined;
  }

  problems(uri?: string): string {
    const entries = uri === undefined ? vscode.languages.getDiagnostics() : [diagnosticsOf(vscode.Uri.parse(uri))];
    const lines = entries.flatMap(([file, diagnostics]) =>
      diagnostics.filter(isProblem).map(({ range, severity, message, source }) => {
        const place = `${vscode.workspace.asRelativePath(file)}:${range.start.line + 1}:${range.start.character + 1}`;
        return `${place} ${severities[severity]}: ${message}${source === undefined ? "" : ` (${source})`}`;
      }),
    );
    const rest = lines.length - maxProblems;
    return [...lines.slice(0, maxProblems), ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
  }

  async changes(): Promise<string | undefined> {
    const folders = vscode.workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === "file") ?? [];
    const diffs = await Promise.all(folders.map(({ uri }) => gitDiff(uri.fsPath)));
    const found = diffs.filter((diff) => diff !== undefined);
    return found.length === 0 ? undefined : found.filter((diff) => diff !== "").join("\n");
  }
}

export function selectionOf({
  document,
  selection,
}: Pick<vscode.TextEditor, "document" | "selection">): ReturnType<EditorContext["selection"]> {
  if (selection.isEmpty) return undefined;
  const startLine = selection.start.line + 1;
  // A selection of whole lines ends at the start of the next line.
  const endLine = Math.max(selection.end.character === 0 ? selection.end.line : selection.end.line + 1, startLine);
  const { uri } = document;
  return {
    type: "selection",
    uri: uri.scheme === "file" ? fileUri(uri.fsPath) : uri.toString(),
    label: `${basename(uri.path)}:${lineRangeLabel(startLine, endLine)}`,
    startLine,
    endLine,
    text: document.getText(selection),
  };
}

async function symbolsOf(uri: vscode.Uri, text: string): Promise<FoundSymbol[]> {
  if (uri.scheme !== "file") return [];
  const found = await vscode.commands.executeCommand<
    readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
  >("vscode.executeDocumentSymbolProvider", uri);
  const wanted = text.toLowerCase();
  return (found ?? [])
    .flatMap((symbol) => ("children" in symbol ? flattened(symbol, "", uri) : [toSymbol(symbol)]))
    .filter(({ name }) => name.toLowerCase().includes(wanted));
}

function flattened(symbol: vscode.DocumentSymbol, containerName: string, uri: vscode.Uri): FoundSymbol[] {
  const { name, kind, range, children } = symbol;
  const own = toSymbol({ name, kind, containerName, location: { uri, range } });
  return [own, ...children.flatMap((child) => flattened(child, name, uri))];
}

interface PlacedSymbol extends Pick<vscode.SymbolInformation, "name" | "kind" | "containerName"> {
  readonly location: Pick<vscode.Location, "uri" | "range">;
}

function toSymbol({ name, kind, containerName, location }: PlacedSymbol): FoundSymbol {
  const { start, end } = location.range;
  const icon = vscode.SymbolKind[kind].replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
  return {
    name,
    containerName,
    icon: `symbol-${icon}`,
    path: location.uri.fsPath,
    startLine: start.line + 1,
    endLine: end.line + 1,
  };
}

function diagnosticsOf(uri: vscode.Uri): [vscode.Uri, vscode.Diagnostic[]] {
  return [uri, vscode.languages.getDiagnostics(uri)];
}

function isProblem({ severity }: vscode.Diagnostic): boolean {
  return severity === vscode.DiagnosticSeverity.Error || severity === vscode.DiagnosticSeverity.Warning;
}
