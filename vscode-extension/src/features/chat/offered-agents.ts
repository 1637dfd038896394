import type { AgentChoice } from "../../../protocol/index.js";
import { type AgentChoices, elizaId } from "../agents/agent-choices.js";

/** The agents as the view offers them: what was listed last, at hand without waiting. */
export class OfferedAgents {
  #choices: readonly AgentChoice[];
  #isListed = false;

  constructor(
    private readonly agents: AgentChoices,
    /** The agents that are known without asking anybody: those of the settings. */
    known: readonly { readonly id: string; readonly name: string }[],
    /** The list is another one now. */
    private readonly changed: () => void,
  ) {
    const others = known.filter(({ id }) => id !== elizaId);
    this.#choices = [...others, { id: elizaId, name: "Eliza" }].map(({ id, name }) => ({ id, name, isCurrent: false }));
  }

  /** Whether the list is whole. */
  get isListed(): boolean {
    return this.#isListed;
  }

  get choices(): readonly AgentChoice[] {
    return this.#choices.map((choice) => ({ ...choice, isCurrent: choice.id === this.#currentId }));
  }

  /** Id and name of an agent, of the current one where no id is given. An unknown id is its own name. */
  find(agentId = this.#currentId): { readonly id: string; readonly name: string } {
    const name = this.#choices.find(({ id }) => id === agentId)?.name;
    return { id: agentId, name: name ?? (agentId === elizaId ? "Eliza" : agentId) };
  }

  /** Lists the agents anew. */
  async refresh(): Promise<void> {
    const offers = await this.agents.list();
    this.#choices = offers.map(({ id, name, description }) => ({
      id,
      name,
      isCurrent: false,
      ...(description === undefined ? {} : { description }),
    }));
    this.#isListed = true;
    this.changed();
  }

  get #currentId(): string {
    return this.agents.currentId ?? elizaId;
  }
}
