import type { CancellationToken } from "vscode";

/** The editor's token as a signal. The token's owner disposes the listener with it. */
export function abortSignalOf(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
