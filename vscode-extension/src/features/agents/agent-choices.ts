import * as l10n from "@vscode/l10n";
import { messageOf, SymposiumError } from "@symposium-dev/core";
import type { AgentConfiguration } from "../../acp/agent-configuration.js";
import { isHosted } from "../../acp/user-config.js";
import type { Settings } from "../settings/settings-table.js";
import type { ListedAgent, MachineFacts } from "./catalogue.js";
import { chainWords, trustWords } from "./subcommand-runner.js";

export interface AgentOffer {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  readonly source: "built-in" | "registry" | "custom";
  /** Value for the command's `--agent`. */
  readonly spec: string;
  readonly toInstall?: string;
  readonly machine?: MachineFacts;
}

export function startsByItself({ source, toInstall }: AgentOffer): boolean {
  return source === "custom" && toInstall === undefined;
}

interface AgentChoicesOptions {
  readonly settings: () => Settings;
  /** Returns built-in agents and registry agents. If offline, the registry agents come from the cache. */
  readonly catalogue: () => Promise<readonly ListedAgent[]>;
  readonly failed?: (thrown: unknown) => void;
  readonly knownAgents?: () => Promise<readonly ListedAgent[]>;
  /** Returns the workspace folders. Agents start only after the user has trusted the workspace. */
  readonly trustedFolders: () => readonly string[];
}

/** Demo agent that answers without a model or a network. */
export const elizaId = "eliza";

const renamedAgents: Readonly<Record<string, string>> = { "zed-claude-code": "claude-code", elizacp: "eliza" };

export class AgentChoices {
  readonly #options: AgentChoicesOptions;
  readonly #levelChanges = new Map<string, number>();
  /** Reason why the last listing failed, so that only custom agents and Eliza are listed; undefined after a success. */
  listProblem: string | undefined;

  constructor(options: AgentChoicesOptions) {
    this.#options = options;
  }

  /** Returns custom agents and the command's agents in order of use, each id once. Never rejects: Eliza is always listed. */
  list(): Promise<readonly AgentOffer[]> {
    return this.#list(this.#options.catalogue());
  }

  /** Like `list`, without asking the registry. */
  listKnown(): Promise<readonly AgentOffer[]> {
    const { catalogue, knownAgents = catalogue } = this.#options;
    return this.#list(knownAgents());
  }

