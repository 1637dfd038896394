import { attempt } from "../../base/attempt.js";
import { type AgentComponent, nameOf } from "../../conductor/chain/component.js";
import { GuardFiles } from "./guard-rule-files.js";
import type { Component } from "../../settings/component-spec.js";
import type { ProtectionLevel } from "../../base/safety/protection-level.js";
import { ProtectionLevels, idOfAgent } from "./protection-levels.js";

export interface OutdatedLevel {
  readonly name: string;
  readonly started: ProtectionLevel;
  /** Level that guard.jsonc now sets; undefined if guard.jsonc is unreadable and the agent wouldn't start. */
  readonly now: ProtectionLevel | undefined;
}

interface HeldLevelsOptions {
  /** Level of agents that have no entry in guard.jsonc. */
  readonly usual: ProtectionLevel;
  /** Whether an option of the process that started this one fixes the level, so that guard.jsonc doesn't apply. */
  readonly isFixed: boolean;
}

/** Protection levels of this process's agents. An agent keeps the level that guard.jsonc set when the agent started. */
export class RunningProtection {
  readonly #files = new GuardFiles();
  readonly #started = new Map<string, { readonly agent: AgentComponent; readonly level: ProtectionLevel }>();
  #levels: ProtectionLevels;

  private constructor(private readonly options: HeldLevelsOptions) {
    this.#levels = new ProtectionLevels(options.usual);
  }

  static async open(options: HeldLevelsOptions): Promise<RunningProtection> {
    const levels = new RunningProtection(options);
    await levels.refresh();
    return levels;
  }

  async refresh(): Promise<void> {
    this.#levels = await this.#read();
  }

  /**
   * Returns whether any of the agents would run in a sandbox. Throws `invalid-config` if guard.jsonc doesn't contain a readable level for
   * one of them.
   */
  areSandboxed(agents: readonly Component[] | "any"): boolean {
    return this.#levels.areSandboxed(agents);
  }

  /**
   * Returns the level for an agent that is about to start. Throws `invalid-config` if guard.jsonc doesn't contain a readable level for the
   * agent.
   */
  start(agent: AgentComponent): ProtectionLevel {
    const level = this.#levels.of(agent);
    // Built-in agents start no programs.
    if (agent.kind === "process") this.#started.set(idOfAgent(agent), { agent, level });
    return level;
  }

  /** Returns the level that the agent was started with; undefined if the agent hasn't been started. */
  startedAs(id: string): ProtectionLevel | undefined {
    return this.#started.get(id)?.level;
  }

  /** Returns the agents whose level in guard.jsonc has changed since they were started. */
  async outdated(): Promise<readonly OutdatedLevel[]> {
    const levels = await this.#read();
    return [...this.#started.values()].flatMap(({ agent, level: started }) => {
      const now = levelIn(levels, agent);
      return now === started ? [] : [{ name: nameOf(agent), started, now }];
    });
  }

  async #read(): Promise<ProtectionLevels> {
    const { usual, isFixed } = this.options;
    return ProtectionLevels.read(usual, isFixed ? noLevels : this.#files);
  }
}

/** Stands for guard.jsonc if an option fixes the level. */
const noLevels = { own: () => Promise.resolve({ levels: [] }) };

function levelIn(levels: ProtectionLevels, agent: AgentComponent): ProtectionLevel | undefined {
  return attempt(() => levels.of(agent));
}
