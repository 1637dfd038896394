import { SymposiumError } from "../../../base/symposium-error.js";
import { configFile, configFolder, lockConfig, readConfig, writeConfig } from "../../../settings/node/config-file.js";
import { formatProblem } from "../../../base/problem.js";
import type { UserServer } from "../../../settings/user-server.js";

/** Skips proxy names, since validating them would load the proxies' code. */
const noProxies: readonly string[] = [];

function ownConfigFile(): string {
  return configFile(configFolder());
}

/**
 * Reads the MCP servers from the user's current config.jsonc, including disabled ones. Never rejects: a broken file has no servers and its
 * problems go to `report`.
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
 * Edits the user's config.jsonc under a lock and resolves to its path. `change` gets the text, empty if the file is missing, and returns
 * the new text. Rejects with `invalid-config` if the file is broken, or with the error of `change`; then writes nothing.
 */
export async function editUserServers(
  change: (text: string, file: string, servers: readonly UserServer[]) => string | Promise<string>,
  file = ownConfigFile(),
): Promise<string> {
  await using _lock = await lockConfig(file);
  const state = await readConfig(file, noProxies);
  if (state.state === "broken") {
    const problems = state.problems.map((problem) => formatProblem(problem, state.file)).join("\n");
    throw new SymposiumError("invalid-config", problems, "Fix the file; nothing was changed.");
  }
  const [text, servers] = state.state === "ok" ? [state.text, state.config.servers] : ["", []];
  const changed = await change(text, file, servers);
  if (changed !== text) await writeConfig(file, changed);
  return file;
}
