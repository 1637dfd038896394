import { isAbsolute } from "node:path";
import type { LspAdapterModule } from "../../base/ide-operations/lsp-adapter-module.js";
import { Logger } from "../../base/logger.js";
import { invalidArguments } from "../../base/symposium-error.js";
import {
  loadLspAdapter,
  openLanguageServers,
  withTrust,
} from "../../extensions/ide-operations/node/language-servers.js";
import { defaultSettings, type Settings } from "../../settings/settings-table.js";
import { trustOption } from "./options.js";
import { subcommand } from "./subcommand.js";

export const lsp = subcommand({
  name: "lsp",
  about:
    "Run a folder's language servers, which all its sessions share. Sessions start this command, with settings as JSON on stdin. " +
    "With --stdio, it is a language server for any editor.",
  options: {
    folder: { value: "DIR", about: "the folder (an absolute path)" },
    stdio: { about: "speak LSP over stdio with one editor, which names the folder" },
    features: { about: "with --stdio: also answer standard LSP requests, for editors without a server" },
    ...trustOption,
  },
  async run({ values: { folder, stdio, features, "trusted-folder": trusted } }) {
    const adapter = await loadLspAdapter();
    if (stdio !== true) return adapter.runLspAdapter(folder === undefined ? [] : ["--folder", folder]);
    if (folder !== undefined && !isAbsolute(folder))
      throw invalidArguments(`lsp: --folder must be an absolute path, not ${folder}.`);
    if (features === true) return serveFeatures(adapter, folder, trusted);
    const { completeEnvironment } = await import("../../settings/node/complete-environment.js");
    const { selfCommand } = await import("../../base/node/self-command.js");
    const { vouchingFor } = await import("../../settings/trust/node/trusted-worktrees.js");
    await completeEnvironment(defaultSettings.loginEnvironment);
    const trust = await vouchingFor(trusted);
    return adapter.runLspServer({
      folder,
      hasFeatures: false,
      open: async (opened, given) =>
        adapter.openIdeOperations({
          folder: opened,
          self: selfCommand(),
          settings: given ?? (await withTrust((await configuredServers()).options, opened, trust)),
          logger: Logger.silent,
        }),
    });
  },
});

/** Serves an editor with exactly the language servers that sessions use, including their sandbox. */
async function serveFeatures(
  adapter: LspAdapterModule,
  folder: string | undefined,
  trustedFolders: readonly string[] | undefined,
): Promise<number> {
  const { openEnvironment } = await import("../environment.js");
  const { options, settings } = await configuredServers();
  const given = { values: { "trusted-folder": trustedFolders }, settings, agents: "any" } as const;
  await using environment = await openEnvironment(given);
  const { logger, trust, watchdog, languageServers: confine } = environment;
  const confinement = confine && { confine, watchdog };
  return await adapter.runLspServer({
    folder,
    hasFeatures: true,
    open: (opened, own) => openLanguageServers(own ?? options, logger, trust, confinement)(opened),
  });
}

/** Returns the settings that sessions use, so that the editor and sessions share language servers. */
async function configuredServers(): Promise<{ readonly options: unknown; readonly settings: Settings }> {
  const { readConfiguration } = await import("../read-user-config.js");
  const { ideOperationsName } = await import("../../extensions/ide-operations/ide-operations-options.js");
  const state = await readConfiguration();
  const config = state.state === "ok" ? state.config : undefined;
  const entry = config?.proxies.find(({ name }) => name === ideOperationsName);
  return { options: entry?.options ?? {}, settings: config?.settings ?? defaultSettings };
}
