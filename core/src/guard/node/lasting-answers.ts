import { homedir } from "node:os";
import { configFolder } from "../../base/node/own-program.js";
import type { GuardedCall } from "../decision.js";
import type { GuardRule } from "../guard-rule.js";
import type { NewRule } from "./guard-edit.js";
import { GuardFiles } from "./guard-files.js";

/** Who asks, and where. */
interface AskingSession {
  /** Absolute; the working folder first. */
  readonly roots: readonly string[];
  /** The id under which guard.jsonc has the agent; asked for where a rule is for one agent. */
  readonly agent: () => Promise<string | undefined>;
}

/**
 * The user's answers that last, which are rules of their guard.jsonc that allow. The guard answers agents by them; an editor that asks
 * questions of its own, or asks although no guard stands before it, answers by them here.
 */
export class LastingAnswers {
  readonly #config: string;
  readonly #home: string;
  readonly #files: GuardFiles;

  /** `config` is the folder of guard.jsonc, `home` the user's own; both absolute. */
  constructor(config = configFolder(), home = homedir()) {
    this.#config = config;
    this.#home = home;
    this.#files = new GuardFiles(config, home);
  }

  /** The rule that allows the call by now; undefined where the user is to be asked. Never rejects. */
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

  /** Whether these rules by themselves allow the call. Never rejects. */
  async wouldAllow(rules: readonly NewRule[], call: GuardedCall, roots: readonly string[]): Promise<boolean> {
    const found = await this.#judged(
      rules.map(({ in: _in, reason: _reason, ...rule }) => ({ ...rule, place: "" })),
      call,
      roots,
    );
    return found !== undefined;
  }

  /** Writes rules into guard.jsonc, reads them again, and rejects with `invalid-config`, or the system's error, where they do not hold. */
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
      // What cannot be judged is asked about.
      return undefined;
    }
  }
}
