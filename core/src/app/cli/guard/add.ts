import { noteMisspelt } from "../../../guard/agent-level.js";
import { saveRule } from "../../../guard/node/guard-edit.js";
import { configFolder } from "../../../settings/node/config-file.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { sayResult, warn } from "../output.js";
import { jsonOption } from "../options.js";
import { subcommand } from "../subcommand.js";
import { ruleOfWords, ruleText, ruleWords } from "./rule-words.js";

export const add = subcommand({
  name: "guard add",
  about: "Add a rule to your guard.jsonc. It applies from the next request.",
  arguments: ruleWords.arguments,
  options: {
    ...ruleWords.options,
    reason: { value: "TEXT", about: "the reason, which agents can read when the rule refuses a request" },
    ...jsonOption,
  },
  async run({ values, positionals }) {
    const rule = ruleOfWords(values, positionals);
    const { reason } = values;
    await saveRule(configFolder(), { ...rule, reason });
    if (rule.agent !== undefined) noteMisspelt(rule.agent, (message, hint) => warn(plainText(`${message} ${hint}`)));
    return sayResult(values, { added: { ...rule, reason } }, `Added: ${ruleText(rule)}`);
  },
});
