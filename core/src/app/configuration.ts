import { SymposiumError } from "../base/symposium-error.js";
import { configFile, configFolder, readConfig, type ConfigState } from "../settings/node/config-file.js";
import type { Config } from "../settings/config.js";
import { formatProblem } from "../base/problem.js";
import { defaultExtensions, optInExtensions } from "../extensions/extension-names.js";
import { allInstalled } from "../agents/install/all-installed.js";

/** Where this user's config.jsonc is. */
export function userConfigFile(): string {
  return configFile(configFolder());
}

/** Reads a configuration as this user's: extensions that are installed may be named in it. */
export async function readConfiguration(file = userConfigFile()): Promise<ConfigState> {
  const installed = new Set((await allInstalled("extension")).map(({ id }) => id));
  return readConfig(file, defaultExtensions, { optIn: optInExtensions, isInstalled: (name) => installed.has(name) });
}

/**
 * Reads this user's configuration; warnings go to stderr, errors to the caller. For `to-install` every proxy counts as
 * installed, so that what has to be installed first is there, too.
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
 * This user's configuration, undefined where there is none. When the file is broken it rejects with `invalid-config`;
 * whoever needs nothing of it may go on as if there were none, after a warning on stderr.
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
  throw new SymposiumError("invalid-config", problems, "Mend the file, or run `symposium-acp-agent setup`.");
}

/** For whoever goes on without the file: what is wrong with it, and what that means. */
export function brokenConfigText({ file, problems }: Extract<ConfigState, { readonly state: "broken" }>): string {
  const lines = problems.map((problem) => formatProblem(problem, file));
  return [...lines, "Until it is mended, nothing in this file counts."].join("\n");
}
