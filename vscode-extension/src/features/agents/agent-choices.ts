import { messageOf, SymposiumError } from "@symposium-dev/core";
import type { AgentConfiguration } from "../../acp/agent-configuration.js";
import type { Settings } from "../settings/settings-table.js";
import type { ListedAgent, MachineFacts } from "./catalogue.js";
import { chainWords, trustWords } from "./command-line.js";

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

/** Whether an agent is a command of the user's own, for which nothing is installed. */
export function startsByItself({ source, toInstall }: AgentOffer): boolean {
  return source === "custom" && toInstall === undefined;
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
  readonly #levelChanges = new Map<string, number>();
  /** Why there was no list at the last look, and so only the user's own agents and Eliza are known; undefined where there was. */
  listProblem: string | undefined;

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
    const listed = await this.#listed(catalogue);
    const eliza = { id: elizaId, name: "Eliza", description: "Talks without a language model", isBuiltIn: true };
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

  /** The id that `symposium.currentAgentId` means, or undefined where the user has not chosen. */
  get currentId(): string | undefined {
    const id = this.#options.settings().currentAgentId;
    if (id === "") return undefined;
    return this.#options.settings().agents.some((agent) => agent.id === id) ? id : (renamedAgents[id] ?? id);
  }

  /** The agent of new tabs. */
  async currentAgent(): Promise<{ readonly id: string; readonly name: string }> {
    const id = this.currentId ?? elizaId;
    return (await this.listKnown()).find((agent) => agent.id === id) ?? { id, name: id };
  }

  /** What guard.jsonc says of the agent that `spec` starts is another thing now: its next session gets a process that knows. */
  holdAnew(spec: string): void {
    this.#levelChanges.set(spec, (this.#levelChanges.get(spec) ?? 0) + 1);
  }

  /**
   * How an agent starts in a folder, with the extensions and the logging that the settings say now. `alsoTrusted` are folders
   * that it is vouched for besides those of the workspace.
   */
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
        `There is no agent called "${id}".`,
        'Choose one with "Symposium: Select Agent", or describe it in the setting symposium.agents.',
      );
    }
    const levelChanges = this.#levelChanges.get(offer.spec);
    const settings = this.#options.settings();
    const { proxies, logging } = chainWords(settings);
    // An older command of the user's own knows no such option: it gets it only where somebody wants the other.
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
      ...(levelChanges !== undefined && { levelChanges }),
      ...(Object.keys(settings.mcpServers).length > 0 && { mcpServers: settings.mcpServers }),
    };
  }
}

/**
 * What choosing an agent takes. `here`: it is on this machine; `install`: one click and a download; `demo`: nothing, and
 * no model answers; `elsewhere`: the user has to get it from its maker first.
 */
type AgentPlace = "here" | "install" | "demo" | "elsewhere";

const order: readonly AgentPlace[] = ["here", "install", "elsewhere", "demo"];

/** The headings of lists of agents. */
export const placeNames: Readonly<Record<AgentPlace, string>> = {
  here: "On this machine",
  install: "Available to install",
  elsewhere: "From their makers",
  demo: "Try without a model",
};

/** What the demonstration is called where agents are chosen; the tab has the agent's own name. */
export const demoName = "Demo (no model)";

export function agentPlace({ id, source, machine }: Pick<AgentOffer, "id" | "source" | "machine">): AgentPlace {
  if (source === "custom" || machine?.program !== undefined || machine?.installed !== undefined) return "here";
  if (id === elizaId) return "demo";
  return machine?.missing === undefined ? "install" : "elsewhere";
}

/** What can be used at once first, then what has to be installed, the demonstration last; else the order stays. */
function inOrderOfUse(offers: readonly AgentOffer[]): AgentOffer[] {
  return order.flatMap((place) => offers.filter((offer) => agentPlace(offer) === place));
}

/** The version that would start, or how much would be downloaded; empty where neither is known. */
export function versionOrSize({ version, machine, ...offer }: AgentOffer): string {
  const { program, programVersion, installed, downloadMegabytes } = machine ?? {};
  switch (agentPlace({ ...offer, ...(machine && { machine }) })) {
    case "here":
      // A program on PATH is preferred to what was installed.
      return (program === undefined ? installed : programVersion) ?? "";
    case "install":
      return downloadMegabytes === undefined ? (version ?? "") : `about ${downloadMegabytes} MB`;
    case "demo":
    case "elsewhere":
      return "";
  }
}

/** One phrase for people: whether the user seems to be signed in, or what the agent needs, or what it is. */
export function agentState({ machine, description, ...offer }: AgentOffer): string {
  const { signIn, needs, missing } = machine ?? {};
  const place = agentPlace({ ...offer, ...(machine && { machine }) });
  if (place === "demo") return "Eliza answers at once, without a model or an account";
  if (place === "elsewhere") return `The program "${missing ?? ""}" is not on PATH: get it from its maker`;
  if (signIn !== undefined) return `Seems signed in: ${signIn}`;
  if (needs !== undefined) return `Needs ${needs}`;
  return description ?? "";
}