  async #list(catalogue: Promise<readonly ListedAgent[]>): Promise<readonly AgentOffer[]> {
    const offers = new Map<string, AgentOffer>();
    for (const { id, name, description, spec, source, needsInstallation } of this.#options.settings().agents) {
      const start = needsInstallation ? { spec: id, toInstall: spec } : { spec };
      offers.set(id, { id, name, source, ...start, ...(description === undefined ? {} : { description }) });
    }
    const listed = await this.#listed(catalogue);
    const eliza = {
      id: elizaId,
      name: "Eliza",
      description: l10n.t("Chats without a language model"),
      isBuiltIn: true,
    };
    for (const { isBuiltIn, ...agent } of [...listed, eliza]) {
      if (offers.has(agent.id)) continue;
      offers.set(agent.id, { ...agent, spec: agent.id, source: isBuiltIn ? "built-in" : "registry" });
    }
    return inOrderOfUse([...offers.values()]);
  }

  async #listed(catalogue: Promise<readonly ListedAgent[]>): Promise<readonly ListedAgent[]> {
    try {
      const listed = await catalogue;
      this.listProblem = undefined;
      return listed;
    } catch (thrown) {
      this.listProblem = messageOf(thrown);
      this.#options.failed?.(thrown);
      return [];
    }
  }

  /** Id of the current agent, from the setting `symposium.currentAgentId`; undefined before the user's first choice. */
  get currentId(): string | undefined {
    const id = this.#options.settings().currentAgentId;
    if (id === "") return undefined;
    return this.#options.settings().agents.some((agent) => agent.id === id) ? id : (renamedAgents[id] ?? id);
  }

  async currentAgent(): Promise<{ readonly id: string; readonly name: string }> {
    const id = this.currentId ?? elizaId;
    return (await this.listKnown()).find((agent) => agent.id === id) ?? { id, name: id };
  }

  /** Records that the guard.jsonc level of `spec` changed, so that the agent's next session gets a new process. */
  holdAnew(spec: string): void {
    this.#levelChanges.set(spec, (this.#levelChanges.get(spec) ?? 0) + 1);
  }

  /** Returns how an agent starts in a folder with the current settings. `alsoTrusted` are trusted folders outside the workspace. */
  async configurationFor(
    agentId: string | undefined,
    folder: string,
    alsoTrusted: readonly string[] = [],
  ): Promise<AgentConfiguration> {
    const id = agentId ?? this.currentId ?? elizaId;
    const offer = (await this.list()).find((agent) => agent.id === id);
    if (!offer) {
      throw new SymposiumError(
        "unknown-agent",
        l10n.t('There is no agent called "{0}".', id),
        l10n.t('Choose one with "Symposium: Select Agent", or define it in the setting symposium.agents.'),
      );
    }
    const levelChanges = this.#levelChanges.get(offer.spec);
    const settings = this.#options.settings();
    const { proxies, logging } = chainWords(settings);
    // Older commands don't know this option, so pass it only for a non-default value.
    const trusted = new Set([...this.#options.trustedFolders(), ...alsoTrusted]);
    const output = settings.commandOutput === "full" ? ["--command-output", "full"] : [];
    return {
      agentId: offer.id,
      agentName: offer.name,
      agent: offer.spec,
      proxies,
      folder,
      environment: {},
      extraArgs: [...trustWords([...trusted]), ...logging, ...output, ...settings.agentSpawnArgs],
      startupSeconds: settings.startupTimeout,
      ...(isHosted(settings.host) && { isHosted: true }),
      ...(levelChanges !== undefined && { levelChanges }),
      ...(Object.keys(settings.mcpServers).length > 0 && { mcpServers: settings.mcpServers }),
    };
  }
}

/**
 * Effort to use an agent. `here`: already on this machine. `install`: one click and a download. `demo`: none, but it has no model.
 * `elsewhere`: the user has to get it from its publisher.
 */
type AgentPlace = "here" | "install" | "demo" | "elsewhere";

const order: readonly AgentPlace[] = ["here", "install", "elsewhere", "demo"];

export const placeNames: Readonly<Record<AgentPlace, string>> = {
  here: l10n.t("On this machine"),
  install: l10n.t("Available to install"),
  elsewhere: l10n.t("From their publishers"),
  demo: l10n.t("Try without a model"),
};

/** Name of the demo in agent lists; the tab shows the agent's own name. */
export const demoName = l10n.t("Demo (no model)");

export function agentPlace({ id, source, machine }: Pick<AgentOffer, "id" | "source" | "machine">): AgentPlace {
  if (source === "custom" || machine?.program !== undefined || machine?.installed !== undefined) return "here";
  if (id === elizaId) return "demo";
  return machine?.missing === undefined ? "install" : "elsewhere";
}

function inOrderOfUse(offers: readonly AgentOffer[]): AgentOffer[] {
  return order.flatMap((place) => offers.filter((offer) => agentPlace(offer) === place));
}

/** Returns the version that would start or the download size; empty if neither is known. */
export function versionOrSize({ version, machine, ...offer }: AgentOffer): string {
  const { program, programVersion, installed, downloadMegabytes } = machine ?? {};
  switch (agentPlace({ ...offer, ...(machine && { machine }) })) {
    case "here":
      // An agent found on PATH is started from there, even if Symposium has also installed the agent.
      return (program === undefined ? installed : programVersion) ?? "";
    case "install":
      return downloadMegabytes === undefined ? (version ?? "") : l10n.t("about {0} MB", downloadMegabytes);
    case "demo":
    case "elsewhere":
      return "";
  }
}

export function agentState({ machine, description, ...offer }: AgentOffer): string {
  const { signIn, needs, missing } = machine ?? {};
  const place = agentPlace({ ...offer, ...(machine && { machine }) });
  if (place === "demo") return l10n.t("Eliza answers immediately, without a model or an account.");
  if (place === "elsewhere")
    return l10n.t('The program "{0}" isn\'t on PATH. Get it from its publisher.', missing ?? "");
  if (signIn !== undefined) return l10n.t("Seems signed in: {0}", signIn);
  if (needs !== undefined) return l10n.t("Needs {0}", needs);
  return description ?? "";
}
