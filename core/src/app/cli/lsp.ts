import { isAbsolute } from "node:path";
import { Logger } from "../../base/logger.js";
import { SymposiumError } from "../../base/symposium-error.js";
import { loadLspAdapter } from "../../extensions/ide-operations/node/language-servers.js";
import { subcommand } from "./subcommand.js";

export const lsp = subcommand({
  name: "lsp",
  about:
    "Run a folder's language servers, which all its sessions share. Sessions start this command, with settings as JSON on stdin. " +
    "With --stdio, it is a language server for any editor.",
  options: {
    folder: { value: "DIR", about: "the folder (an absolute path)" },
    stdio: { about: "speak LSP over stdio with one editor, which names the folder" },
  },
  async run({ values: { folder, stdio } }) {
    const adapter = await loadLspAdapter();
    if (stdio !== true) return adapter.runLspAdapter(folder === undefined ? [] : ["--folder", folder]);
    if (folder !== undefined && !isAbsolute(folder))
      throw new SymposiumError("invalid-arguments", `lsp: --folder must be an absolute path, not ${folder}.`);
    const { completeEnvironment } = await import("../../settings/node/complete-environment.js");
    const { selfCommand } = await import("../../base/node/self-command.js");
    const { defaultSettings } = await import("../../settings/settings-table.js");
    await completeEnvironment(defaultSettings.loginEnvironment);
    return adapter.runLspServer({
      self: selfCommand(),
      folder,
      settingsFor: configuredSettings,
      logger: Logger.silent,
    });
  },
});

/** Returns the settings that sessions use, so that the editor and sessions share language servers. */
async function configuredSettings(folder: string): Promise<unknown> {
  const { readConfiguration } = await import("../configuration.js");
  const { withTrust } = await import("../../extensions/ide-operations/node/language-servers.js");
  const { ideOperationsName } = await import("../../extensions/ide-operations/ide-operations-options.js");
  const { FolderTrust } = await import("../../settings/trust/folder-trust.js");
  const { TrustFile } = await import("../../settings/trust/node/trust-file.js");
  const state = await readConfiguration();
  const proxies = state.state === "ok" ? state.config.proxies : undefined;
  const options = proxies?.find(({ name }) => name === ideOperationsName)?.options ?? {};
  return withTrust(options, folder, new FolderTrust(new TrustFile(), []));
}
