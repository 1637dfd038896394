import { homedir } from "node:os";
import type { Logger } from "../base/logger.js";
import type { AgentComponent } from "../conductor/chain/component.js";
import type { ContextSource } from "../context/contribution.js";
import type { SourceServices } from "../context/node/rules-source.js";
import type { PackageSkillFolder } from "../context/node/places.js";
import type { CountedItem } from "../context/node/context-items.js";
import type { ContextSettings } from "../settings/context-settings.js";
import type { AgentRow } from "../agents/registry/agent-table.js";
import { defaultExtensions } from "../extensions/extension-names.js";
import type { Environment } from "./environment.js";

/**
 * Context for sessions from files of the project and the user. Empty for in-process agents, which have no model. Imports the implementation
 * with the first session.
 */
export function fileSources({ kind }: AgentComponent, logger: Logger): readonly ContextSource[] {
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
export async function contextSettings(): Promise<ContextSettings> {
  const [{ readConfig }, { userConfigFile }, { defaultContextSettings }] = await Promise.all([
    import("../settings/node/config-file.js"),
    import("./configuration.js"),
    import("../settings/context-settings.js"),
  ]);
  const state = await readConfig(userConfigFile(), defaultExtensions);
  return state.state === "ok" ? state.config.settings.context : defaultContextSettings;
}
