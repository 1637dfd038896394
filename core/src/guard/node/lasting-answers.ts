import { homedir } from "node:os";
import { configFolder } from "../../base/node/own-program.js";
import type { GuardedCall } from "../decision.js";
import type { GuardRule } from "../guard-rule.js";
import type { NewRule } from "./guard-edit.js";
import { GuardFiles } from "./guard-rule-files.js";

interface AskingSession {
  /** Absolute paths of the session's folders; the first is the working folder. */
  readonly roots: readonly string[];
  /** Returns the agent's id in guard.jsonc. Called only for rules that are limited to one agent. */
  readonly agent: () => Promise<string | undefined>;
}

/**
 * The user's permanent answers, stored as allow rules in guard.jsonc. Editors use this class for questions that don't pass through the
 * guard.
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
    const found = await this.#judged(rules, call, roots);
    if (!found || !rules.some((rule) => rule.agent !== undefined)) return found;
    const name = await agent();
    return this.#judged(
      rules.filter((rule) => rule.agent === undefined || rule.agent === name),
      call,
      roots,
    );
  }

  /** Returns whether `rules`, without any other rules, would allow the call. Never rejects. */
  async wouldAllow(rules: readonly NewRule[], call: GuardedCall, roots: readonly string[]): Promise<boolean> {
    const found = await this.#judged(
      rules.map(({ in: _in, reason: _reason, ...rule }) => ({ ...rule, place: "" })),
      call,
      roots,
    );
    return found !== undefined;
  }

  /**
   * Saves rules in guard.jsonc and reads the file again to check them. Rejects with `invalid-config` if the rules don't take effect, or
   * with the system's error.
   */
  async save(rules: readonly NewRule[]): Promise<void> {
    const { saveRules } = await import("./guard-edit.js");
    await saveRules(this.#config, rules);
  }

  async #judged(
    rules: readonly GuardRule[],
    call: GuardedCall,
    roots: readonly string[],
  ): Promise<GuardRule | undefined> {
    try {
      const { judgedCall } = await import("./guard-request.js");
      const { decision } = await judgedCall(rules, call, { roots, home: this.#home });
      return decision?.effect === "allow" ? decision.rule : undefined;
    } catch {
      // Ask the user about calls that can't be judged.
      return undefined;
    }
  }
}
