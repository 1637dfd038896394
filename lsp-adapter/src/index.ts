/** What the command loads where an editor offers no IDE operations. */
import type { LanguageServers, LspAdapterModule, LspAdapterOptions, LspServerOptions } from "@symposium-dev/core";
import { checkLanguageServers } from "./check-servers.js";
import { AdapterClient } from "./client.js";

export { checkLanguageServers };

/** The operations of the adapter process that is shared for a folder; connects at the first one. */
export function openIdeOperations(options: LspAdapterOptions): LanguageServers {
  return new AdapterClient(options);
}

/** Runs the adapter process; resolves to the exit code. */
export async function runLspAdapter(words: readonly string[]): Promise<number> {
  return (await import("./main.js")).runLspAdapter(words);
}

/** Runs a language server for one editor over stdin and stdout; resolves to the exit code. */
export async function runLspServer(options: LspServerOptions): Promise<number> {
  const { serveEditor } = await import("./editor-server.js");
  const { self, logger } = options;
  return serveEditor({
    ...options,
    open: (folder, settings) => openIdeOperations({ folder, self, settings, logger }),
    input: process.stdin,
    output: process.stdout,
  });
}

({ openIdeOperations, runLspAdapter, runLspServer, checkLanguageServers }) satisfies LspAdapterModule;
