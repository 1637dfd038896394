/** What the command loads where an editor offers no IDE operations. */
import type { LanguageServers, LspAdapterModule, LspAdapterOptions } from "@symposium-dev/core";
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

({ openIdeOperations, runLspAdapter, checkLanguageServers }) satisfies LspAdapterModule;
