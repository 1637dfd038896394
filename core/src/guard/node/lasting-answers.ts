import { homedir } from "node:os";
import { configFolder } from "../../base/node/own-program.js";
import type { Decision, GuardedCall } from "../decision.js";
import type { GuardRule } from "../guard-rule.js";
import type { ProposedRule } from "../proposed-rules.js";
import type { NewRule } from "./guard-edit.js";
import { GuardFiles } from "./guard-rule-files.js";

interface AskingSession {
  /** Absolute paths of the session's folders; the first is the working folder. */
  readonly roots: readonly string[];
  /** Returns the agent's id in guard.jsonc. Called only for rules that are limited to one agent. */
  readonly agent: () => Promise<string | undefined>;
}

/**
 * The user's answers as rules of the guard; permanent ones are stored in guard.jsonc. Editors use this class for questions that don't pass
 * through the guard.
 */
export class LastingAnswers {
  readonly #config: string;
  readonly #home: string;
  readonly #files: GuardFiles;

  /** Accesses no file. `config` is the folder of guard.jsonc, and `home` is the user's home folder; both are absolute. */
  constructor(config = configFolder(), home = homedir()) {
    this.#config = config;
    this.#home = home;
    this.#files = new GuardFiles(config, home);
  }

  /** Returns the rule that allows the call, or undefined if the user must be asked. Never rejects. */
  async allowing(call: GuardedCall, { roots, agent }: AskingSession): Promise<GuardRule | undefined> {
    const cwd = roots[0] ?? "/";
    const { rules, isBroken } = await this.#files.rulesFor(cwd, () => true);
    if (isBroken || !rules.some(({ effect }) => effect === "allow")) return undefined;
    const found = await this.#allowing(rules, call, roots);
    if (!found || !rules.some((rule) => rule.agent !== undefined)) return found;
    const name = await agent();
    return this.#allowing(
      rules.filter((rule) => rule.agent === undefined || rule.agent === name),
      call,
      roots,
    );
  }

  /**
   * Returns the widest allow rules that a user who allows the call would expect, without agent and folder. Empty if no rules can express
   * the call. Never rejects.
   */
  async proposed(call: GuardedCall, roots: readonly string[]): Promise<readonly ProposedRule[]> {
    try {
      const { rulesToPropose } = await import("./guard-request.js");
      return await rulesToPropose(call, { roots, home: this.#home });
    } catch {
      return [];
    }
  }

  /** Returns the decision of `rules` alone, such as answers for one session; undefined also for a call that can't be judged. Never rejects. */
  async decided(
    rules: readonly GuardRule[],
    call: GuardedCall,
    roots: readonly string[],
  ): Promise<Decision | undefined> {
    try {
      const { judgedCall } = await import("./guard-request.js");
      return (await judgedCall(rules, call, { roots, home: this.#home })).decision;
    } catch {
      // Ask the user about calls that can't be judged.
      return undefined;
    }
  }

  /**
   * Saves rules in guard.jsonc and reads the file again to check them. Rejects with `invalid-config` if the rules don't take effect, or
   * with the system's error.
   */
  async save(rules: readonly NewRule[]): Promise<void> {
    const { saveRules } = await import("./guard-edit.js");
    await saveRules(this.#config, rules);
  }

  async #allowing(
    rules: readonly GuardRule[],
    call: GuardedCall,
    roots: readonly string[],
  ): Promise<GuardRule | undefined> {
    const decision = await this.decided(rules, call, roots);
    return decision?.effect === "allow" ? decision.rule : undefined;
  }
}
