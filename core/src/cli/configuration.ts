import { homedir } from "node:os";
import { configFile, configFolder, readConfig, type ConfigState } from "../node/config-file.js";
import { formatProblem } from "../settings/problem.js";
import { builtInProxies } from "./built-in-proxies.js";

/** Names of the built-in proxies. */
export const builtInNames: readonly string[] = builtInProxies.map(({ name }) => name);

/** Where this user's config.jsonc is. */
export function userConfigFile(): string {
  return configFile(configFolder(process.env, homedir()));
}

/** Reads this user's configuration; warnings go to stderr, errors to the caller. */
export async function readUserConfig(): Promise<ConfigState> {
  const state = await readConfig(userConfigFile(), builtInNames);
  if (state.state === "ok") {
    for (const problem of state.problems) process.stderr.write(`${formatProblem(problem, state.file)}\n`);
  }
  return state;
}
