import * as l10n from "@vscode/l10n";
import { window } from "vscode";
import type { AskAgent } from "../language-model/ask-with-progress.js";
import { waitForWindow } from "../pages/wait-for-window.js";
import { changeOf } from "./change-text.js";
import { commitPrompt, messageIn } from "./commit-message.js";
import { chooseRepository } from "./git-repositories.js";
import { placeMessage } from "./message-input.js";

/** Number of latest messages sent as examples of the repository's style. */
const earlierMessages = 10;

/** Implements "Write Commit Message": asks the current agent and puts the answer into the Source Control input. */
export async function writeCommitMessage(ask: AskAgent, argument: unknown): Promise<void> {
  const repository = await chooseRepository(argument);
  if (!repository) return;
  const { inputBox, rootUri, state } = repository;
  const before = inputBox.value;
  const change = await changeOf(repository);
  if (!change) {
    void window.showInformationMessage(l10n.t("No changes to commit."));
    return;
  }
  // `log` fails in a repository without commits.
  const earlier = await repository.log({ maxEntries: earlierMessages }).catch(() => []);
  const prompt = commitPrompt(
    change,
    state.HEAD?.name,
    earlier.map(({ message }) => message),
  );
  const answer = await ask(prompt, rootUri.fsPath, (agentName) => l10n.t("{0} is writing a commit message", agentName));
  const message = answer === undefined ? "" : messageIn(answer);
  if (message === "") {
    if (answer !== undefined)
      void window.showWarningMessage(l10n.t("The agent's answer has no commit message. Try again."));
    return;
  }
  // Wait until the user's latest edits have arrived.
  await waitForWindow();
  await placeMessage(inputBox, message, before, {
    use: () => isAnswered(l10n.t("The commit message is ready: {0}", message), l10n.t("Use It")),
    putBack: () => isAnswered(l10n.t("The commit message replaced the text that you had written."), l10n.t("Put Back")),
  });
}

async function isAnswered(text: string, answer: string): Promise<boolean> {
  const isGiven = (await window.showInformationMessage(text, answer)) === answer;
  await waitForWindow();
  return isGiven;
}
