import { ProgressLocation, window } from "vscode";
import type { Answers, AskedAgent } from "./one-answer.js";
import { abortSignalOf } from "./participant.js";

/**
 * Asks the current agent for one answer, and shows a notification with a cancel button. Returns undefined if the user cancels or has no
 * agent; rejects with a message for the user. `title` names the feature; `folder` is absolute.
 */
export type AskAgent = (
  prompt: string,
  folder: string,
  title: (agentName: string) => string,
) => Promise<string | undefined>;

/** `agent` returns the current agent and how it starts, or undefined if the user doesn't choose one. */
export function askingAgent(answers: Answers, agent: (folder: string) => Promise<AskedAgent | undefined>): AskAgent {
  return async (prompt, folder, title) => {
    const asked = await agent(folder);
    if (!asked) return undefined;
    return window.withProgress(
      { location: ProgressLocation.Notification, cancellable: true, title: title(asked.name) },
      (_progress, token) => answers.ask({ agent: asked, prompt, folder }, abortSignalOf(token)),
    );
  };
}
