import { SymposiumError } from "../../../base/symposium-error.js";
import { organisationRules } from "../../../guard/node/organisation-rules.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { byOrganisation, describePolicy } from "../../../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../../../settings/managed-policy/node/system-policy.js";
import { checked, type Finding } from "../findings/finding.js";

/** Lists what the organisation's policy limits. A policy that can't be applied is a failure, since nothing starts with it. */
export async function policyFindings(): Promise<readonly Finding[]> {
  const { ok, fail } = checked("policy");
  try {
    const [policy] = await Promise.all([systemPolicy(), organisationRules()]);
    return (policy ? describePolicy(policy) : []).map(({ file, limits }) =>
      ok(plainText(`${limits.length === 0 ? "no limits" : limits.join("; ")}, ${byOrganisation(file)}`, 2_000)),
    );
  } catch (failure) {
    if (!(failure instanceof SymposiumError)) throw failure;
    return [fail(failure.message, failure.hint)];
  }
}
