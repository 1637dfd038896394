import type { GuardRule } from "./guard-rule.js";

interface FolderRules {
  readonly rules: readonly GuardRule[];
  /** Whether the user's file is unreadable, so that its deny rules are unknown. */
  readonly isBroken: boolean;
}

/** Combines the rules of several folders: deny and ask rules of any folder, and allow rules that all folders have. */
export function commonRules(folders: readonly FolderRules[]): FolderRules {
  // Compares rules by content, since a changed file is parsed into new objects.
  const keyed = folders.map(({ rules }) => new Map(rules.map((rule) => [JSON.stringify(rule), rule])));
  const all = new Map(keyed.flatMap((rules) => [...rules]));
  const holds = ([key, { effect }]: readonly [string, GuardRule]): boolean =>
    effect !== "allow" || keyed.every((rules) => rules.has(key));
  const rules = [...all].filter(holds).map(([, rule]) => rule);
  return { rules, isBroken: folders.some(({ isBroken }) => isBroken) };
}
