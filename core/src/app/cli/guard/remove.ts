import { removeRule } from "../../../guard/node/guard-edit.js";
import { configFolder } from "../../../settings/node/config-file.js";
import { sayResult } from "../output.js";
import { jsonOption } from "../options.js";
import { subcommand } from "../subcommand.js";
import { ruleOfWords, ruleText, ruleWords } from "./rule-words.js";

export const remove = subcommand({
  name: "guard remove",
  about: "Remove a rule from your guard.jsonc. Takes the same arguments as `guard add`.",
  arguments: ruleWords.arguments,
  options: { ...ruleWords.options, ...jsonOption },
  async run({ values, positionals }) {
    const rule = ruleOfWords(values, positionals);
    await removeRule(configFolder(), rule);
    return sayResult(values, { removed: rule }, `Removed: ${ruleText(rule)}`);
  },
});
