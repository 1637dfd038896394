import { homedir } from "node:os";
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
import type { ChatWindow } from "./chat-messages.js";
import { workspaceFolders } from "./workspace-folders.js";

interface VsCodeWindowOptions {
  readonly channel: LogChannel;
  readonly logs: { fileOf(terminalId: string): Promise<string | undefined> };
  readonly diffs: DiffDocuments;
  isUnderReview(path: string): boolean;
  show(tabId: string): Promise<void>;
  openInEditor(tabId: string): Promise<void>;
  showHistory(): Promise<void>;
  reopenTab(tabId: string): Promise<void>;
  continueWith(tabId: string): Promise<void>;
  restoreFiles(tabId: string, messageId: string): Promise<void>;
  undoRestore(tabId: string): Promise<void>;
  answerOffer(tabId: string, actionId: string): Promise<boolean>;
}

/** What the chat does in the editor's window. */
export class VsCodeWindow implements ChatWindow {
  constructor(private readonly options: VsCodeWindowOptions) {}

  openLog(): void {
    this.options.channel.show();
  }

  show(tabId: string): Promise<void> {
    return this.options.show(tabId);
  }

  openInEditor(tabId: string): Promise<void> {
    return this.options.openInEditor(tabId);
  }

  showHistory(): Promise<void> {
    return this.options.showHistory();
  }

  reopenTab(tabId: string): Promise<void> {
    return this.options.reopenTab(tabId);
  }

  continueWith(tabId: string): Promise<void> {
    return this.options.continueWith(tabId);
  }

  /** The user's config.jsonc; a new one, not saved yet, where there is none. */
  async openConfiguration(): Promise<void> {
    const file = Uri.file(join(configFolder(process.env, homedir()), "config.jsonc"));
    const isThere = await workspace.fs.stat(file).then(
      () => true,
      () => false,
    );
    await window.showTextDocument(await workspace.openTextDocument(isThere ? file : file.with({ scheme: "untitled" })));
  }

  async manageTrust(): Promise<void> {
    await commands.executeCommand("workbench.trust.manage");
  }

  restoreFiles(tabId: string, messageId: string): Promise<void> {
    return this.options.restoreFiles(tabId, messageId);
  }

  undoRestore(tabId: string): Promise<void> {
    return this.options.undoRestore(tabId);
  }

  answerOffer(tabId: string, actionId: string): Promise<boolean> {
    return this.options.answerOffer(tabId, actionId);
  }

  async openLocation(path: string, line: number | undefined): Promise<void> {
    const uri = await this.#find(path);
    if (!uri) {
      void window.showWarningMessage(`There is no file ${path}.`);
      return;
    }
    const start = new Position(Math.max(0, (line ?? 1) - 1), 0);
    const selection = line === undefined ? {} : { selection: new Range(start, start) };
    await commands.executeCommand("vscode.open", uri, { preview: true, ...selection });
  }

  /** Opens what leads out of the editor after the editor's own question; what would run something is not opened. */
  async openLink(url: string): Promise<void> {
    const uri = Uri.parse(url, true);
    if (uri.scheme === "file") await this.openLocation(uri.fsPath, lineOf(uri.fragment));
    else if (["http", "https", "mailto"].includes(uri.scheme)) await env.openExternal(uri);
    else void window.showWarningMessage(`Symposium does not open links of the kind "${uri.scheme}:".`);
  }

  async openDiff(path: string, edit: CallEdit | undefined): Promise<void> {
    if (edit) await this.options.diffs.show(edit);
    else if (this.options.isUnderReview(path)) await commands.executeCommand("symposium.review.openFile", { path });
    else await this.openLocation(path, undefined);
  }

  async openText(title: string, text: string): Promise<void> {
    const language = /^\s*[[{]/.test(text) ? "json" : "plaintext";
    const document = await workspace.openTextDocument({ content: text, language });
    await window.showTextDocument(document, { preview: true });
    if (text === "") void window.showInformationMessage(`${title}: nothing was kept.`);
  }

  async copy(text: string): Promise<void> {
    await env.clipboard.writeText(text);
  }

  async openTerminalLog(terminalId: string): Promise<boolean> {
    const file = await this.options.logs.fileOf(terminalId);
    if (file !== undefined) await commands.executeCommand("vscode.open", Uri.file(file), { preview: true });
    return file !== undefined;
  }

  /** The file of an absolute path, or of one that is relative to a folder of the workspace. */
  async #find(path: string): Promise<Uri | undefined> {
    const candidates = isAbsolute(path) ? [path] : workspaceFolders().map((folder) => join(folder, path));
    for (const candidate of candidates) {
      const uri = Uri.file(candidate);
      try {
        await workspace.fs.stat(uri);
        return uri;
      } catch {
        // Not in this folder.
      }
    }
    return undefined;
  }
}

function lineOf(fragment: string): number | undefined {
  const line = /^L?(\d+)/.exec(fragment)?.[1];
  return line === undefined ? undefined : Number(line);
}

/** Scheme of documents that show one side of a change as the agent told it. */
const scheme = "symposium-change";
/** Changes whose texts are kept for editors that are still open; beyond that the oldest are shown empty. */
const maxChanges = 50;

/** Shows changes of tool calls in the editor's own diff, also those that are not made yet or any more. */
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
