import { SymposiumError } from "@symposium-dev/core";
import type { AgentConfiguration } from "../../acp/agent-configuration.js";
import type { Settings } from "../settings/settings-table.js";
import { inOrderOfUse } from "./agent-place.js";
import type { ListedAgent, MachineFacts } from "./catalogue.js";
import { chainWords, trustWords } from "./chain-words.js";

/** An agent that a tab can be opened with. */
export interface AgentOffer {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  readonly source: "built-in" | "registry" | "custom";
  /** What the command's `--agent` takes. */
  readonly spec: string;
  /** What the command has to install first; it then starts by its id. */
  readonly toInstall?: string;
  readonly machine?: MachineFacts;
}

interface AgentChoicesOptions {
  /** The settings as they are at each call. */
  readonly settings: () => Settings;
  /** Agents that the command knows: built-in ones and the registry's, from its cache where there is no network. */
  readonly catalogue: () => Promise<readonly ListedAgent[]>;
  /** Why the catalogue could not be had. */
  readonly failed?: (thrown: unknown) => void;
  /** Those of them that are known without asking the registry; default: all. */
  readonly knownAgents?: () => Promise<readonly ListedAgent[]>;
  /** The folders of the workspace, which the user trusts where agents start at all. */
  readonly trustedFolders: () => readonly string[];
}

/** The agent that answers without a model or a network, for a first look. */
export const elizaId = "eliza";

/** Names in earlier versions' settings, and what they are called now. */
const renamedAgents: Readonly<Record<string, string>> = { "zed-claude-code": "claude-code", elizacp: "eliza" };

/** Which agents there are, and how the one of a tab starts. */
export class AgentChoices {
  readonly #options: AgentChoicesOptions;

  constructor(options: AgentChoicesOptions) {
    this.#options = options;
  }

  /** The user's own agents and the command's, in the order of use, each id once. Never fails: Eliza is always left. */
  list(): Promise<readonly AgentOffer[]> {
    return this.#list(this.#options.catalogue());
  }

  /** The same without asking the registry. */
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
    const listed = await catalogue.catch((thrown: unknown) => {
      this.#options.failed?.(thrown);
      return [];
    });
    const eliza = { id: elizaId, name: "Eliza", description: "Talks without a language model", isBuiltIn: true };
    for (const { isBuiltIn, ...agent } of [...listed, eliza]) {
      if (offers.has(agent.id)) continue;
      offers.set(agent.id, { ...agent, spec: agent.id, source: isBuiltIn ? "built-in" : "registry" });
    }
    return inOrderOfUse([...offers.values()]);
  }

  /** The id that `symposium.currentAgentId` means, or undefined where the user has not chosen. */
  get currentId(): string | undefined {
    const id = this.#options.settings().currentAgentId;
    if (id === "") return undefined;
    return this.#options.settings().agents.some((agent) => agent.id === id) ? id : (renamedAgents[id] ?? id);
  }

  /** How an agent starts in a folder, with the extensions and the logging that the settings say now. */
  async configurationFor(agentId: string | undefined, folder: string): Promise<AgentConfiguration> {
    const id = agentId ?? this.currentId ?? elizaId;
    const offer = (await this.list()).find((agent) => agent.id === id);
    if (!offer) {
      throw new SymposiumError(
        "unknown-agent",
        `There is no agent called "${id}".`,
        'Choose one with "Symposium: Select Agent", or describe it in the setting symposium.agents.',
      );
    }
    const settings = this.#options.settings();
    const { proxies, logging } = chainWords(settings);
    return {
      agentId: offer.id,
      agentName: offer.name,
      agent: offer.spec,
      proxies,
      folder,
      environment: {},
      extraArgs: [...trustWords(this.#options.trustedFolders()), ...logging, ...settings.agentSpawnArgs],
      startupSeconds: settings.startupTimeout,
    };
  }
}
