import { resolve } from "node:path";
import { SymposiumError } from "../../base/symposium-error.js";
import { displayNameOf } from "../../agents/registry/built-in-agents.js";
import { plainText } from "../../agents/registry/registry-entry.js";
import { usageFile } from "../recorded-conversations.js";
import { pricesDate } from "../../sessions/usage/model-prices.js";
import { readLimits, readUsage } from "../../sessions/usage/node/usage-file.js";
import { dayOf } from "../../sessions/usage/usage-row.js";
import { limitLines, usageTable } from "../../sessions/usage/usage-table.js";
import { say } from "./output.js";
import { subcommand } from "./subcommand.js";

const dayMs = 24 * 60 * 60_000;
const usualDays = 30;

export const usage = subcommand({
  name: "usage",
  about:
    "Show usage per agent and day: test runs, checks and builds, with Symposium's tools and in the shell; tokens and cost as " +
    "agents report them; and account limits with their reset times. Usage is stored in usage.json beside config.jsonc.",
  options: {
    days: { value: "N", isCount: true, about: `the last N days, including today (default: ${usualDays})` },
    cwd: { value: "DIR", about: "only usage in this folder" },
    json: { about: "print a row for each day, agent and folder, as one line of JSON" },
  },
  async run({ values }) {
    const { days = usualDays } = values;
    const first = dayOf(Date.now() - (days - 1) * dayMs);
    const folder = values.cwd === undefined ? undefined : resolve(values.cwd);
    const all = await readUsage(usageFile());
    if (!all) {
      throw new SymposiumError(
        "usage-not-read",
        `${usageFile()} cannot be read.`,
        "Delete the file, or use an agent once: Symposium then moves the file aside and starts counting again.",
      );
    }
    const rows = all.filter((row) => row.day >= first && (folder === undefined || row.folder === folder));
    if (values.json === true) return say(JSON.stringify(rows));
    const shown = (name: string): string => plainText(name, 40);
    const limits = limitLines((await readLimits(usageFile())).map(withDisplayName), shown, Date.now());
    if (rows.length === 0 && limits === "") return say(`No usage since ${first}.`);
    const table = rows.length === 0 ? "" : usageTable(rows.map(withDisplayName), shown);
    const isPriced = rows.some(({ microDollars }) => microDollars > 0);
    const prices = isPriced
      ? `USD is the cost that agents report, or an estimate from model list prices on ${pricesDate}.`
      : "";
    return say([table, prices, limits].filter((part) => part !== "").join("\n\n"));
  },
});

function withDisplayName<Entry extends { readonly agent: string }>(entry: Entry): Entry {
  return { ...entry, agent: displayNameOf(entry.agent) };
}
