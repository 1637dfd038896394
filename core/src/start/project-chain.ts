import { allInstalled } from "../install/install-place.js";
import type { ConfigState } from "../node/config-file.js";
import { mergedProxies, type ProjectChain } from "../project/project-settings.js";
import { builtInNames, optInNames } from "./configuration.js";
import type { Environment } from "./environment.js";

/**
 * The user's configuration with what the project of this process's folder says of the chain, as far as that was allowed:
 * its agent in place of the user's, its proxies after theirs. Whoever has no configuration is asked for one first.
 */
export async function withProjectChain(state: ConfigState, environment: Environment): Promise<ConfigState> {
  if (state.state !== "ok") return state;
  const chain = await (await environment.projects.files()).chain(process.cwd());
  const { config } = state;
  const project = { ...chain, proxies: await knownProxies(chain.proxies, environment) };
  const agent = project.agent ?? config.agent;
  for (const { name, required } of config.proxies) {
    if (!project.disabledProxies.includes(name)) continue;
    if (required) environment.logger.warn("the project cannot switch off a required proxy", { name });
    else environment.logger.info("the project switches a proxy off, as you have allowed", { name });
  }
  return { ...state, config: { ...config, ...(agent && { agent }), proxies: mergedProxies(config.proxies, project) } };
}

/** A name alone stands for what is built in or installed; one that is neither is left out, and said. */
async function knownProxies(
  proxies: ProjectChain["proxies"],
  { logger }: Environment,
): Promise<ProjectChain["proxies"]> {
  if (proxies.length === 0) return proxies;
  const installed = (await allInstalled("extension")).map(({ id }) => id);
  const names = new Set([...builtInNames, ...optInNames, ...installed]);
  return proxies.filter(({ name, distribution }) => {
    const isKnown = distribution !== undefined || names.has(name);
    if (!isKnown) logger.warn("a proxy of the project is neither built in nor installed, and left out", { name });
    return isKnown;
  });
}
