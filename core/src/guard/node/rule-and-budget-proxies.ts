import { homedir } from "node:os";
import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import type { Proxy } from "../../conductor/chain/proxy.js";
import { budgetProxy } from "../budget-proxy.js";
import type { Budget } from "../budget.js";
import type { UsedUpBudget } from "../budget-use.js";
import type { GuardRecord } from "../guard-record.js";
import { guardProxy } from "../guard-proxy.js";
import { GuardFiles } from "./guard-rule-files.js";
import { GuardLog } from "./guard-log.js";
import { configFolder } from "../../settings/node/config-file.js";
import { readUsage } from "../../sessions/usage/node/usage-file.js";
import { addFigures, dayOf, noUsage, type UsageFigures } from "../../sessions/usage/usage-row.js";

/** Limits that one process sets in addition to guard.jsonc. */
export interface RunLimits {
  /**
   * Which requests are allowed without asking. With `rules`, allow rules still apply, but requests aren't allowed just because a sandbox
   * confines them; deny and ask rules always apply.
   */
  readonly allows?: "nothing" | "rules" | "all";
  readonly budgets?: readonly Budget[];
  /** Called with each decision that a rule makes. */
  readonly onDecision?: (record: GuardRecord) => void;
  /** Called when a budget ends a turn. Present if nobody can be asked to extend the budget. */
  readonly onUsedUp?: (budget: UsedUpBudget) => void;
}

/**
 * Returns the proxies that enforce the budgets and rules of guard.jsonc, including the rules of a repository. `isSandboxed` returns whether
 * all of the agent's work stays in a sandbox.
 */
export function sessionGuards(
  isSandboxed: () => boolean,
  isNamed: (name: string) => boolean,
  limits: RunLimits = {},
): { readonly budgets: Proxy; readonly rules: Proxy } {
  const [home, config] = [homedir(), configFolder()];
  const files = new GuardFiles(config, home);
  const { allows = "all" } = limits;
  const agent = { home, isSandboxed: () => allows === "all" && isSandboxed(), isNamed };
  return { budgets: budgets(files, config, limits), rules: rules(files, config, agent, limits) };
}

function rules(
  files: GuardFiles,
  config: string,
  {
    isNamed,
    ...agent
  }: { readonly home: string; readonly isSandboxed: () => boolean; readonly isNamed: (name: string) => boolean },
  { allows, onDecision }: RunLimits,
): Proxy {
  const log = new GuardLog(config);
  return guardProxy({
    ...agent,
    rulesFor: async (cwd) => {
      const found = await files.rulesFor(cwd, isNamed);
      return allows === "nothing" ? { ...found, rules: found.rules.filter(({ effect }) => effect !== "allow") } : found;
    },
    // Load the parsers for commands and patterns only if there are rules.
    judge: async (...given) => (await import("./guard-request.js")).judgedCall(...given),
    record: (record) => {
      onDecision?.(record);
      return log.add(record);
    },
    now: () => new Date(),
  });
}

function budgets(files: GuardFiles, config: string, { budgets: more = [], onUsedUp }: RunLimits): Proxy {
  return budgetProxy({
    budgetsFor: async (cwd) => {
      // Forward the prompt first, since checking files takes longer than passing a message on.
      await others();
      return [...(await files.budgetsFor(cwd)), ...more];
    },
    countedBefore: async (cwd) => {
      const rows = (await readUsage(join(config, "usage.json")).catch(() => undefined)) ?? [];
      const today = dayOf(Date.now());
      const sum = (of: readonly UsageFigures[]): UsageFigures => of.reduce<UsageFigures>(addFigures, noUsage);
      return {
        day: sum(rows.filter(({ day }) => day === today)),
        workspace: sum(rows.filter(({ folder }) => folder === cwd)),
      };
    },
    now: () => Date.now(),
    ...(onUsedUp && { onUsedUp }),
  });
}
