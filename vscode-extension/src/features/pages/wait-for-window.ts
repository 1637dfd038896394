import { commands } from "vscode";

/**
 * Resolves when the window has handled all earlier messages, and its earlier events have arrived here. The editor batches list and input
 * changes until the end of the event loop turn; messages keep their order in both directions.
 */
export async function waitForWindow(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  await commands.executeCommand("setContext", "symposium.windowReached", true);
}
