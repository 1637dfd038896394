import type { GuardRule } from "./guard-rule.js";

interface FolderRules {
  readonly rules: readonly GuardRule[];
  /** The user's own file cannot be read: what it would have refused is not known. */
  readonly isBroken: boolean;
}

/** The rules that hold in all of several folders at once: what one of them refuses or asks about, and what each of them allows. */
export function commonRules(folders: readonly FolderRules[]): FolderRules {
  // Files are read anew where they have changed, so the same rule need not be the same object.
  const keyed = folders.map(({ rules }) => new Map(rules.map((rule) => [JSON.stringify(rule), rule])));
  const all = new Map(keyed.flatMap((rules) => [...rules]));
  const holds = ([key, { effect }]: readonly [string, GuardRule]): boolean =>
    effect !== "allow" || keyed.every((rules) => rules.has(key));
  const rules = [...all].filter(holds).map(([, rule]) => rule);
  return { rules, isBroken: folders.some(({ isBroken }) => isBroken) };
}
