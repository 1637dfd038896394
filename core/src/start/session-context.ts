import { contextProxy } from "../context/context-proxy.js";
import type { AgentComponent } from "../conductor/component.js";
import type { Proxy } from "../conductor/proxy.js";
import { besideUsers } from "../project/merged-project.js";
import type { ReadProject } from "../project/project-settings.js";
import { fileSources } from "./file-sources.js";
import type { Environment } from "./environment.js";
import { userServers } from "./user-servers.js";
import type { GivenServers } from "./given-servers.js";

/** The proxy that gives sessions their context; undefined where there is nothing to give. */
export function sessionContext(
  environment: Environment,
  given: GivenServers,
  agent: AgentComponent,
): Proxy | undefined {
  const configured = (): ReturnType<typeof userServers> =>
    userServers((problem) => environment.logger.warn("config.jsonc", { problem }));
  const sources = [environment.servers.forChain(given, configured), ...fileSources(agent)];
  return sources.length === 0 ? undefined : contextProxy({ sources, readProject: projectReader(environment) });
}

/** What counts of a project. None of its servers takes the place of one of the user's. */
function projectReader({ projects }: Environment): ReadProject {
  return async (cwd) => {
    const settings = await projects.files.read(cwd);
    if (settings.servers.length === 0) return settings;
    const own = await userServers(() => undefined);
    const names = own.map(({ name }) => name);
    return { ...settings, servers: besideUsers(settings.servers, names) };
  };
}
