import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "../../../base/logger.js";
import { asObject } from "../../../base/rpc/json.js";
import type { LanguageServers, LspAdapterModule } from "../../../base/ide-operations/lsp-adapter-module.js";
import type { FolderTrust } from "../../../settings/trust/folder-trust.js";
import type { Confinement } from "../../../base/node/confinement.js";
import { configFolder } from "../../../base/node/own-program.js";
import { fitsSockets, socketFolder } from "../../../base/node/socket-folder.js";
import type { Watchdog } from "../../../base/node/orphan-watchdog.js";
import { selfCommand } from "../../../base/node/self-command.js";

/** Loads the language-server adapter, a separate chunk, on first use. */
export function loadLspAdapter(): Promise<LspAdapterModule> {
  return import("@symposium-dev/lsp-adapter");
}

interface AdapterConfinement {
  /** Returns the sandbox of a folder's language servers; `files` is the folder for the adapter's own files. */
  readonly confine: (folder: string, files: string) => Confinement;
  readonly watchdog: Watchdog;
}

/**
 * Opens folders with the adapter; `options` are the unparsed options from config.jsonc. With `confinement`, each folder gets a separate,
 * sandboxed adapter, because language servers build code that agents write.
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
 * Returns the folder for a sandboxed adapter's files and socket. Each project has its own, so that its code can't reach another project's
 * adapter. The socket must be in this folder, the only one with the same path inside and outside the sandbox.
 */
function filesOf(folder: string): string {
  const place = join("lsp", createHash("sha256").update(folder).digest("hex").slice(0, 8));
  const usual = join(configFolder(), place);
  return fitsSockets(join(usual, "adapters")) ? usual : join(socketFolder(), place);
}

/** Adds the folder to the adapter's settings if this process trusts it, since the adapter knows only stored trust decisions. */
export async function withTrust(options: unknown, folder: string, trust: FolderTrust): Promise<unknown> {
  if (!(await trust.isTrusted(folder))) return options;
  const settings = asObject(options) ?? {};
  const others: unknown = settings["trustedFolders"];
  return { ...settings, trustedFolders: [...(Array.isArray(others) ? (others as unknown[]) : []), folder] };
}
