import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "../../../base/logger.js";
import { asObject } from "../../../base/rpc/json.js";
import type { LanguageServers, LspAdapterModule } from "../../../base/ide-operations/lsp-adapter-module.js";
import type { FolderTrust } from "../../../settings/trust/folder-trust.js";
import type { Confinement } from "../../../base/node/confinement.js";
import { configFolder } from "../../../base/node/own-program.js";
import { fitsSockets, socketFolder } from "../../../base/node/socket-folder.js";
import type { Watchdog } from "../../../base/node/watchdog.js";
import { selfCommand } from "../../../base/node/self-command.js";

/** The package of the language-server adapter: a chunk of its own, loaded when the first question needs it. */
export function loadLspAdapter(): Promise<LspAdapterModule> {
  return import("@symposium-dev/lsp-adapter");
}

interface AdapterConfinement {
  /** The sandbox of a folder's language servers, whose adapter keeps its files in the second folder. */
  readonly confine: (folder: string, files: string) => Confinement;
  readonly watchdog: Watchdog;
}

/**
 * Opens folders by the adapter; `options` are those of the component's entry in config.jsonc, unread. With `confinement` the adapter runs
 * in a sandbox of the folder, and is another one than that of those who have none: language servers build what agents write.
 */
export function openLanguageServers(
  options: unknown,
  logger: Logger,
  trust: FolderTrust,
  confinement?: AdapterConfinement,
): (folder: string) => Promise<LanguageServers> {
  return async (folder) => {
    const { openIdeOperations } = await loadLspAdapter();
    const settings = await withTrust(options, folder, trust);
    const given = { folder, settings, logger: logger.child("language-servers") };
    const self = selfCommand();
    if (!confinement) return openIdeOperations({ ...given, self });
    const { adapterSandbox } = await import("./sandboxed-adapter.js");
    const files = filesOf(folder);
    const { confine, watchdog } = confinement;
    const env = { ...self.env, SYMPOSIUM_CONFIG_DIR: files };
    const sandbox = adapterSandbox({ confined: confine(folder, files), watchdog, env });
    return openIdeOperations({ ...given, self: { ...self, env }, sandbox });
  };
}

/**
 * Where the adapter of a folder that runs in a sandbox has its files and its socket: its own for each, so that what one project runs in
 * there meets no adapter of another one. Only this folder is the same inside and outside, so the socket has to fit in there.
 */
function filesOf(folder: string): string {
  const place = join("lsp", createHash("sha256").update(folder).digest("hex").slice(0, 8));
  const usual = join(configFolder(), place);
  return fitsSockets(join(usual, "adapters")) ? usual : join(socketFolder(), place);
}

/** The settings of the adapter's process, which hears by them whom this process trusts beside what is kept. */
export async function withTrust(options: unknown, folder: string, trust: FolderTrust): Promise<unknown> {
  if (!(await trust.isTrusted(folder))) return options;
  const settings = asObject(options) ?? {};
  const others: unknown = settings["trustedFolders"];
  return { ...settings, trustedFolders: [...(Array.isArray(others) ? (others as unknown[]) : []), folder] };
}
