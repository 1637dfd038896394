import { asObject, isStrings } from "../rpc/json.js";

type StringRecord = Readonly<Record<string, string>>;

export type McpServerEntry =
  | {
      readonly type: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: StringRecord;
    }
  | { readonly type: "http" | "sse"; readonly name: string; readonly url: string; readonly headers: StringRecord }
  | { readonly type: "acp"; readonly name: string; readonly serverId: string };

export function parseMcpServerEntry(value: unknown): McpServerEntry | string {
  const { name, type, ...rest } = asObject(value) ?? {};
  if (typeof name !== "string" || name === "") return "An entry of mcpServers has no name.";
  const missing = (member: string): string => `The MCP server "${name}" has no valid "${member}".`;
  switch (type) {
    case undefined:
    case "stdio": {
      const { command, args = [], env = [] } = rest;
      const variables = parsePairs(env);
      if (typeof command !== "string" || command === "") return missing("command");
      if (!isStrings(args)) return missing("args");
      return variables === undefined ? missing("env") : { type: "stdio", name, command, args, env: variables };
    }
    case "http":
    case "sse": {
      const { url, headers = [] } = rest;
      const fields = parsePairs(headers);
      if (typeof url !== "string" || !/^https?:\/\//.test(url)) return missing("url");
      return fields === undefined ? missing("headers") : { type, name, url, headers: fields };
    }
    case "acp": {
      const { serverId } = rest;
      return typeof serverId === "string" ? { type, name, serverId } : missing("serverId");
    }
    default:
      return `The MCP server "${name}" has the type ${JSON.stringify(type)}, but the type must be stdio, http, sse or acp.`;
  }
}

/** Parses ACP's `[{name, value}]`; among equal names, the last wins. */
function parsePairs(value: unknown): StringRecord | undefined {
  if (!Array.isArray(value)) return undefined;
  const pairs: [string, string][] = [];
  for (const item of value as readonly unknown[]) {
    const { name, value: text } = asObject(item) ?? {};
    if (typeof name !== "string" || typeof text !== "string") return undefined;
    pairs.push([name, text]);
  }
  return Object.fromEntries(pairs);
}
