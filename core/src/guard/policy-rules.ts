import type { PolicyFile } from "../settings/managed-policy/policy-file.js";
import { faultOfHostPattern, type GuardRule, parseGuardFile } from "./guard-rule.js";

/** Rules of a policy, and their problems, one line each with the place. */
interface PolicyRules {
  readonly rules: readonly GuardRule[];
  readonly problems: readonly string[];
}

/** Reads the rules and hosts of policy files as guard rules. If there are problems, the policy must not be used. */
export function policyRules(files: readonly PolicyFile[]): PolicyRules {
  const read = files.map(({ file, text, allowedHosts }): PolicyRules => {
    const { rules, problems } = parseGuardFile(text, { file, isOfProject: false, isOfPolicy: true });
    const faults = (allowedHosts ?? []).flatMap((host) => faultOfHostPattern(host) ?? []);
    return {
      rules: [...rules, ...(allowedHosts ? [onlyHosts(allowedHosts, file)] : [])],
      problems: [...problems, ...faults.map((fault) => `${file}: "allowedHosts": ${fault}`)],
    };
  });
  return { rules: read.flatMap(({ rules }) => rules), problems: read.flatMap(({ problems }) => problems) };
}

/** Whether a rule allows everything of its subject, such as all commands, so that the agent would never ask. */
export function allowsEverything({ effect, patterns }: Pick<GuardRule, "effect" | "patterns">): boolean {
  return effect === "allow" && patterns.some((pattern) => /^[\s*?/.]*$/.test(pattern));
}

function onlyHosts(except: readonly string[], file: string): GuardRule {
  const allowed = except.length === 0 ? "no host" : `only ${except.join(", ")}`;
  const reason = `Your organisation allows ${allowed}.`;
  return { effect: "deny", subject: "host", patterns: ["*"], except, reason, place: file };
}
