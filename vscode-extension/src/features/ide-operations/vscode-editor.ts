import { stat } from "node:fs/promises";
import { extname } from "node:path";
import * as vscode from "vscode";
import * as z from "zod/mini";
import { messageOf, pathOfFileUri, SymposiumError, type TextEdit, type WorkspaceEdit } from "@symposium-dev/core";
import type { Editor, EditorDocument, LanguageExtension, ProviderAnswers, ProviderCommand } from "./editor.js";
import type { OwnFeatures } from "../language-features/own-features.js";
import { serves } from "../language-features/served-languages.js";
import { toUri } from "./places.js";

/** Maximum time for VS Code to notice that a file changed on disk. */
const noticeMs = 3_000;
const sampled = "ts tsx mts cts js jsx mjs rs py go c cc cpp h hpp java kt cs rb php swift scala".split(" ");
const installed = "**/{node_modules,target,dist,build,out,vendor,.venv}/**";
const maxSampled = 500;

const manifest = z.looseObject({ displayName: z.optional(z.string()) });

/** Commands that Symposium's own language client answers. */
const ownCommands: ReadonlySet<ProviderCommand> = new Set([
  "vscode.executeDefinitionProvider",
  "vscode.executeReferenceProvider",
  "vscode.executeHoverProvider",
  "vscode.executeDocumentRenameProvider",
]);

export class VsCodeEditor implements Editor {
  readonly #samples = new Map<string, readonly string[]>();
  /** State in which a document last matched its file: the file's modification time and size, and the document version. */
  readonly #equal = new WeakMap<vscode.TextDocument, string>();

  /** `own` are features of this window that agents get from the language servers themselves, with a better answer. */
  constructor(private readonly own?: OwnFeatures) {}

  async open(uri: string, signal: AbortSignal): Promise<EditorDocument> {
    const document = await opened(uri);
    await this.#catchUp(document, signal);
    return document;
  }

  async text(uri: string): Promise<string | null> {
    const target = toVsUri(uri);
    const known = vscode.workspace.textDocuments.find((one) => !one.isClosed && toUri(one.uri) === toUri(target));
    if (known?.isDirty === true || (known && target.scheme !== "file")) return known.getText();
    return target.scheme === "file" ? textOnDisk(target) : null;
  }

  async ask<N extends ProviderCommand>(
    command: N,
    ...args: readonly unknown[]
  ): Promise<ProviderAnswers[N] | undefined> {
    if (this.own && ownCommands.has(command) && this.own.serves(languageOf(args[0]))) return undefined;
    return vscode.commands.executeCommand<ProviderAnswers[N] | undefined>(command, ...args);
  }

  extensionsFor(languageId: string): readonly LanguageExtension[] {
    return vscode.extensions.all.flatMap((extension) => {
      if (!serves(extension.packageJSON, languageId)) return [];
      const { data } = manifest.safeParse(extension.packageJSON);
      // Return the extension without starting it: opening a document of the language starts the extension.
      return [{ name: data?.displayName ?? extension.id, started: () => started(extension) }];
    });
  }

  async samples(folder: string): Promise<readonly string[]> {
    const known = this.#samples.get(folder) ?? [];
    const isThere = await Promise.all(known.map(exists));
    if (known.length > 0 && isThere.every(Boolean)) return known;
    const found = await findSamples(folder);
    this.#samples.set(folder, found);
    return found;
  }

  formatOptions({ uri, languageId }: EditorDocument): vscode.FormattingOptions {
    const settings = vscode.workspace.getConfiguration("editor", { uri, languageId });
    return { tabSize: settings.get("tabSize", 4), insertSpaces: settings.get("insertSpaces", true) };
  }

  apply(edit: WorkspaceEdit): Promise<boolean> {
    return makeEdit(edit);
  }

  /** Waits until VS Code has reloaded an unmodified document whose file changed on disk. */
  async #catchUp(document: vscode.TextDocument, signal: AbortSignal): Promise<void> {
    const end = AbortSignal.any([signal, AbortSignal.timeout(noticeMs)]);
    while (!(await this.#equalsFile(document))) {
      signal.throwIfAborted();
      if (end.aborted) {
        const message = `VS Code hasn't noticed yet that ${document.uri.fsPath} changed on disk.`;
        throw new SymposiumError("ide-operation-failed", message, "Try again in a moment.");
      }
      await changed(document, end);
    }
  }

