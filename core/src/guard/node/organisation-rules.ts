import { bypassForbiddenBy } from "../../settings/managed-policy/managed-policy.js";
import { invalidPolicy, systemPolicy } from "../../settings/managed-policy/node/system-policy.js";
import type { GuardRule } from "../guard-rule.js";

/** Effect of the machine's policy on the rules. */
interface Organisation {
  readonly rules: readonly GuardRule[];
  /** Whether a user's or project's rule must be ignored. */
  readonly ignores: (rule: GuardRule) => boolean;
}

/** Returns the rules of the machine's policy. Rejects with `invalid-policy` if the policy or one of its rules is invalid. */
export async function organisationRules(): Promise<Organisation> {
  const policy = await systemPolicy();
  if (!policy) return { rules: [], ignores: () => false };
  const { allowsEverything, policyRules } = await import("../policy-rules.js");
  const { rules, problems } = policyRules(policy.files);
  if (problems.length > 0) throw invalidPolicy(problems.join("\n"));
  return { rules, ignores: bypassForbiddenBy(policy) === undefined ? () => false : allowsEverything };
}
