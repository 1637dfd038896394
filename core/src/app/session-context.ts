import { homedir } from "node:os";
import { contextProxy } from "../context/context-proxy.js";
import { contextSourcesOf } from "../context/contributing-proxy.js";
import type { AgentComponent, ProxyComponent } from "../conductor/chain/component.js";
import type { Proxy } from "../conductor/chain/proxy.js";
import type { ReadProject } from "../settings/project/project-settings.js";
import { continuedConversation } from "./continued-conversation.js";
import type { Environment } from "./environment.js";
import type { UserServer } from "../settings/user-server.js";
import type { EditorAndProxyServers } from "../context/servers/editor-and-proxy-servers.js";
import type { Logger } from "../base/logger.js";
import type { ContextSource } from "../context/contribution.js";
import type { SourceServices } from "../context/node/rules-source.js";
import type { PackageSkillFolder } from "../context/node/places.js";
import type { CountedItem } from "../context/node/context-items.js";
import type { ContextSettings } from "../settings/context-settings.js";
import type { AgentRow } from "../agents/registry/agent-table.js";
import { defaultExtensions } from "../extensions/extension-names.js";

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
      import("../settings/context-exclusions.js"),
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

/**
 * Context for sessions from files of the project and the user. Empty for in-process agents, which have no model. Imports the implementation
 * with the first session.
 */
function fileSources({ kind }: AgentComponent, logger: Logger): readonly ContextSource[] {
  if (kind === "agent") return [];
  const services: SourceServices = { home: homedir(), env: process.env, settings: contextSettings };
  return [
    loadedLater("rules", async () => (await import("../context/node/rules-source.js")).rulesSource(services)),
    loadedLater("skills", async () =>
      (await import("../context/node/skills-source.js")).skillsSource({ ...services, logger, packageSkills }),
    ),
    loadedLater("commands", async () => (await import("../context/node/commands-source.js")).commandsSource(services)),
  ];
}

function loadedLater(name: string, load: () => Promise<ContextSource>): ContextSource {
  let loading: Promise<ContextSource> | undefined;
  return {
    name,
    async open(session) {
      loading ??= load();
      return (await loading).open(session);
    },
  };
}

/**
 * Lists every rules file, skill and command in `folder` (absolute) and the user's home, including those not sent. `row` is the agent's
 * table row; undefined for unknown agents.
 */
export async function fileContextItems(
  folder: string,
  row: AgentRow | undefined,
  { projects }: Pick<Environment, "projects">,
): Promise<readonly CountedItem[]> {
  const { contextItems } = await import("../context/node/context-items.js");
  const files = await projects.files();
  const [settings, project, ofPackages] = await Promise.all([
    contextSettings(),
    files.read(folder),
    packageSkills(folder),
  ]);
  const places = {
    roots: [folder],
    home: homedir(),
    env: process.env,
    instructionFiles: project.instructionFiles,
    skillFolders: project.skillFolders,
    packageSkills: ofPackages,
  };
  return contextItems(places, row, { settings, isTrusted: project.isTrusted });
}

/** Loads the package skills that the user has allowed. Imports the implementation with the first session. Never rejects. */
async function packageSkills(folder: string): Promise<readonly PackageSkillFolder[]> {
  const [{ allowedPackageSkills, SkillAnswers }, { TrustFile }] = await Promise.all([
    import("../agents/recommendations/node/allowed-skills.js"),
    import("../settings/trust/node/trust-file.js"),
  ]);
  return allowedPackageSkills(folder, process.env, new SkillAnswers(new TrustFile()));
}

/** Reads the current config.jsonc, so that changes apply from the next session. */
async function contextSettings(): Promise<ContextSettings> {
  const [{ readConfig }, { userConfigFile }, { defaultContextSettings }] = await Promise.all([
    import("../settings/node/config-file.js"),
    import("./read-user-config.js"),
    import("../settings/context-settings.js"),
  ]);
  const state = await readConfig(userConfigFile(), defaultExtensions);
  return state.state === "ok" ? state.config.settings.context : defaultContextSettings;
}
