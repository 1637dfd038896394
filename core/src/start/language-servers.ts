import type { Logger } from "../base/logger.js";
import { SymposiumError } from "../base/symposium-error.js";
import { asObject } from "../rpc/json.js";
import type { LanguageServers, LspAdapterModule } from "../ide-operations/lsp-adapter-module.js";
import type { FolderTrust } from "../trust/folder-trust.js";
import { selfCommand } from "./self-command.js";

/** The package of the language-server adapter: a chunk of its own, loaded when the first question needs it. */
export function loadLspAdapter(): Promise<LspAdapterModule> {
  return import("@symposium-dev/lsp-adapter");
}

/** Opens folders by the adapter; `options` are those of the component's entry in config.jsonc, unread. */
export function openLanguageServers(
  options: unknown,
  logger: Logger,
  trust: FolderTrust,
): (folder: string) => Promise<LanguageServers> {
  return async (folder) => {
    const { openIdeOperations } = await loadLspAdapter();
    const settings = await withTrust(options, folder, trust);
    return openIdeOperations({ folder, self: selfCommand(), settings, logger: logger.child("language-servers") });
  };
}

/** In place of the adapter where agents are held to a sandbox: language servers build what agents write, and have no sandbox. */
export function noLanguageServers(): Promise<LanguageServers> {
  return Promise.reject(
    new SymposiumError(
      "ide-operation-failed",
      'Language servers are not started while "guard" is "sandbox", since they run what agents write.',
      'Use an editor that answers such questions itself, as VS Code does, or set "guard" to "rules".',
    ),
  );
}

/** The settings of the adapter's process, which hears by them whom this process trusts beside what is kept. */
export async function withTrust(options: unknown, folder: string, trust: FolderTrust): Promise<unknown> {
  if (!(await trust.isTrusted(folder))) return options;
  const settings = asObject(options) ?? {};
  const others: unknown = settings["trustedFolders"];
  return { ...settings, trustedFolders: [...(Array.isArray(others) ? (others as unknown[]) : []), folder] };
}
