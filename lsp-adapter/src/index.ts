/** Entry point of the adapter. Symposium loads it only if the editor itself offers no IDE operations. */
import type { LanguageServers, LspAdapterModule, LspAdapterOptions, LspServerOptions } from "@symposium-dev/core";
import { checkLanguageServers } from "./check-servers.js";
import { AdapterClient } from "./client.js";

export { checkLanguageServers };

/** Returns the operations of a folder's shared adapter process; connects on first use. */
export function openIdeOperations(options: LspAdapterOptions): LanguageServers {
  return new AdapterClient(options);
}

export async function runLspAdapter(words: readonly string[]): Promise<number> {
  return (await import("./main.js")).runLspAdapter(words);
}

/** Runs a language server for one editor over stdin and stdout. Resolves with the exit code. */
export async function runLspServer(options: LspServerOptions): Promise<number> {
  const { serveEditor } = await import("./editor-server.js");
  return serveEditor({ ...options, input: process.stdin, output: process.stdout });
}

({ openIdeOperations, runLspAdapter, runLspServer, checkLanguageServers }) satisfies LspAdapterModule;
