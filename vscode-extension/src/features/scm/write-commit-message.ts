import { window } from "vscode";
import type { AskAgent } from "../language-model/ask-agent.js";
import { changeOf } from "./change-text.js";
import { commitPrompt, messageIn } from "./commit-message.js";
import { chooseRepository } from "./git-repositories.js";

/** So many of the latest messages show how this repository's are written. */
const earlierMessages = 10;

/** "Write Commit Message": has the current agent write one into the input of the Source Control view. */
export async function writeCommitMessage(ask: AskAgent, argument: unknown): Promise<void> {
  const repository = await chooseRepository(argument);
  if (!repository) return;
  const change = await changeOf(repository);
  if (!change) {
    void window.showInformationMessage("There is nothing to commit: no file has changed.");
    return;
  }
  const { inputBox, rootUri, state } = repository;
  const before = inputBox.value;
  // A repository without a commit has no log.
  const earlier = await repository.log({ maxEntries: earlierMessages }).catch(() => []);
  const prompt = commitPrompt(
    change,
    state.HEAD?.name,
    earlier.map(({ message }) => message),
  );
  const answer = await ask(prompt, rootUri.fsPath, (agentName) => `${agentName} writes a commit message`);
  const message = answer === undefined ? "" : messageIn(answer);
  if (message === "") {
    if (answer !== undefined) void window.showWarningMessage("The agent's answer holds no commit message. Try again.");
    return;
  }
  if (inputBox.value !== before) {
    // What the user wrote meanwhile stays.
    const use = "Use It";
    if ((await window.showInformationMessage(`The commit message is ready: ${message}`, use)) !== use) return;
  }
  const replaced = inputBox.value;
  inputBox.value = message;
  if (replaced.trim() === "") return;
  const putBack = "Put Back";
  const text = "The commit message has replaced what you had written.";
  if ((await window.showInformationMessage(text, putBack)) === putBack) inputBox.value = replaced;
}
