import { invalidPolicy, systemPolicy } from "../../settings/managed-policy/node/system-policy.js";
import type { GuardRule } from "../guard-rule.js";

/** Returns the rules of the machine's policy. Rejects with `invalid-policy` if the policy or one of its rules is invalid. */
export async function organisationRules(): Promise<readonly GuardRule[]> {
  const policy = await systemPolicy();
  if (!policy) return [];
  const { policyRules } = await import("../policy-rules.js");
  const { rules, problems } = policyRules(policy.files);
  if (problems.length > 0) throw invalidPolicy(problems.join("\n"));
  return rules;
}
