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

/** The agents as the view offers them: what was listed last, at hand without waiting. */
export class OfferedAgents {
  #offers: readonly Offered[];
  #pictures: ReadonlyMap<string, string> = new Map();
  #isKnown = false;
  #isListed = false;

  constructor(
    private readonly agents: AgentChoices,
    /** The agents that are known without asking anybody: those of the settings. */
    known: readonly Pick<CustomAgent, "id" | "name">[],
    /** The list is another one now. */
    private readonly changed: () => void,
    /** Icons of the registry, as data: URIs by id. */
    private readonly pictures: () => Promise<ReadonlyMap<string, string>> = () => Promise.resolve(new Map()),
  ) {
    const others = known.filter(({ id }) => id !== elizaId);
    const offers = others.map(({ id, name }): AgentOffer => ({ id, name, source: "custom", spec: id }));
    this.#offers = [...offers, { id: elizaId, name: "Eliza", source: "built-in" as const, spec: elizaId }].map(offered);
  }

  /** Whether the list is whole: the registry's agents are in it, where it could be asked. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** Whether the agents of this machine are in the list. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Why the agents of this machine are not in the list, where it cannot be had. */
  get problem(): string | undefined {
    return this.agents.listProblem;
  }

  /** What can be chosen, in the order of use; an agent that the user has to get elsewhere only where they chose it. */
  get choices(): readonly AgentChoice[] {
    return this.#offers.flatMap(({ offer: { id }, choice }) => {
      const isCurrent = id === this.#currentId;
      const picture = this.#pictures.get(id);
      const { place, ...said } = choice;
      const rest = { ...said, ...(picture === undefined ? {} : { picture }) };
      return place === "elsewhere" && !isCurrent ? [] : [{ ...rest, place, isCurrent }];
    });
  }

  /** Id and name of an agent; without an id the chosen one, else the one in use. An unknown id is its own name. */
  find(agentId?: string, inUse = elizaId): { readonly id: string; readonly name: string } {
    const id = agentId ?? this.agents.currentId ?? inUse;
    const name = this.#offers.find(({ offer }) => offer.id === id)?.offer.name;
    return { id, name: name ?? (id === elizaId ? "Eliza" : id) };
  }

  /** The name of the agent that the user has chosen for new tabs; undefined where none is. */
  get chosenName(): string | undefined {
    return this.agents.currentId === undefined ? undefined : this.find().name;
  }

  /** The name under which conversations with an agent are kept. */
  keptName(agentId: string): string {
    const offer = this.#offers.find((one) => one.offer.id === agentId)?.offer;
    const component = parseComponentSpec(offer?.spec ?? agentId);
    return "name" in component ? component.name : agentId;
  }

  /** The agent with which conversations are kept under a name. */
  async findKept(name: string): Promise<{ readonly id: string; readonly name: string } | undefined> {
    const known = (): AgentOffer | undefined =>
      this.#offers.find(({ offer: { id } }) => this.keptName(id) === name)?.offer ??
      this.#offers.find(({ offer }) => offer.id === name || offer.name === name)?.offer;
    if (!known() && !this.#isListed) await this.refresh();
    const offer = known();
    return offer && this.find(offer.id);
  }

  /** Lists the agents anew: at first those that are known without the registry, since it may not answer. */
  async refresh(): Promise<void> {
    if (!this.#isListed) this.#show(await this.agents.listKnown());
    const offers = await this.agents.list();
    this.#isListed = true;
    this.#show(offers);
    // An older command, or one that cannot reach them: each agent has a sign or its letter.
    const pictures = await this.pictures().catch(() => undefined);
    if (pictures === undefined || pictures.size === 0) return;
    this.#pictures = pictures;
    this.changed();
  }

  /** Something can be listed now that could not before: what is known by now counts for nothing. */
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

/** An agent, and what of it is the same until it is listed again. */
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
