import { commands } from "vscode";

/**
 * Resolves when the window has handled what it was sent until now, and what it had to tell before that is known here. The editor keeps
 * changes of its lists and inputs for the end of the turn of the event loop; messages both ways keep their order.
 */
export async function windowReached(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  await commands.executeCommand("setContext", "symposium.windowReached", true);
}
