import { relative, sep } from "node:path";
import { pathOfFileUri } from "@symposium-dev/core";
import * as vscode from "vscode";
import type { Attachment } from "../../../protocol/index.js";
import type { AttachmentContent } from "../../acp/conversation-parts.js";
import type { ChatPages } from "../chat/chat-pages.js";
import type { ViewMessages } from "../pages/message-hub.js";
import { droppedAttachments, toContentBlocks } from "./content-blocks.js";
import { ContextSearch } from "./context-search.js";
import { FileIndex } from "./file-index.js";
import { TerminalRecorder } from "./terminal-recorder.js";
import { VsCodeEditorContext } from "./vscode-editor-context.js";

interface ContextOptions {
  readonly messages: ViewMessages;
  readonly pages: () => ChatPages;
  /** Returns the absolute folders of a tab's session. */
  rootsOf(tabId: string): readonly string[];
}

export class Attachments implements vscode.Disposable {
  readonly toBlocks: AttachmentContent = (attachments, accepts) => toContentBlocks(attachments, accepts, this.#editor);
  readonly #owned: { dispose(): unknown }[] = [];
  readonly #indexes = new Map<string, FileIndex>();
  readonly #editor: VsCodeEditorContext;

  constructor(options: ContextOptions) {
    const { messages } = options;
    const recorder = new TerminalRecorder();
    this.#editor = new VsCodeEditorContext(recorder);
    const search = new ContextSearch(this.#editor, (folder) => this.#indexOf(folder));
    this.#owned.push(
      recorder,
      messages.on("context-query", async ({ queryId, tabId, text }) => {
        const found = await search.find(text, options.rootsOf(tabId));
        options
          .pages()
          .of(tabId)
          .send({ type: "context-results", queryId, ...found });
      }),
      messages.on("drop-uris", async ({ tabId, uris }) => {
        const attachments = await droppedAttachments(uris);
        if (attachments.length > 0) await options.pages().deliver(tabId, { type: "add-context", tabId, attachments });
      }),
      messages.on("open-attachment", ({ attachment }) => this.#open(attachment)),
    );
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  #indexOf(folder: string): FileIndex {
    const known = this.#indexes.get(folder);
    if (known) return known;
    const index = new FileIndex(folder);
    this.#indexes.set(folder, index);
    const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), "**/*");
    const watcher = vscode.workspace.createFileSystemWatcher(pattern, false, true, false);
    const inside = ({ fsPath }: vscode.Uri): string => relative(folder, fsPath).split(sep).join("/");
    watcher.onDidCreate((uri) => index.created(inside(uri)));
    watcher.onDidDelete((uri) => index.deleted(inside(uri)));
    this.#owned.push(watcher);
    return index;
  }

  async #open(attachment: Attachment): Promise<void> {
    switch (attachment.type) {
      case "file":
        await vscode.commands.executeCommand("vscode.open", uriOf(attachment.uri));
        return;
      case "folder":
        await vscode.commands.executeCommand("revealInExplorer", uriOf(attachment.uri));
        return;
      case "symbol":
      case "selection": {
        const selection = new vscode.Range(attachment.startLine - 1, 0, attachment.endLine, 0);
        await vscode.window.showTextDocument(uriOf(attachment.uri), { selection, preview: true });
        return;
      }
      case "problems":
        await vscode.commands.executeCommand("workbench.actions.view.problems");
        return;
      case "terminal":
      case "text":
        await showText(attachment.text);
        return;
      case "git-diff":
        await showText((await this.#editor.changes()) ?? "", "diff");
        return;
      case "image":
      // The chat page shows an attached image itself.
    }
  }
}

function uriOf(uri: string): vscode.Uri {
  const path = pathOfFileUri(uri);
  return path === undefined ? vscode.Uri.parse(uri) : vscode.Uri.file(path);
}

async function showText(content: string, language = "plaintext"): Promise<void> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language }));
}
