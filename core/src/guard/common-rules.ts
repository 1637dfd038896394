import type { GuardRule } from "./guard-rule.js";

interface FolderRules {
  readonly rules: readonly GuardRule[];
  /** Whether the user's guard.jsonc is unreadable, so that its deny rules are unknown. */
  readonly isBroken: boolean;
}

/** Combines the rules of several folders: deny and ask rules that any of the folders has, and allow rules that all of them have. */
export function commonRules(folders: readonly FolderRules[]): FolderRules {
  // Compare rules by content, since the rules of a changed file are new objects.
  const keyed = folders.map(({ rules }) => new Map(rules.map((rule) => [JSON.stringify(rule), rule])));
  const all = new Map(keyed.flatMap((rules) => [...rules]));
  const holds = ([key, { effect }]: readonly [string, GuardRule]): boolean =>
    effect !== "allow" || keyed.every((rules) => rules.has(key));
  const rules = [...all].filter(holds).map(([, rule]) => rule);
  return { rules, isBroken: folders.some(({ isBroken }) => isBroken) };
}
