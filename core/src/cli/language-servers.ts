import type { Logger } from "../base/logger.js";
import type { LanguageServers, LspAdapterModule } from "../ide-operations/lsp-adapter-module.js";
import { selfCommand } from "./environment.js";

/** The package of the language-server adapter: a chunk of its own, loaded when the first question needs it. */
export function loadLspAdapter(): Promise<LspAdapterModule> {
  return import("@symposium-dev/lsp-adapter");
}

/** Opens folders by the adapter; `settings` are the options of the component's entry in config.jsonc, unread. */
export function openLanguageServers(settings: unknown, logger: Logger): (folder: string) => Promise<LanguageServers> {
  return async (folder) => {
    const { openIdeOperations } = await loadLspAdapter();
    return openIdeOperations({ folder, self: selfCommand(), settings, logger: logger.child("language-servers") });
  };
}
