import { withoutAgentServers } from "./installed-agents.js";
import { withoutLanguageModels } from "./language-models.js";

/** Zed's settings without anything that this product has put there. Throws `invalid-config` for a broken text. */
export function withoutSymposium(text: string, file: string): string {
  return withoutLanguageModels(withoutAgentServers(text, file), file);
}
