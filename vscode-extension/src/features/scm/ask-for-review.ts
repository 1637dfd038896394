import * as l10n from "@vscode/l10n";
import { window } from "vscode";
import type { ChatTab } from "../chat/chat-tab.js";
import { changeOf, changeText } from "./change-text.js";
import type { FindingComments } from "./finding-comments.js";
import { findingsIn } from "./findings-in-answer.js";
import { chooseRepository } from "./git-repositories.js";

interface ReviewingChat {
  openTab(): Promise<ChatTab>;
  readonly findings: Pick<FindingComments, "show">;
}

const prompt = [
  "Review these changes. Look for mistakes: wrong behaviour, missed cases, lost data, security, and what does not fit the code around it. Change no file.",
  "Write each finding as a line of its own, `path:line: what is wrong and why`, with the path from the root of the repository and the line in the file as it is now. Leave out what is only a matter of taste. If there is nothing to find, say so.",
].join("\n\n");

/** Implements "Review These Changes": sends the changes to commit to the current agent in a new tab. Shows the findings in the files. */
export async function reviewChanges(argument: unknown, chat: ReviewingChat): Promise<void> {
  const repository = await chooseRepository(argument);
  if (!repository) return;
  const change = await changeOf(repository);
  if (!change) {
    void window.showInformationMessage(l10n.t("No changes to review."));
    return;
  }
  const folder = repository.rootUri.fsPath;
  const tab = await chat.openTab();
  const messageId = crypto.randomUUID();
  const [label, title] = change.isStaged
    ? [l10n.t("Staged changes"), "Staged changes"]
    : [l10n.t("All changes"), "All changes"];
  const diff = { type: "text", label, title, text: changeText(change) } as const;
  onTurnEnd(tab, messageId, (answer) => void chat.findings.show(findingsIn(answer), folder, tab.state.agentName));
  await tab.prompt({ messageId, text: prompt, attachments: [diff] }, "send");
}

function onTurnEnd(tab: ChatTab, messageId: string, ended: (answer: string) => void): void {
  const following = tab.transcript.onChanges((changes) => {
    if (!changes.some((change) => change.op === "put" && change.item.kind === "turn-end")) return;
    const { items, byId } = tab.transcript.transcript;
    const at = byId.get(messageId);
    if (at === undefined) return;
    following[Symbol.dispose]();
    const later = items.slice(at + 1);
    const end = later.findIndex(({ kind }) => kind === "turn-end");
    ended(later.flatMap((item, index) => (index < end && item.kind === "text" ? [item.text] : [])).join("\n\n"));
  });
}
