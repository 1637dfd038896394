import { SymposiumError } from "../base/symposium-error.js";
import { configFile, configFolder, readConfig, type ConfigState } from "../settings/node/config-file.js";
import type { Config } from "../settings/config.js";
import { formatProblem } from "../base/problem.js";
import { defaultExtensions, optInExtensions } from "../extensions/extension-names.js";
import { allInstalled } from "../agents/install/all-installed.js";

export function userConfigFile(): string {
  return configFile(configFolder());
}

export async function readConfiguration(file = userConfigFile()): Promise<ConfigState> {
  const installed = new Set((await allInstalled("extension")).map(({ id }) => id));
  return readConfig(file, defaultExtensions, { optIn: optInExtensions, isInstalled: (name) => installed.has(name) });
}

/**
 * Reads the user's configuration. Prints warnings to stderr and returns errors. With `to-install`, treats all proxies as installed, so
 * that the result includes proxies to be installed.
 */
export async function readUserConfig(purpose: "to-start" | "to-install" = "to-start"): Promise<ConfigState> {
  const state =
    purpose === "to-start"
      ? await readConfiguration()
      : await readConfig(userConfigFile(), defaultExtensions, { optIn: optInExtensions, isInstalled: () => true });
  if (state.state === "ok") {
    for (const problem of state.problems) process.stderr.write(`${formatProblem(problem, state.file)}\n`);
  }
  return state;
}

/**
 * Reads the user's configuration; undefined if the file doesn't exist. If the file is broken, rejects with `invalid-config`, or with
 * `go-on` prints a warning and returns undefined.
 */
export async function readSoundConfig(whenBroken: "reject" | "go-on" = "reject"): Promise<Config | undefined> {
  const state = await readUserConfig();
  if (state.state === "ok") return state.config;
  if (state.state === "absent") return undefined;
  if (whenBroken === "go-on") {
    process.stderr.write(`${brokenConfigText(state)}\n`);
    return undefined;
  }
  const problems = state.problems.map((problem) => formatProblem(problem, state.file)).join("\n");
  throw new SymposiumError("invalid-config", problems, "Fix the file, or run `symposium-acp-agent setup`.");
}

/** Describes a broken configuration and the consequence for callers that continue without it. */
export function brokenConfigText({ file, problems }: Extract<ConfigState, { readonly state: "broken" }>): string {
  const lines = problems.map((problem) => formatProblem(problem, file));
  return [...lines, "Until you fix it, Symposium ignores everything in this file."].join("\n");
}
