import type { LanguageServerCheck, LspCheckOptions } from "@symposium-dev/core";
import { findFiles } from "./documents/find-file.js";
import { parseAdapterSettings } from "./language-servers/adapter-settings.js";
import { projectRoot } from "./language-servers/server-finder.js";
import { findServer, languageRank } from "./language-servers/server-definition.js";

/** Returns the available language servers for each language in `folder`. Runs programs only to get their version. */
export async function checkLanguageServers({
  folder,
  settings: given,
  signal,
}: LspCheckOptions): Promise<readonly LanguageServerCheck[]> {
  const { settings, problems } = parseAdapterSettings(given);
  const tests = settings.servers.map((one) => (name: string) => languageRank(one, name));
  const files = await findFiles(folder, tests);
  const checks = settings.servers.map(async (server, index): Promise<LanguageServerCheck> => {
    const path = files[index];
    if (path === undefined) return { name: server.name, status: "absent", detail: "no files in its languages" };
    const root = projectRoot(path, folder, server.rootMarkers);
    const isTrusted = await settings.isTrusted(root);
    const machine = { env: process.env, platform: process.platform };
    const found = await findServer(server, { root, folder, isTrusted, ...machine, signal });
    if (found.kind === "missing")
      return { name: server.name, status: "missing", detail: found.detail, remedy: found.remedy };
    const { limitation } = found.launch;
    const detail = limitation === undefined ? found.version : `${found.version}. ${limitation}`;
    return { name: server.name, status: "ok", detail };
  });
  const wrong = problems.map((problem): LanguageServerCheck => ({
    name: "settings",
    status: "missing",
    detail: problem,
    remedy: "Mend config.jsonc.",
  }));
  return [...(await Promise.all(checks)), ...wrong];
}
