import * as l10n from "@vscode/l10n";
import { visibleText } from "@symposium-dev/core";
import * as vscode from "vscode";
import type { Draft } from "../../../protocol/index.js";
import { readLink } from "./link.js";

interface LinkedChat {
  openTab(agentId: undefined, draft: Draft): Promise<unknown>;
  readonly history: {
    /** Returns the title of a stored conversation, or undefined for an unknown id. */
    titleOf(id: string): Promise<string | undefined>;
    /** Opens a stored conversation. Returns its tab id, or undefined if the conversation can't be opened. */
    openKept(id: string): Promise<string | undefined>;
  };
  show(tabId: string | undefined): Promise<void>;
}

/** Longer texts are shown in an editor, since a dialog would cut them. */
const maxDialogLines = 12;
const maxDialogChars = 900;
const scheme = "symposium-link";

/**
 * Handles a link after showing the user its whole content and asking. A prompt becomes the draft of a new tab and isn't sent; a session
 * opens as from the history.
 */
export async function openLink(uri: vscode.Uri, chat: LinkedChat): Promise<void> {
  const link = readLink(uri.path, uri.query);
  if (link.kind === "refused") void vscode.window.showWarningMessage(link.reason);
  else if (link.kind === "session") await openSession(link.id, chat);
  else await takePrompt(link.text, chat);
}

async function takePrompt(given: string, chat: LinkedChat): Promise<void> {
  // Invisible characters are escaped here and in the composer.
  const { text, warnings } = visibleText(given.replaceAll(/\r\n?/gu, "\n"), l10n.t("The text"));
  const question = l10n.t("Add a prompt from a link to a new chat? Nothing is sent until you send it.");
  const take = l10n.t("Add to Chat");
  const isShort = text.length <= maxDialogChars && text.split("\n").length <= maxDialogLines;
  const detail = [...warnings, text].join("\n\n");
  using _document = isShort ? undefined : await showText(text);
  // A modal dialog would block scrolling in the editor.
  const answer = isShort
    ? await vscode.window.showInformationMessage(question, { modal: true, detail }, take)
    : await vscode.window.showWarningMessage(
        [question, l10n.t("It is shown in the editor."), ...warnings].join(" "),
        take,
        l10n.t("Cancel"),
      );
  if (answer !== take) return;
  await chat.openTab(undefined, { text, attachments: [] });
}

async function openSession(id: string, chat: LinkedChat): Promise<void> {
  const title = await chat.history.titleOf(id);
  if (title === undefined) {
    void vscode.window.showWarningMessage(
      l10n.t('The session "{0}" from the link isn\'t among your conversations.', id),
    );
    return;
  }
  const open = l10n.t("Open");
  const question = l10n.t("A link wants to open a conversation.");
  const detail = visibleText(title, l10n.t("The title")).text;
  if ((await vscode.window.showInformationMessage(question, { modal: true, detail }, open)) !== open) return;
  await chat.show(await chat.history.openKept(id));
}

async function showText(text: string): Promise<Disposable> {
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: () => text,
  });
  const uri = vscode.Uri.from({ scheme, path: `/${crypto.randomUUID()}/${l10n.t("Prompt from link")}` });
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
