import { refusedHosts } from "../../../guard/refused-hosts.js";
import { GuardLog } from "../../../guard/node/guard-log.js";
import { configFolder } from "../../../settings/node/config-file.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { shellWord } from "../../../base/shell-word.js";
import { say } from "../output.js";
import { subcommand } from "../subcommand.js";
import { rulesHere } from "./rules.js";

const usualCount = 50;
/** Maximum number of recent decisions that are searched for denied hosts. */
const searched = 2_000;

export const log = subcommand({
  name: "guard log",
  about: "List past decisions, newest last: time, answer, agent, subject, rule. Contents are not logged.",
  options: {
    limit: { value: "N", isCount: true, about: `the last N (default: ${usualCount})` },
    refused: {
      about: "list refused hosts that no rule allows, newest first, instead of decisions",
    },
    json: { about: "print each as one line of JSON" },
  },
  async run({ values }) {
    const { limit: count = usualCount } = values;
    const guardLog = new GuardLog(configFolder());
    if (values.refused === true) {
      const hosts = refusedHosts(await guardLog.last(searched), (await rulesHere()).rules).slice(0, count);
      if (values.json === true) return hosts.length === 0 ? 0 : say(hosts.map((one) => JSON.stringify(one)).join("\n"));
      if (hosts.length === 0) return say("No refused hosts.");
      const lines = hosts.map(({ time, host, agents, reason, canOpen }) => {
        const end = host.startsWith("-") ? "-- " : "";
        const remedy = canOpen ? [`symposium-acp-agent guard add allow host ${end}${shellWord(host)}`] : [];
        return [shownTime(time), host, agents.join(", "), reason, ...remedy];
      });
      return say(table(lines));
    }
    const records = await guardLog.last(count);
    if (values.json === true)
      return records.length === 0 ? 0 : say(records.map((one) => JSON.stringify(one)).join("\n"));
    if (records.length === 0) return say("No decisions yet.");
    const lines = records.map(({ time, answer, agent, subject, rule = "a command that cannot be read" }) => {
      return [shownTime(time), answer, agent, subject, rule];
    });
    return say(table(lines));
  },
});

function shownTime(time: string): string {
  return time.slice(0, 19).replace("T", " ");
}

function table(lines: readonly (readonly string[])[]): string {
  return lines.map((line) => line.map((text) => plainText(text, 4_000)).join("  ")).join("\n");
}
