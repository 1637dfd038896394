import { SymposiumError } from "../../../base/symposium-error.js";
import { configFile, configFolder, lockConfig, readConfig, writeConfig } from "../../../settings/node/config-file.js";
import { formatProblem } from "../../../base/problem.js";
import type { UserServer } from "../../../settings/user-server.js";

/** Servers need no names of proxies, which would bring the proxies' code with them. */
const noProxies: readonly string[] = [];

function ownConfigFile(): string {
  return configFile(configFolder());
}

/**
 * The MCP servers in this user's config.jsonc as it is now, disabled ones included. Never rejects: a file that is broken
 * has none, and `report` hears why.
 */
export async function userServers(
  report: (problem: string) => void,
  file = ownConfigFile(),
): Promise<readonly UserServer[]> {
  const state = await readConfig(file, noProxies);
  if (state.state === "ok") return state.config.servers;
  if (state.state === "broken") for (const problem of state.problems) report(formatProblem(problem, state.file));
  return [];
}

/**
 * Writes what `change` makes of the text of this user's config.jsonc, which has an empty one where there is none, and
 * resolves to the file. Nobody else writes it meanwhile. Rejects with `invalid-config` when the file is broken, and with
 * what `change` throws; nothing is written then.
 */
export async function editUserServers(
  change: (text: string, file: string, servers: readonly UserServer[]) => string,
  file = ownConfigFile(),
): Promise<string> {
  await using _lock = await lockConfig(file);
  const state = await readConfig(file, noProxies);
  if (state.state === "broken") {
    const problems = state.problems.map((problem) => formatProblem(problem, state.file)).join("\n");
    throw new SymposiumError("invalid-config", problems, "Mend the file; nothing was changed.");
  }
  const [text, servers] = state.state === "ok" ? [state.text, state.config.servers] : ["", []];
  const changed = change(text, file, servers);
  if (changed !== text) await writeConfig(file, changed);
  return file;
}
