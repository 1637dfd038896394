import { messageOf } from "../../base/symposium-error.js";
import type { ProxyEntry } from "../../settings/proxy-entry.js";
import { ideOperationsName } from "../../proxies/ide-operations/ide-operations-name.js";
import type { FolderTrust } from "../../trust/folder-trust.js";
import { loadLspAdapter, withTrust } from "../language-servers.js";
import { checked, type Finding } from "./finding.js";

/** Which language servers stand ready for a folder, where the editor has none to offer. Without `proxies` all take part. */
export async function checkLanguageServers(
  folder: string,
  proxies: readonly ProxyEntry[] | undefined,
  trust: FolderTrust,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const entry = proxies?.find(({ name }) => name === ideOperationsName);
  if (proxies && entry?.enabled !== true) return [];
  try {
    const adapter = await loadLspAdapter();
    const settings = await withTrust(entry?.options ?? {}, folder, trust);
    const checks = await adapter.checkLanguageServers({ folder, settings, signal });
    return checks.flatMap(({ name, status, detail, remedy }) => {
      const { ok, warn } = checked(name);
      if (status === "absent") return [];
      return [status === "ok" ? ok(detail) : { ...warn(detail, remedy), missing: "language-server" as const }];
    });
  } catch (failure) {
    signal.throwIfAborted();
    return [checked("languages").warn(messageOf(failure))];
  }
}
