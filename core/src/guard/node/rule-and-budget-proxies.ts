import { homedir } from "node:os";
import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import type { Proxy } from "../../conductor/chain/proxy.js";
import { budgetProxy } from "../budget-proxy.js";
import { guardProxy } from "../guard-proxy.js";
import { GuardFiles } from "./guard-files.js";
import { GuardLog } from "./guard-log.js";
import { configFolder } from "../../settings/node/config-file.js";
import { readUsage } from "../../sessions/usage/node/usage-file.js";
import { addFigures, dayOf, noUsage, type UsageFigures } from "../../sessions/usage/usage-row.js";

/**
 * Returns the proxies that apply budgets and rules of guard.jsonc, including the repository's rules. `isSandboxed` returns whether all of
 * the agent's work stays in a sandbox.
 */
export function sessionGuards(
  isSandboxed: () => boolean,
  isNamed: (name: string) => boolean,
): { readonly budgets: Proxy; readonly rules: Proxy } {
  const [home, config] = [homedir(), configFolder()];
  const files = new GuardFiles(config, home);
  return { budgets: budgets(files, config), rules: rules(files, config, { home, isSandboxed, isNamed }) };
}

function rules(
  files: GuardFiles,
  config: string,
  {
    isNamed,
    ...agent
  }: { readonly home: string; readonly isSandboxed: () => boolean; readonly isNamed: (name: string) => boolean },
): Proxy {
  const log = new GuardLog(config);
  return guardProxy({
    ...agent,
    rulesFor: (cwd) => files.rulesFor(cwd, isNamed),
    // Load the command and pattern parsers only if rules exist.
    judge: async (...given) => (await import("./guard-request.js")).judgedCall(...given),
    record: (record) => log.add(record),
    now: () => new Date(),
  });
}

function budgets(files: GuardFiles, config: string): Proxy {
  return budgetProxy({
    budgetsFor: async (cwd) => {
      // Forward the prompt first: checking files takes longer than passing a message.
      await others();
      return files.budgetsFor(cwd);
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
  });
}
