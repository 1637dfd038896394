import * as l10n from "@vscode/l10n";
import { basename, isAbsolute, join } from "node:path";
import {
  commands,
  type Disposable,
  env,
  Position,
  Range,
  type TextDocumentContentProvider,
  Uri,
  window,
  workspace,
} from "vscode";
import { configFolder } from "@symposium-dev/core/node";
import type { CallEdit } from "../../acp/session-observers.js";
import type { LogChannel } from "../log/log-channel.js";
import { isThere } from "../pages/open-file.js";
import { workspaceFolders } from "./workspace-folders.js";

interface VsCodeWindowOptions {
  readonly channel: LogChannel;
  readonly logs: { fileOf(terminalId: string): Promise<string | undefined> };
  readonly diffs: DiffDocuments;
  readonly isUnderReview: (path: string) => boolean;
}

/** Returns what the chat does in VS Code without other features. */
export function vscodeWindow({ channel, logs, diffs, isUnderReview }: VsCodeWindowOptions) {
  return {
    openLog: () => channel.show(),
    openConfiguration,
    openLocation,
    openLink,
    openText,
    manageTrust: async () => {
      await commands.executeCommand("workbench.trust.manage");
    },
    copy: async (text: string) => env.clipboard.writeText(text),
    openDiff: async (path: string, edit: CallEdit | undefined) => {
      if (edit) await diffs.show(edit);
      else if (isUnderReview(path)) await commands.executeCommand("symposium.review.openFile", { path });
      else await openLocation(path, undefined);
    },
    openTerminalLog: async (terminalId: string) => {
      const file = await logs.fileOf(terminalId);
      if (file !== undefined) await commands.executeCommand("vscode.open", Uri.file(file), { preview: true });
      return file !== undefined;
    },
  };
}

/** Opens the user's config.jsonc. If the file is missing, opens an untitled document with its path. */
async function openConfiguration(): Promise<void> {
  const file = Uri.file(join(configFolder(), "config.jsonc"));
  const uri = (await isThere(file)) ? file : file.with({ scheme: "untitled" });
  await window.showTextDocument(await workspace.openTextDocument(uri));
}

async function openLocation(path: string, line: number | undefined): Promise<void> {
  const uri = await findFile(path);
  if (!uri) {
    void window.showWarningMessage(l10n.t("{0} doesn't exist.", path));
    return;
  }
  const start = new Position(Math.max(0, (line ?? 1) - 1), 0);
  const selection = line === undefined ? {} : { selection: new Range(start, start) };
  await commands.executeCommand("vscode.open", uri, { preview: true, ...selection });
}

/**
 * Opens file links in the editor, and web and mail links externally after the editor's own question. Refuses all other schemes, since they
 * could run programs.
 */
async function openLink(url: string): Promise<void> {
  const uri = Uri.parse(url, true);
  if (uri.scheme === "file") await openLocation(uri.fsPath, lineOf(uri.fragment));
  else if (["http", "https", "mailto"].includes(uri.scheme)) await env.openExternal(uri);
  else void window.showWarningMessage(l10n.t('Symposium doesn\'t open "{0}:" links.', uri.scheme));
}

async function openText(title: string, text: string): Promise<void> {
  const language = /^\s*[[{]/.test(text) ? "json" : "plaintext";
  const document = await workspace.openTextDocument({ content: text, language });
  await window.showTextDocument(document, { preview: true });
  if (text === "") void window.showInformationMessage(l10n.t("{0}: nothing was stored.", title));
}

/** Finds a file by absolute path, or by a path relative to a workspace folder. */
async function findFile(path: string): Promise<Uri | undefined> {
  const candidates = isAbsolute(path) ? [path] : workspaceFolders().map((folder) => join(folder, path));
  for (const candidate of candidates) if (await isThere(Uri.file(candidate))) return Uri.file(candidate);
  return undefined;
}

function lineOf(fragment: string): number | undefined {
  const line = /^L?(\d+)/.exec(fragment)?.[1];
  return line === undefined ? undefined : Number(line);
}

/** Scheme of documents with one side of a change, as the agent sent it. */
const scheme = "symposium-change";
/** Maximum number of changes stored for open diff editors. Older changes appear empty. */
const maxChanges = 50;

export class DiffDocuments implements TextDocumentContentProvider, Disposable {
  readonly #registration = workspace.registerTextDocumentContentProvider(scheme, this);
  readonly #changes = new Map<string, CallEdit>();
  #shown = 0;

  async show({ path, oldText = "", newText }: CallEdit): Promise<void> {
    const id = String(++this.#shown);
    this.#changes.set(id, { path, oldText, newText });
    for (const old of [...this.#changes.keys()].slice(0, -maxChanges)) this.#changes.delete(old);
    const side = (name: "before" | "after"): Uri => Uri.file(path).with({ scheme, query: id, fragment: name });
    await commands.executeCommand("vscode.diff", side("before"), side("after"), `${basename(path)} (change)`);
  }

  provideTextDocumentContent({ query, fragment }: Uri): string {
    const change = this.#changes.get(query);
    return (fragment === "before" ? change?.oldText : change?.newText) ?? "";
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
