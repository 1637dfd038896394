import type { SetupReason } from "../agents/setup/setup-agent-needs.js";
import type { AgentSwitch } from "../conductor/choices/agent-switch.js";
import type { Component } from "../settings/component-spec.js";
import { SymposiumError } from "../base/symposium-error.js";
import type { Change, Choice, Choosable, Offer } from "../conductor/choices/chosen-agent-and-proxies.js";
import { type ConfigState, lockConfig, writeConfig } from "../settings/node/config-file.js";
import { withProxy } from "../settings/config-edit.js";
import { ChainChoices } from "./chain-choices.js";
import { defaultExtensions } from "../extensions/extension-names.js";
import { readConfiguration } from "./read-user-config.js";
import { configuredPlan } from "./configured-plan.js";
import type { Environment } from "./environment.js";
import type { ChainPlan } from "./serve-chain.js";
import type { Choices } from "./serve-switchable-chain.js";
import { makeSetupAgent, saveAgent } from "./setup-agent.js";

/** Entry shown instead of an agent until the user chooses one in the chat or selector. */
const asConfigured: Choosable = {
  id: "as-configured",
  name: "As configured",
  description: "the agent set in config.jsonc; asks you to choose one if none is set",
};

/** Choices while the configuration is missing, has no agent, or is broken. The chat asks for an agent as well. */
export class SetupChoices implements Choices {
  readonly offer: Offer;

  private constructor(private readonly others: ChainChoices) {
    const { agents, proxies } = others.offer;
    this.offer = { agents: [asConfigured, ...agents], proxies };
  }

  static async of(state: ConfigState): Promise<SetupChoices> {
    const enabled = defaultExtensions.map((name) => ({ name, enabled: true }));
    const entries = state.state === "ok" ? state.config.proxies : enabled;
    return new SetupChoices(await ChainChoices.before(asConfigured.id, entries, state.file));
  }

  get choice(): Choice {
    return this.others.choice;
  }

  get file(): string {
    return this.others.file;
  }

  /** Builds the chain for a choice, as {@link ChainChoices} does. Uses the current configuration, which may have been written meanwhile. */
  async plan(choice: Choice, environment: Environment, agentSwitch: AgentSwitch): Promise<ChainPlan> {
    if (choice.agent !== asConfigured.id) return this.others.plan(choice, environment);
    const configured = await configuredPlan(await readConfiguration(this.file), environment);
    if (configured.kind === "reason") return setupPlan(configured.reason, environment, agentSwitch);
    return { ...configured.plan, proxies: await this.others.proxiesOf(choice, environment) };
  }

  componentOf(choice: Choice): Component {
    if (choice.agent !== asConfigured.id) return this.others.componentOf(choice);
    throw new SymposiumError("unknown-agent", "No agent is chosen yet.", "Choose one first.");
  }

  /** Saves a change as {@link ChainChoices} does; without a valid configuration, saves it as the chat would. */
  async save(change: Change): Promise<void> {
    if (change.kind === "agent" && change.id === asConfigured.id) return;
    const { state } = await readConfiguration(this.file);
    if (change.kind === "agent" && state !== "ok") {
      await saveAgent({ words: this.others.valueOf(change.id) });
    } else if (change.kind === "agent" || !(await this.#savedFirst(change))) {
      await this.others.save(change);
    }
  }

  /** Writes a choice of proxies to a new file. Returns false if the file exists. */
  async #savedFirst({ id, isOn }: Extract<Change, { kind: "proxy" }>): Promise<boolean> {
    await using _lock = await lockConfig(this.file);
    if ((await readConfiguration(this.file)).state !== "absent") return false;
    await writeConfig(this.file, withProxy("", id, { enabled: isOn }, defaultExtensions, this.file));
    return true;
  }

  signInLine(choice: Choice): string {
    return choice.agent === asConfigured.id ? "symposium-acp-agent sign-in" : this.others.signInLine(choice);
  }
}

export function setupPlan(reason: SetupReason, environment: Environment, agentSwitch: AgentSwitch): ChainPlan {
  // The chosen agent's chain provides its own context.
  return {
    proxies: [],
    agent: { kind: "agent", agent: makeSetupAgent(reason, environment, agentSwitch) },
    hasContext: false,
  };
}
