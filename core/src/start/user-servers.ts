import { builtInNames, userConfigFile } from "./configuration.js";
import { readConfig } from "../node/config-file.js";
import { formatProblem } from "../settings/problem.js";
import type { UserServer } from "../settings/user-server.js";

/**
 * The MCP servers in this user's config.jsonc as it is now, disabled ones included. Never rejects: a file that is broken
 * has none, and `report` hears why.
 */
export async function userServers(
  report: (problem: string) => void,
  file = userConfigFile(),
): Promise<readonly UserServer[]> {
  const state = await readConfig(file, builtInNames);
  if (state.state === "ok") return state.config.servers;
  if (state.state === "broken") for (const problem of state.problems) report(formatProblem(problem, state.file));
  return [];
}