  async #equalsFile(document: vscode.TextDocument): Promise<boolean> {
    const { uri, version } = document;
    if (uri.scheme !== "file" || document.isDirty) return true;
    const found = await stat(uri.fsPath).catch(() => undefined);
    if (!found) return true;
    const seen = `${found.mtimeMs} ${found.size} ${version}`;
    if (this.#equal.get(document) === seen) return true;
    const text = await textOnDisk(uri);
    if (text === null || normal(text) !== normal(document.getText())) return false;
    this.#equal.set(document, seen);
    return true;
  }
}

function languageOf(uri: unknown): string {
  return vscode.workspace.textDocuments.find((one) => String(one.uri) === String(uri))?.languageId ?? "";
}

async function exists(uri: string): Promise<boolean> {
  return (await stat(toVsUri(uri).fsPath).catch(() => undefined)) !== undefined;
}

async function opened(uri: string): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(toVsUri(uri));
  } catch (thrown) {
    throw new SymposiumError(
      "ide-operation-failed",
      `VS Code can't open ${uri}: ${messageOf(thrown)}`,
      "Check that it exists and is a text file.",
    );
  }
}

async function textOnDisk(uri: vscode.Uri): Promise<string | null> {
  try {
    return await vscode.workspace.decode(await vscode.workspace.fs.readFile(uri), { uri });
  } catch {
    return null;
  }
}

function normal(text: string): string {
  return text.replaceAll(/\r\n|\r/g, "\n");
}

function changed(document: vscode.TextDocument, end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      listening.dispose();
      end.removeEventListener("abort", done);
      resolve();
    };
    const listening = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document) done();
    });
    if (end.aborted) done();
    else end.addEventListener("abort", done, { once: true });
  });
}

async function started(extension: vscode.Extension<unknown>): Promise<void> {
  try {
    if (!extension.isActive) await extension.activate();
  } catch {
    // VS Code has already shown the error; treat the language as unsupported.
  }
}

async function findSamples(folder: string): Promise<readonly string[]> {
  const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), `**/*.{${sampled.join(",")}}`);
  const found = await vscode.workspace.findFiles(pattern, installed, maxSampled);
  const sorted = found.map(({ fsPath }) => fsPath).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const byEnding = new Map(sorted.reverse().map((path) => [extname(path), path]));
  return [...byEnding.values()].map((path) => toUri(vscode.Uri.file(path))).sort();
}

/**
 * Applies an edit with undo support. Saves the changed documents, except those that had unsaved text before. Returns false if VS Code
 * refuses.
 */
async function makeEdit({ changes }: WorkspaceEdit): Promise<boolean> {
  const unsaved = new Set(vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(nameOf));
  const edit = new vscode.WorkspaceEdit();
  /** Names of documents to save. */
  const edited = new Set<string>();
  for (const change of changes) {
    switch (change.kind) {
      case "edit": {
        const uri = toVsUri(change.uri);
        for (const one of change.edits) edit.replace(uri, toVsRange(one), one.newText);
        if (!unsaved.has(uri.toString())) edited.add(uri.toString());
        break;
      }
      case "create":
        edit.createFile(toVsUri(change.uri), { overwrite: change.overwrite === true });
        break;
      case "rename": {
        const [from, to] = [toVsUri(change.from), toVsUri(change.to)];
        edit.renameFile(from, to);
        // VS Code moves unsaved text to the new name.
        (unsaved.has(from.toString()) ? unsaved : edited).add(to.toString());
        break;
      }
      case "delete":
        edit.deleteFile(toVsUri(change.uri));
    }
  }
  if (!(await vscode.workspace.applyEdit(edit))) return false;
  for (const document of vscode.workspace.textDocuments) {
    if (document.isDirty && edited.has(nameOf(document))) await document.save();
  }
  return true;
}

function nameOf({ uri }: vscode.TextDocument): string {
  return uri.toString();
}

function toVsRange({ range: { start, end } }: TextEdit): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

export function toVsUri(uri: string): vscode.Uri {
  const path = pathOfFileUri(uri);
  return path === undefined ? vscode.Uri.parse(uri, true) : vscode.Uri.file(path);
}
