import { asObject, type Members } from "../../../base/rpc/json.js";
import { readCommonEntry } from "./common-entry.js";
import type { Entry } from "./entry.js";
import { type EntryGroup, type Format, groupAt, type ServerContent } from "./format.js";

export interface InstalledPlugin {
  readonly name: string;
  readonly folder: string;
  /** Ids of the agents that load the plugin by themselves. */
  readonly readBy: readonly string[];
}

/**
 * Format of `mcp.json` in Agent Plugins (agent-plugins.org). The only variables are the plugin's folders, and only some members support
 * them.
 */
export function agentPlugin(plugin: InstalledPlugin): Format {
  const groups = groupAt("mcpServers");
  return {
    dialect: "none",
    groups: (members) => groups(members).map((group) => inPlugin(group, plugin, standardTexts)),
    read: (entry) => ofPlugin(plugin, entry, "PLUGIN_DATA"),
  };
}

/** Format of `.mcp.json` in Claude Code plugins. The `mcpServers` member around the servers is optional. */
export function claudePlugin(plugin: InstalledPlugin): Format {
  return {
    dialect: "braces",
    groups(members) {
      const entries = asObject(members["mcpServers"]) ?? members;
      return [inPlugin({ entries }, plugin, (entry, at) => everyText(entry, (text) => at(text, "CLAUDE_PLUGIN_ROOT")))];
    },
    read: (entry) => ofPlugin(plugin, entry, "CLAUDE_PLUGIN_DATA"),
  };
}

type PutFolder = (text: string, variable: string) => string;

/** Inserts the plugin's folder into the entries. Entries that aren't objects stay unmodified, so that the reader reports them. */
function inPlugin(
  { entries }: EntryGroup,
  { folder }: InstalledPlugin,
  put: (entry: Members, at: PutFolder) => unknown,
): EntryGroup {
  const at: PutFolder = (text, variable) => text.replaceAll(`\${${variable}}`, () => folder);
  const placed = Object.entries(entries).map(([name, entry]) => {
    const members = asObject(entry);
    if (!members) return [name, entry];
    const written = asObject(put(members, at)) ?? {};
    return [name, { ...written, ...besideFiles(written, folder) }];
  });
  return { entries: Object.fromEntries(placed) as Members };
}

/** Resolves `./` in `command` and `cwd` against the plugin's folder. */
function besideFiles(entry: Members, folder: string): Members {
  const own = ["command", "cwd"].flatMap((key): [string, string][] => {
    const value = entry[key];
    return typeof value === "string" && /^\.(?:[\\/]|$)/.test(value) ? [[key, `${folder}${value.slice(1)}`]] : [];
  });
  return Object.fromEntries(own);
}

function standardTexts(entry: Members, at: PutFolder): Members {
  const expanded = ["args", "env", "cwd"].flatMap((key): [string, unknown][] =>
    entry[key] === undefined ? [] : [[key, everyText(entry[key], (text) => at(text, "PLUGIN_ROOT"))]],
  );
  return { ...entry, ...Object.fromEntries(expanded) };
}

function everyText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => everyText(one, change));
  const members = asObject(value);
  if (!members) return value;
  return Object.fromEntries(Object.entries(members).map(([key, one]) => [key, everyText(one, change)]));
}

function ofPlugin({ name, folder }: InstalledPlugin, entry: Entry, dataVariable: string): ServerContent | null {
  const texts = JSON.stringify(["command", "args", "env", "cwd", "url", "headers"].map((key) => entry.raw(key)));
  if (texts.includes(`\${${dataVariable}}`)) {
    return entry.fail(`It needs \${${dataVariable}}, a folder that only a plugin host provides.`);
  }
  if (texts.includes(JSON.stringify(folder).slice(1, -1))) {
    entry.note(`It is in the folder of the plugin ${JSON.stringify(name)}. Import it again if that folder moves.`);
  }
  return readCommonEntry(entry, { urls: { url: "path" }, skipped: ["alwaysLoad"] });
}
