import { parseComponentSpec } from "@symposium-dev/core";
import type { AgentChoice } from "../../../protocol/index.js";
import {
  type AgentChoices,
  type AgentOffer,
  agentPlace,
  agentState,
  demoName,
  elizaId,
  versionOrSize,
} from "../agents/agent-choices.js";
import type { CustomAgent } from "../settings/agents-setting.js";

/** Caches the last agent list, so that the view can show agents without waiting. */
export class OfferedAgents {
  #offers: readonly Offered[];
  #pictures: ReadonlyMap<string, string> = new Map();
  #isKnown = false;
  #isListed = false;

  constructor(
    private readonly agents: AgentChoices,
    /** Agents from the settings, known without running the command. */
    known: readonly Pick<CustomAgent, "id" | "name">[],
    private readonly changed: () => void,
    private readonly pictures: () => Promise<ReadonlyMap<string, string>> = () => Promise.resolve(new Map()),
  ) {
    const others = known.filter(({ id }) => id !== elizaId);
    const offers = others.map(({ id, name }): AgentOffer => ({ id, name, source: "custom", spec: id }));
    this.#offers = [...offers, { id: elizaId, name: "Eliza", source: "built-in" as const, spec: elizaId }].map(offered);
  }

  /** True once the list is complete. If the registry was reachable, the list includes its agents. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** True once the list includes this machine's agents. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  get problem(): string | undefined {
    return this.agents.listProblem;
  }

  /** Returns the agents to choose from, in order of use. Agents that need a manual installation are listed only if the user chose them. */
  get choices(): readonly AgentChoice[] {
    return this.#offers.flatMap(({ offer: { id }, choice }) => {
      const isCurrent = id === this.#currentId;
      const picture = this.#pictures.get(id);
      const { place, ...said } = choice;
      const rest = { ...said, ...(picture === undefined ? {} : { picture }) };
      return place === "elsewhere" && !isCurrent ? [] : [{ ...rest, place, isCurrent }];
    });
  }

  /** Returns an agent's id and name; default: the chosen agent, else `inUse`. Unknown agents are named by their id. */
  find(agentId?: string, inUse = elizaId): { readonly id: string; readonly name: string } {
    const id = agentId ?? this.agents.currentId ?? inUse;
    const name = this.#offers.find(({ offer }) => offer.id === id)?.offer.name;
    return { id, name: name ?? (id === elizaId ? "Eliza" : id) };
  }

  get chosenName(): string | undefined {
    return this.agents.currentId === undefined ? undefined : this.find().name;
  }

  keptName(agentId: string): string {
    const offer = this.#offers.find((one) => one.offer.id === agentId)?.offer;
    const component = parseComponentSpec(offer?.spec ?? agentId);
    return "name" in component ? component.name : agentId;
  }

  async findKept(name: string): Promise<{ readonly id: string; readonly name: string } | undefined> {
    const known = (): AgentOffer | undefined =>
      this.#offers.find(({ offer: { id } }) => this.keptName(id) === name)?.offer ??
      this.#offers.find(({ offer }) => offer.id === name || offer.name === name)?.offer;
    if (!known() && !this.#isListed) await this.refresh();
    const offer = known();
    return offer && this.find(offer.id);
  }

  /** Lists the agents again. Shows agents known without the registry first, because the registry may not answer. */
  async refresh(): Promise<void> {
    if (!this.#isListed) this.#show(await this.agents.listKnown());
    const offers = await this.agents.list();
    this.#isListed = true;
    this.#show(offers);
    // Without icons (older command or no network), the view shows a symbol or letter per agent.
    const pictures = await this.pictures().catch(() => undefined);
    if (pictures === undefined || pictures.size === 0) return;
    this.#pictures = pictures;
    this.changed();
  }

  /** Discards the list and lists the agents again, after more agents may have become available. */
  async lookAgain(): Promise<void> {
    this.#isKnown = false;
    this.#isListed = false;
    this.changed();
    await this.refresh();
  }

  #show(offers: readonly AgentOffer[]): void {
    this.#offers = offers.map(offered);
    this.#isKnown = true;
    this.changed();
  }

  get #currentId(): string {
    return this.agents.currentId ?? elizaId;
  }
}

interface Offered {
  readonly offer: AgentOffer;
  readonly choice: Omit<AgentChoice, "isCurrent" | "place"> & { readonly place: ReturnType<typeof agentPlace> };
}

function offered(offer: AgentOffer): Offered {
  const { id, name } = offer;
  const place = agentPlace(offer);
  const [description, detail] = [agentState(offer), versionOrSize(offer)];
  const choice = {
    id,
    name: place === "demo" ? demoName : name,
    place,
    ...(description === "" ? {} : { description }),
    ...(detail === "" ? {} : { detail }),
  };
  return { offer, choice };
}
