import { contextProxy } from "../context/context-proxy.js";
import { contextSourcesOf } from "../context/contributing-proxy.js";
import type { AgentComponent, ProxyComponent } from "../conductor/chain/component.js";
import type { Proxy } from "../conductor/chain/proxy.js";
import type { ReadProject } from "../settings/project/project-settings.js";
import { continuedConversation } from "./continued-conversation.js";
import { contextSettings, fileSources } from "./file-sources.js";
import type { Environment } from "./environment.js";
import type { UserServer } from "../settings/user-server.js";
import type { EditorAndProxyServers } from "../context/servers/editor-and-proxy-servers.js";

interface ChainContext {
  /** Agent of the chain; undefined in proxy mode. */
  readonly agent: AgentComponent | undefined;
  readonly given: EditorAndProxyServers;
  readonly proxies: readonly ProxyComponent[];
  /** Whether sessions get the user's servers, rules, skills and commands, in addition to the proxies' context. */
  readonly hasFiles: boolean;
}

export function sessionContext(
  environment: Environment,
  { agent, given, proxies, hasFiles }: ChainContext,
): Proxy | undefined {
  const configured = (): Promise<readonly UserServer[]> =>
    ownServers((problem) => environment.logger.warn("config.jsonc", { problem }));
  const users =
    agent && hasFiles
      ? [
          environment.servers.forChain(given, configured),
          ...fileSources(agent, environment.logger),
          continuedConversation(environment.conversations),
        ]
      : [];
  const sources = [...users, ...contextSourcesOf(proxies)];
  return sources.length === 0 ? undefined : contextProxy({ sources, readProject: projectReader(environment) });
}

/** Reads the project's approved settings, without parts that the user has disabled. The project's servers never replace the user's. */
function projectReader({ projects }: Environment): ReadProject {
  return async (cwd) => {
    const [project, { exclude }] = await Promise.all([
      projects.files().then((files) => files.read(cwd)),
      contextSettings(),
    ]);
    if (project.servers.length === 0 && exclude.length === 0) return project;
    const [{ besideUsers }, { excludedServers, excludedTools }] = await Promise.all([
      import("../settings/project/merged-project.js"),
      import("../settings/excluded.js"),
    ]);
    const names = (await ownServers(() => undefined)).map(({ name }) => name);
    const off = excludedServers(exclude);
    return {
      ...project,
      servers: besideUsers(project.servers, names).filter(({ name }) => !off.includes(name)),
      disabledServers: [...project.disabledServers, ...off],
      disabledTools: [...project.disabledTools, ...excludedTools(exclude)],
    };
  };
}

/** Loads the user's servers. Imports the implementation with the first session. */
async function ownServers(report: (problem: string) => void): Promise<readonly UserServer[]> {
  const { userServers } = await import("../context/servers/node/servers-in-config.js");
  return userServers(report);
}
