import { type ExtensionContext, window, workspace } from "vscode";
import type { AgentCommands } from "../features/agents/agent-commands.js";
import type { Catalogue } from "../features/agents/catalogue.js";
import type { CommandLine } from "../features/agents/command-line.js";
import type { SettingsSource } from "../features/settings/settings-source.js";
import { commandLine as newerCommand, type NewerVersions, UpdateNotice } from "../features/updates/update-notice.js";
import { extensionVersion } from "./extension-version.js";

/** The entry of the registry that is this product. */
const ownId = "symposium";

interface UpdateServicesOptions {
  readonly context: ExtensionContext;
  readonly source: SettingsSource;
  readonly catalogue: Catalogue;
  readonly commandLine: CommandLine;
  readonly agents: () => AgentCommands;
}

/** What is newer than the command, in one line, by the list that was fetched last. */
export async function findNewerCommand(options: UpdateServicesOptions): Promise<string | undefined> {
  const { context, source, catalogue, commandLine } = options;
  const listed = (await catalogue.agents()).find(({ id }) => id === ownId)?.version;
  const path = source.settings.acpAgentPath;
  const chosen = path === "" ? undefined : { path, text: await commandLine.run(["--version"]) };
  const own = extensionVersion(context);
  return newerCommand({
    own,
    ...(listed === undefined ? {} : { listed }),
    ...(chosen === undefined ? {} : { chosen }),
  });
}

/** The weekly look for newer versions, which follows the rule for the registry's list: the user has opened the view. */
export function weeklyNotice(options: UpdateServicesOptions): UpdateNotice {
  const { context, source, catalogue, agents } = options;
  return new UpdateNotice({
    isOn: () => source.settings.checkForUpdates && workspace.isTrusted,
    memory: context.globalState,
    now: () => Date.now(),
    newer: async (): Promise<NewerVersions> => {
      await catalogue.refresh(false);
      const outdated = await agents().outdated();
      const command = await findNewerCommand(options);
      // An old list tells nothing: the next time the view is opened will do.
      if (catalogue.problem !== undefined) throw new Error(catalogue.problem);
      return { outdated, ...(command === undefined ? {} : { command }) };
    },
    notify: (text, ...buttons) => window.showInformationMessage(text, ...buttons),
    update: (outdated) => agents().updateAll(outdated),
    turnOff: () => source.write("checkForUpdates", false),
  });
}
