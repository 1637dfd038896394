import { noteMisspelt } from "../../guard/agent-level.js";
import { saveRule } from "../../guard/node/guard-edit.js";
import { configFolder } from "../../node/config-file.js";
import { plainText } from "../../registry/registry-entry.js";
import { say, warn } from "../registry/output.js";
import { subcommand } from "../subcommand.js";
import { ruleOfWords, ruleText, ruleWords } from "./rule-words.js";

/** `guard add EFFECT SUBJECT PATTERN…`: adds a rule to the user's guard.jsonc. */
export const add = subcommand({
  name: "guard add",
  about: "Add a rule to your guard.jsonc, whose comments and rules stay. It counts at once.",
  arguments: ruleWords.arguments,
  options: {
    ...ruleWords.options,
    reason: { value: "TEXT", about: "why, in your words; agents read it where they are refused" },
  },
  async run({ values, positionals }) {
    const rule = ruleOfWords(values, positionals);
    await saveRule(configFolder(), { ...rule, reason: values.reason });
    if (rule.agent !== undefined) noteMisspelt(rule.agent, (message, hint) => warn(plainText(`${message} ${hint}`)));
    return say(ruleText(rule));
  },
});
