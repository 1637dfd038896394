import { type AgentComponent, nameOf } from "../../conductor/chain/component.js";
import { GuardFiles } from "./guard-files.js";
import type { Component } from "../../settings/component-spec.js";
import type { ProtectionLevel } from "../../base/safety/protection-level.js";
import { ProtectionLevels, idOfAgent } from "./protection-levels.js";

/** An agent that runs, and is held otherwise than guard.jsonc says by now. */
export interface OutdatedLevel {
  /** The agent, for people. */
  readonly name: string;
  readonly started: ProtectionLevel;
  /** Undefined where the file cannot be read, so that the agent would not start. */
  readonly now: ProtectionLevel | undefined;
}

interface HeldLevelsOptions {
  /** For agents of which guard.jsonc says nothing. */
  readonly usual: ProtectionLevel;
  /** Whether guard.jsonc has a say; an option of whoever has started this process goes before it. */
  readonly isFixed: boolean;
}

/** How the agents of this process are held: as guard.jsonc says when each of them starts, and no longer by what it says later. */
export class RunningProtection {
  readonly #files = new GuardFiles();
  /** By the id of the agent. */
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

  /** What the file says by now holds for agents that start from here on. */
  async refresh(): Promise<void> {
    this.#levels = await this.#read();
  }

  /** Whether one of these would run in a sandbox. Throws `invalid-config` where that cannot be known. */
  areSandboxed(agents: readonly Component[] | "any"): boolean {
    return this.#levels.areSandboxed(agents);
  }

  /** How an agent that starts is held. Throws `invalid-config` where that cannot be known. */
  start(agent: AgentComponent): ProtectionLevel {
    const level = this.#levels.of(agent);
    // Those of ours start no programs.
    if (agent.kind === "process") this.#started.set(idOfAgent(agent), { agent, level });
    return level;
  }

  /** How the agent of this id was held when it started; undefined where it did not. */
  startedAs(id: string): ProtectionLevel | undefined {
    return this.#started.get(id)?.level;
  }

  /** Those that the file would have held otherwise. */
  async outdated(): Promise<readonly OutdatedLevel[]> {
    const levels = await this.#read();
    return [...this.#started.values()].flatMap(({ agent, level: started }) => {
      const now = levelIn(levels, agent);
      return now === started ? [] : [{ name: nameOf(agent), started, now }];
    });
  }

  async #read(): Promise<ProtectionLevels> {
    const { usual, isFixed } = this.options;
    return isFixed ? new ProtectionLevels(usual) : new ProtectionLevels(usual, (await this.#files.own()).levels);
  }
}

function levelIn(levels: ProtectionLevels, agent: AgentComponent): ProtectionLevel | undefined {
  try {
    return levels.of(agent);
  } catch {
    return undefined;
  }
}
