import { homedir } from "node:os";
import { GuardFiles, type GuardRules } from "../../guard/node/guard-files.js";
import { configFolder } from "../../node/config-file.js";
import { plainText } from "../../registry/registry-entry.js";
import { say, warn } from "../registry/output.js";
import { subcommand } from "../subcommand.js";

/** `guard rules`: a line for each rule of this folder. The exit code is 1 where some cannot be read. */
export const rules = subcommand({
  name: "guard rules",
  about: "The rules that hold in this folder, one a line. The exit code is 1 where some cannot be read.",
  options: { json: { about: "the rules and what is wrong with them, as one line of JSON" } },
  async run({ values }) {
    const found = await rulesHere();
    if (values.json === true) {
      say(JSON.stringify({ rules: found.rules, problems: found.problems }));
      return found.problems.length === 0 ? 0 : 1;
    }
    for (const problem of found.problems) warn(plainText(problem, 4_000));
    if (found.rules.length === 0) say("No rules hold in this folder.");
    for (const { effect, subject, patterns, reason, place } of found.rules) {
      const why = reason === undefined ? "" : `: ${plainText(reason)}`;
      say(
        `${effect} ${subject} ${patterns.map((pattern) => plainText(pattern)).join(", ")}${why} (${plainText(place, 4_000)})`,
      );
    }
    return found.problems.length === 0 ? 0 : 1;
  },
});

/** The rules of the folder in which the command was started. */
export function rulesHere(): Promise<GuardRules> {
  return new GuardFiles(configFolder(process.env, homedir()), homedir()).rulesFor(process.cwd());
}
