import { visibleText } from "@symposium-dev/core";
import * as vscode from "vscode";
import type { Draft } from "../../../protocol/index.js";
import { readLink } from "./link.js";

interface LinkedChat {
  /** Opens a tab with the current agent and with this in its composer, and shows it. */
  openTab(agentId: undefined, draft: Draft): Promise<unknown>;
  readonly history: {
    /** The title of a conversation by its id; undefined where there is none. */
    titleOf(id: string): Promise<string | undefined>;
    /** Opens that conversation. Resolves with its tab's id; undefined where it cannot be opened. */
    openKept(id: string): Promise<string | undefined>;
  };
  /** Brings a tab into sight, wherever it is, or the panel with what it shows. */
  show(tabId: string | undefined): Promise<void>;
}

/** More is shown in an editor, since a dialog has no room for it. */
const maxDialogLines = 12;
const maxDialogChars = 900;
const scheme = "symposium-link";

/**
 * Opens what a link asks for, after a question that shows all of it: a prompt goes into the composer of a new tab, and is
 * never sent; a session is opened as from the list of conversations.
 */
export async function openLink(uri: vscode.Uri, chat: LinkedChat): Promise<void> {
  const link = readLink(uri.path, uri.query);
  if (link.kind === "refused") void vscode.window.showWarningMessage(link.reason);
  else if (link.kind === "session") await openSession(link.id, chat);
  else await takePrompt(link.text, chat);
}

async function takePrompt(given: string, chat: LinkedChat): Promise<void> {
  // What nobody can see is written out, here and in the composer.
  const { text, warnings } = visibleText(given.replaceAll(/\r\n?/gu, "\n"), "The text");
  const question = "A link wants to put a prompt into a new chat. It is not sent before you send it.";
  const take = "Put It into the Composer";
  const isShort = text.length <= maxDialogChars && text.split("\n").length <= maxDialogLines;
  const detail = [...warnings, text].join("\n\n");
  using _document = isShort ? undefined : await showText(text);
  // A dialog would keep the user from reading the editor to its end.
  const answer = isShort
    ? await vscode.window.showInformationMessage(question, { modal: true, detail }, take)
    : await vscode.window.showWarningMessage([question, "The editor shows it.", ...warnings].join(" "), take, "Cancel");
  if (answer !== take) return;
  await chat.openTab(undefined, { text, attachments: [] });
}

async function openSession(id: string, chat: LinkedChat): Promise<void> {
  const title = await chat.history.titleOf(id);
  if (title === undefined) {
    void vscode.window.showWarningMessage(`The link's session "${id}" is not among your conversations.`);
    return;
  }
  const open = "Open";
  const question = "A link wants to open a conversation.";
  const detail = visibleText(title, "The title").text;
  if ((await vscode.window.showInformationMessage(question, { modal: true, detail }, open)) !== open) return;
  await chat.show(await chat.history.openKept(id));
}

/** Shows a text in an editor in which nothing can be changed, until disposed of. */
async function showText(text: string): Promise<Disposable> {
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: () => text,
  });
  const uri = vscode.Uri.from({ scheme, path: `/${crypto.randomUUID()}/Prompt of the link` });
  await vscode.window.showTextDocument(uri, { preview: true });
  return {
    [Symbol.dispose]: () => {
      provider.dispose();
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
      const isOurs = ({ input }: vscode.Tab): boolean =>
        input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
      void vscode.window.tabGroups.close(tabs.filter(isOurs));
    },
  };
}
