import { asObject, type Members } from "../../../base/rpc/json.js";
import type { CommonEntry } from "./common-entry.js";
import { readCommonEntry } from "./common-entry.js";
import { type Entry, ownMember, textsOf } from "./entry.js";
import { type EntryGroup, type Format, groupAt, type ServerContent } from "./format.js";

/** Formats with entries in `mcpServers`, first used by Claude Desktop, and how each product's format differs. */

const approvals = ["autoApprove", "alwaysAllow", "trust", "alwaysLoad"] as const;

function common(dialect: Format["dialect"], options: CommonEntry, groups = groupAt("mcpServers")): Format {
  return { dialect, groups, read: (entry) => readCommonEntry(entry, options) };
}

/** Format of a project's `.mcp.json`, which VS Code, Claude Code and Copilot read. */
export const projectFile: Format = common("braces", {
  urls: { url: "path" },
  timeout: { unitMs: 1, limits: "callTimeoutMs" },
  tools: "tools",
  skipped: approvals,
});

/** Format of `~/.claude.json`: the user's servers, and each project's servers by folder. */
export const claudeCode: Format = {
  ...projectFile,
  groups(members) {
    const projects = Object.entries(asObject(ownMember(members, "projects")) ?? {});
    const ofProjects = projects.flatMap(([folder, project]): EntryGroup[] => {
      const entries = asObject(ownMember(asObject(project), "mcpServers"));
      return entries && Object.keys(entries).length > 0 ? [{ entries, folder }] : [];
    });
    return [...groupAt("mcpServers")(members), ...ofProjects];
  },
};

/** Format of Claude Desktop, which runs programs in the user's home folder. */
export const claudeDesktop: Format = common("none", { urls: { url: "path" }, cwd: "${userHome}" });

export const copilot: Format = common("shell", { urls: { url: "path" }, tools: "tools" });

export const cursor: Format = common("editor", { urls: { url: "path" }, skipped: approvals });

export const windsurf: Format = common("editor", {
  urls: { serverUrl: "path", url: "path" },
  excludeTools: "disabledTools",
  skipped: approvals,
});

export const antigravity: Format = common("none", {
  urls: { serverUrl: "path", url: "path" },
  excludeTools: "disabledTools",
});

export const junie: Format = common("none", { urls: { url: "path" } });

/** Format of Cline: times are in seconds, and a URL without a type uses sse. */
export const cline: Format = common("none", {
  urls: { url: "sse" },
  timeout: { unitMs: 1000, limits: "callTimeoutMs" },
  excludeTools: "disabledTools",
  skipped: approvals,
});

const geminiEntry: CommonEntry = {
  urls: { httpUrl: "http", url: "sse" },
  timeout: { unitMs: 1, limits: "callTimeoutMs" },
  tools: "includeTools",
  excludeTools: "excludeTools",
  skipped: ["trust"],
};

/** Format of Gemini and its forks: `url` means sse, `httpUrl` means streamable http. Separate lists disable entries. */
export const gemini: Format = {
  dialect: "system",
  groups: groupAt("mcpServers"),
  read(entry, members) {
    if (entry.raw("tcp") !== undefined) return entry.fail("It uses a TCP socket, which isn't supported.");
    const content = readCommonEntry(entry, geminiEntry);
    return content && isSwitchedOff(entry, members) ? { ...content, isEnabled: false } : content;
  },
};

function isSwitchedOff({ name }: Entry, members: Members): boolean {
  const lists = asObject(ownMember(members, "mcp"));
  const allowed = textsOf(ownMember(lists, "allowed")) ?? textsOf(ownMember(members, "allowMCPServers"));
  const excluded = textsOf(ownMember(lists, "excluded")) ?? textsOf(ownMember(members, "excludeMCPServers"));
  return excluded?.includes(name) === true || (allowed !== undefined && !allowed.includes(name));
}

/** Format of Zed, with entries in `context_servers`. Zed extensions start the servers whose entries contain only `settings`. */
export const zed: Format = {
  dialect: "none",
  groups: groupAt("context_servers"),
  read(entry): ServerContent | null {
    entry.skip("source", "remote");
    const older = asObject(entry.raw("command"));
    const isExtension = entry.raw("command") === undefined && entry.raw("url") === undefined;
    if (isExtension) return entry.fail("It's part of a Zed extension, which starts it.");
    if (!older)
      return readCommonEntry(entry, { urls: { url: "path" }, timeout: { unitMs: 1, limits: "callTimeoutMs" } });
    const command = ownMember(older, "path");
    if (typeof command !== "string") return entry.fail('"command.path" must be a string.');
    const values = Object.entries(asObject(ownMember(older, "env")) ?? {});
    const env = values.filter((pair): pair is [string, string] => typeof pair[1] === "string");
    return {
      launch: {
        type: "stdio",
        command: entry.own(command, "command.path"),
        args: (textsOf(ownMember(older, "args")) ?? []).map((text) => entry.own(text, "command.args")),
        env: Object.fromEntries(env.map(([name, value]) => [name, entry.own(value, `command.env.${name}`)])),
      },
      isEnabled: entry.flag("enabled") !== false,
    };
  },
};
