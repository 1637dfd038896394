import { contextProxy } from "../context/context-proxy.js";
import type { ContextSource } from "../context/contribution.js";
import type { Proxy } from "../conductor/proxy.js";
import type { ReadProject } from "../project/project-settings.js";
import type { Environment } from "./environment.js";

/** The proxy that gives sessions their context; undefined where there is nothing to give. */
export function sessionContext(environment: Environment): Proxy | undefined {
  const sources = contextSources();
  return sources.length === 0 ? undefined : contextProxy({ sources, readProject: projectReader(environment) });
}

/** All that sessions get something from, in the order in which it is added. */
function contextSources(): readonly ContextSource[] {
  return [];
}

/** A project says nothing but whether its folder is trusted. */
function projectReader({ trust }: Environment): ReadProject {
  return async (cwd) => ({
    folder: cwd,
    isTrusted: await trust.isTrusted(cwd),
    servers: [],
    disabledServers: [],
    instructionFiles: [],
  });
}
