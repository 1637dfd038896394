import { loadLspAdapter } from "./language-servers.js";

/** `lsp`: the language-server adapter as a program of its own. */
export async function lsp(words: readonly string[]): Promise<number> {
  const { runLspAdapter } = await loadLspAdapter();
  return runLspAdapter(words);
}
