import { homedir } from "node:os";
import { SymposiumError } from "../../base/symposium-error.js";
import { GuardLog } from "../../guard/node/guard-log.js";
import { configFolder } from "../../node/config-file.js";
import { plainText } from "../../registry/registry-entry.js";
import { say } from "../registry/output.js";
import { subcommand } from "../subcommand.js";

const usualCount = 50;

/** `guard log`: the latest decisions, the newest last. */
export const log = subcommand({
  name: "guard log",
  about:
    "What the rules have decided, the newest last: time, answer, agent, what it was about, the rule. No contents are kept.",
  options: {
    limit: { value: "N", about: `the last N (${usualCount})` },
    json: { about: "one line of JSON for each" },
  },
  async run({ values }) {
    const count = values.limit === undefined ? usualCount : Number(values.limit);
    if (!Number.isInteger(count) || count < 1) {
      throw new SymposiumError(
        "invalid-arguments",
        `--limit ${values.limit ?? ""} is no count.`,
        "Give a whole number above 0.",
      );
    }
    const records = await new GuardLog(configFolder(process.env, homedir())).last(count);
    if (values.json === true)
      return records.length === 0 ? 0 : say(records.map((one) => JSON.stringify(one)).join("\n"));
    if (records.length === 0) return say("The rules have decided nothing so far.");
    return say(
      records
        .map(({ time, answer, agent, subject, rule = "a command that cannot be read" }) =>
          [time.slice(0, 19).replace("T", " "), answer, agent, subject, rule]
            .map((text) => plainText(text, 4_000))
            .join("  "),
        )
        .join("\n"),
    );
  },
});
