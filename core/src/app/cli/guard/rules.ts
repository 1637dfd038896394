import { GuardFiles, type GuardRules } from "../../../guard/node/guard-rule-files.js";
import { organisationRules } from "../../../guard/node/organisation-rules.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { say, warn } from "../output.js";
import { subcommand } from "../subcommand.js";
import { ruleText } from "./rule-words.js";

export const rules = subcommand({
  name: "guard rules",
  about: "List the rules for this folder, one per line. The exit code is 1 if a rule can't be read.",
  options: { json: { about: "print the rules and their errors as one line of JSON" } },
  async run({ values }) {
    const found = await rulesHere();
    if (values.json === true) {
      await say(JSON.stringify({ rules: found.rules, problems: found.problems, notes: found.notes }));
      return found.problems.length === 0 ? 0 : 1;
    }
    for (const problem of [...found.problems, ...found.notes]) warn(plainText(problem, 4_000));
    if (found.problems.length > 0) warn(brokenRulesRemedy);
    if (found.rules.length === 0 && found.problems.length === 0) await say("No rules apply to this folder.");
    for (const rule of found.rules) {
      const { reason, place } = rule;
      const why = reason === undefined ? "" : `: ${plainText(reason)}`;
      await say(`${ruleText(rule)}${why} (${plainText(place, 4_000)})`);
    }
    return found.problems.length === 0 ? 0 : 1;
  },
});

export const brokenRulesRemedy =
  "Fix the lines above. Until then, no rule of that file allows anything. `symposium-acp-agent guard rules` checks again.";

/**
 * Returns the rules for the current folder. Includes rules for a single agent only if `isAgent` accepts the agent's name. Rejects with
 * `invalid-policy` if the organisation's rules can't be read.
 */
export async function rulesHere(isAgent: (name: string) => boolean = () => true): Promise<GuardRules> {
  await organisationRules();
  return new GuardFiles().rulesFor(process.cwd(), isAgent);
}
