import { homedir } from "node:os";
import { SymposiumError } from "../base/symposium-error.js";
import { Scope } from "../base/scope.js";
import { completeEnvironment } from "../node/complete-environment.js";
import { configFolder } from "../node/config-file.js";
import { recommendExtensions } from "../node/recommendations/recommend-extensions.js";
import { Watchdog } from "../node/watchdog.js";
import type { OfferedExtension } from "../recommendations/offered-extensions.js";
import { plainText } from "../registry/plain-text.js";
import { defaultSettings } from "../settings/settings-table.js";
import { builtInNames, readUserConfig } from "./configuration.js";
import { parseCommandLine } from "./command-line.js";
import { say, warn } from "./registry/output.js";
import { shippedRecommendations } from "./shipped-recommendations.js";

const options = { json: { type: "boolean" }, refresh: { type: "boolean" } } as const;
const usage = "symposium-acp-agent recommendations list [--json] [--refresh]";
/** Within this time the published list is not fetched again. */
const freshMs = 24 * 60 * 60_000;

/**
 * `recommendations list`: the extensions that the workspace in the current folder is offered, with the reasons; a
 * table, or one line of JSON. Nothing is installed or enabled. Warnings are on stderr and do not change the exit code.
 */
export async function recommendations(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommandLine("recommendations", words, options, true);
  if (positionals.join(" ") !== "list") {
    const call = ["recommendations", ...positionals].join(" ");
    throw new SymposiumError("invalid-arguments", `${call} is not understood.`, usage);
  }
  await using scope = new Scope();
  const state = await readUserConfig();
  if (state.state === "broken") warn(`${state.file} cannot be read, and its settings have no effect.`);
  const settings = state.state === "ok" ? state.config.settings : defaultSettings;
  await completeEnvironment(settings.loginEnvironment);
  const { offers, warnings } = await recommendExtensions({
    workspaceFolder: process.cwd(),
    configFolder: configFolder(process.env, homedir()),
    shipped: shippedRecommendations,
    remoteAddress: settings.recommendationsUrl,
    freshMs: values.refresh === true ? 0 : freshMs,
    // Without a configuration all built-in proxies take part.
    proxies: state.state === "ok" ? state.config.proxies : builtInNames.map((name) => ({ name, enabled: true })),
    env: process.env,
    signal: new AbortController().signal,
    watchdog: scope.add(new Watchdog()),
  });
  // Files of others are quoted: a terminal gets no more than text.
  for (const line of warnings) warn(plainText(line, 2_000));
  return say(values.json === true ? JSON.stringify(offers) : table(offers));
}

function table(offers: readonly OfferedExtension[]): string {
  if (offers.length === 0) return "No extension is recommended for this workspace.";
  const width = Math.max(...offers.map(({ title }) => title.length));
  const rows = offers.flatMap(({ title, reasons, alreadyEnabled }) =>
    reasons.map((reason, index) => {
      const first = index === 0 ? title : "";
      return `${first.padEnd(width)}  ${(index === 0 && alreadyEnabled ? "enabled" : "").padEnd(7)}  ${reason}`;
    }),
  );
  return rows.join("\n");
}
