import { ProgressLocation, window } from "vscode";
import type { Answers, AskedAgent } from "./one-answer.js";
import { abortSignalOf } from "./participant.js";

/**
 * Asks the current agent for one answer, while a notification shows that it is at work and offers to cancel. Undefined where
 * the user cancels or has no agent; rejects with what to tell them. `title` says what it does, by its name; `folder` is
 * absolute.
 */
export type AskAgent = (
  prompt: string,
  folder: string,
  title: (agentName: string) => string,
) => Promise<string | undefined>;

/** `agent` finds out which one is current and how it starts; undefined where the user does not choose one. */
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
