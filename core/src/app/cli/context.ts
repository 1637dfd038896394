import { invalidArguments } from "../../base/symposium-error.js";
import { rowOfCommand } from "../../agents/agent-quirks.js";
import { agentTable } from "../../agents/registry/agent-table.js";
import { builtInAgent, canonicalAgentId, eliza } from "../../agents/registry/built-in-agents.js";
import { plainText } from "../../agents/registry/registry-entry.js";
import type { Component } from "../../settings/component-spec.js";
import type { ProxyEntry } from "../../settings/proxy-entry.js";
import { readSoundConfig } from "../read-user-config.js";
import { contextReport, type ContextReport, type ReportedItem } from "./context/context-report.js";
import { switchContext, switchMatching } from "./context/context-switch.js";
import { existingFolder } from "./existing-folder.js";
import { missingValues } from "./mcp/missing-values.js";
import { say } from "./output.js";
import { subcommand } from "./subcommand.js";

/**
 * `context`: lists an agent's context in a folder, except the user's prompts, with sizes. `context off NAME` and `context on NAME` edit the
 * user's config.jsonc.
 */
export const context = subcommand({
  name: "context",
  about:
    "Show what an agent gets in a folder in addition to your prompts: rules, skills, slash commands and MCP servers, with sizes. Can turn each part off or on. Starts nothing.",
  arguments: {
    "[VERB]": "off or on: switches NAME for new sessions, in your config.jsonc; prints the list if omitted",
    "[NAME]": "a rules file, skill or command as listed, mcp:SERVER, or mcp:SERVER/TOOL; `*` matches any characters",
  },
  options: {
    agent: { about: "the agent's id (default: the configured agent)", value: "ID" },
    any: { about: "accept any id; Symposium assumes that an unknown agent reads no files itself" },
    cwd: { about: "the folder (default: the current one)", value: "DIR" },
    extensions: {
      about: "comma-separated names of built-in extensions to use instead of the configured ones",
      value: "NAMES",
    },
    json: { about: "print one line of JSON" },
  },
  async run({ values, positionals: [verb, name] }) {
    if (verb !== undefined && ((verb !== "off" && verb !== "on") || name === undefined)) {
      const usage = "symposium-acp-agent context, context off NAME, or context on NAME.";
      const fault = verb === "off" || verb === "on" ? "needs a NAME" : "is not understood";
      throw invalidArguments(`context: "${plainText(verb)}" ${fault}.`, usage);
    }
    const { report, agent } = await readReport(values);
    if (name !== undefined) {
      const change = name.includes("*") ? switchMatching : switchContext;
      return say(plainText(await change(report, name, verb === "on"), 4_000));
    }
    return say(values.json === true ? JSON.stringify(report) : shown(report, agent));
  },
});

async function readReport(values: {
  readonly agent?: string;
  readonly any?: boolean;
  readonly cwd?: string;
  readonly extensions?: string;
}): Promise<{ readonly report: ContextReport; readonly agent: string }> {
  const config = await readSoundConfig("go-on");
  const proxies = values.extensions === undefined ? config?.proxies : named(values.extensions, config?.proxies);
  const configured = values.agent === undefined ? idOfConfigured(config?.agent) : undefined;
  const id = canonicalAgentId(values.agent ?? configured ?? "");
  const row = builtInAgent(id);
  if (!row && id !== eliza.id && values.agent !== undefined && values.any !== true) {
    const known = [...agentTable, eliza].map((one) => one.id).join(", ");
    throw invalidArguments(`context: there is no agent "${plainText(id)}".`, `Known: ${known}.`);
  }
  const cwd = existingFolder(values.cwd ?? ".", "--cwd");
  const report = await contextReport({ cwd, row, config, proxies, missing: (server) => missingValues(server) });
  return {
    report,
    agent: row?.name ?? (id === eliza.id ? eliza.name : nameOfUnknown(id, config?.agent !== undefined)),
  };
}

function nameOfUnknown(id: string, isConfigured: boolean): string {
  if (id !== "") return `Unknown agent "${plainText(id)}"`;
  return isConfigured ? "The configured agent" : "Any agent (none is configured)";
}

/** Returns the extensions that an editor chose, with their options from config.jsonc. */
function named(extensions: string, configured: readonly ProxyEntry[] = []): readonly ProxyEntry[] {
  return extensions.split(",").map((name) => ({ ...configured.find((one) => one.name === name), name, enabled: true }));
}

function idOfConfigured(agent: Component | undefined): string | undefined {
  if (agent?.kind === "command") return rowOfCommand(agent.command)?.id;
  const name = agent?.kind === "name" ? agent.name : undefined;
  return agentTable.find((one) => one.program === name)?.id ?? name;
}

const headings: Readonly<Record<ReportedItem["kind"], string>> = {
  rule: "Rules",
  skill: "Skills",
  command: "Slash commands",
  memory: "Memory",
  extension: "Tools of extensions",
  server: "MCP servers",
};

function shown({ folder, items, tools, commands, bytes, tokens }: ContextReport, agent: string): string {
  const lines = [`${agent} in ${plainText(folder, 4_000)}: ${size(bytes, tokens)}`];
  for (const [kind, heading] of Object.entries(headings)) {
    const ofKind = items.filter((item) => item.kind === kind);
    if (ofKind.length > 0) lines.push("", heading, ...ofKind.map(shownItem));
  }
  if (commands.count > 0) {
    const count = commands.count === 1 ? "1 slash command" : `${commands.count} slash commands`;
    lines.push(
      "",
      `${count}, sent only when called and not included in the total: ${size(commands.bytes, commands.tokens)}`,
    );
  }
  if (tools.count > 0) lines.push("", `${counted(tools.count)}, with each request: ${size(tools.bytes, tools.tokens)}`);
  if (items.length === 0) lines.push("", "Nothing except your prompts.");
  return lines.join("\n");
}

function shownItem({ title, bytes, tokens, isSent, reason, tools, offTools = [], switch: own }: ReportedItem): string {
  const count = tools === undefined || tools.length === 0 ? "" : `, ${counted(tools.length)}`;
  const back = own?.isOff === true ? `; switch on with \`context on ${own.name}\`` : "";
  const off = offTools.length === 0 ? "" : `\n      off: ${offTools.join(", ")}`;
  const line = `  ${isSent ? "+" : "-"} ${plainText(title)}${count}: ${size(bytes, tokens)}`;
  return `${line}\n      ${plainText(reason + back, 1_000)}${off === "" ? "" : `\n      ${plainText(off.trim(), 1_000)}`}`;
}

function counted(tools: number): string {
  return tools === 1 ? "1 tool" : `${tools} tools`;
}

function size(bytes: number, tokens: number): string {
  return `${bytes} bytes, about ${tokens} tokens`;
}
