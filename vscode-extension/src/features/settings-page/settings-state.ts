import * as l10n from "@vscode/l10n";
import type { AgentEntry, ExtensionEntry, RecommendationEntry, SettingsState } from "../../../protocol/index.js";
import { componentKey, type Work } from "../agents/installer.js";
import type { AgentOffer } from "../agents/agent-choices.js";
import type { ListedAgent } from "../agents/catalogue.js";
import { type ComponentKind, type InstalledComponent, isNewer } from "../agents/installations.js";
import { builtInExtensions, type ChainExtension } from "../settings/extensions-setting.js";
import type { SettingProblem } from "../settings/setting.js";
import { type Settings, settingsTable } from "../settings/settings-table.js";

interface SettingsFacts {
  readonly settings: Settings;
  readonly problems: readonly SettingProblem[];
  readonly offers: readonly AgentOffer[];
  readonly currentAgentId: string | undefined;
  readonly bypassed: (agentId: string) => boolean;
  readonly installed: readonly InstalledComponent[];
  readonly listedExtensions: readonly ListedAgent[];
  readonly recommendations: readonly RecommendationEntry[];
  /** Running jobs, by `KIND ID` of the component. */
  readonly work: ReadonlyMap<string, Work>;
  /** Last error of each component, by `KIND ID`. */
  readonly failures: ReadonlyMap<string, string>;
  readonly isTrusted: boolean;
  readonly isLoading: boolean;
  readonly registryProblem: string | undefined;
}

const switches = ["requireModifierToSend", "notifyWhenUnfocused", "reviewChanges", "enableExperimentalLM"] as const;

const switchLabels: Readonly<Record<(typeof switches)[number], string>> = {
  requireModifierToSend: l10n.t("Ctrl+Enter sends"),
  notifyWhenUnfocused: l10n.t("Notify in the background"),
  reviewChanges: l10n.t("Review changes in files"),
  enableExperimentalLM: l10n.t("Agents as language models (experimental)"),
};

export function settingsState(facts: SettingsFacts): SettingsState {
  const { settings, problems, offers, recommendations, isTrusted, isLoading, registryProblem } = facts;
  return {
    agents: offers.map((offer) => agentEntry(offer, facts)),
    extensions: settings.extensions.map((extension) => extensionEntry(extension, facts)),
    recommendations: [...recommendations],
    switches: switches.map((key) => ({
      key,
      label: switchLabels[key],
      description: settingsTable[key].contribution.markdownDescription,
      value: settings[key],
    })),
    problems: problems.map((problem) => ({ ...problem })),
    isTrusted,
    isLoading,
    ...(registryProblem === undefined ? {} : { registryProblem }),
  };
}

function agentEntry({ id, name, description, version, source, machine }: AgentOffer, facts: SettingsFacts): AgentEntry {
  const installed = facts.installed.find((component) => component.kind === "agent" && component.id === id);
  // An agent on PATH is started from there even if Symposium has also installed it. It then updates itself.
  const isOnPath = machine?.program !== undefined;
  const shown = isOnPath ? machine.programVersion : (installed?.version ?? version);
  const hasNewer = !isOnPath && installed && version !== undefined && isNewer(version, installed.version);
  return {
    id,
    name,
    source,
    ...(description === undefined ? {} : { description }),
    ...(shown === undefined ? {} : { version: shown }),
    ...(hasNewer ? { newerVersion: version } : {}),
    ...(installed?.previous === undefined ? {} : { previousVersion: installed.previous }),
    isInstalled: installed !== undefined,
    isPinned: installed?.pinned !== undefined,
    isCurrent: id === facts.currentAgentId,
    bypassPermissions: facts.bypassed(id),
    ...stateOf("agent", id, facts),
  };
}

function extensionEntry({ id, name, isEnabled, source }: ChainExtension, facts: SettingsFacts): ExtensionEntry {
  const installed = facts.installed.find((component) => component.kind === "extension" && component.id === id);
  const listed = facts.listedExtensions.find((extension) => extension.id === id);
  const hasNewer = installed && listed?.version !== undefined && isNewer(listed.version, installed.version);
  const description = builtInExtensions.find((extension) => extension.id === id)?.description ?? listed?.description;
  return {
    id,
    name: name === id ? (listed?.name ?? name) : name,
    source,
    isEnabled,
    ...(description === undefined ? {} : { description }),
    ...(installed === undefined ? {} : { version: installed.version }),
    ...(hasNewer ? { newerVersion: listed.version } : {}),
    ...stateOf("extension", id, facts),
  };
}

function stateOf(
  kind: ComponentKind,
  id: string,
  { work, failures }: SettingsFacts,
): { problem?: string; progress?: { label: string; percent?: number } } {
  const key = componentKey(kind, id);
  const running = work.get(key);
  if (running) return { progress: { ...running } };
  const problem = failures.get(key);
  return problem === undefined ? {} : { problem };
}
