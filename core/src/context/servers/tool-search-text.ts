import { boundedList, cutToBytes, utf8Length } from "../../base/text-bounds.js";
import type { IndexedTool, ServerTools, ToolIndex } from "./tool-index.js";

/** Maximum bytes of a server's summary after its name. */
const summaryBytes = 120;
/** Maximum bytes of all servers' instructions together. */
const instructionBytes = 2_000;
/** Maximum bytes of search results. */
const resultBytes = 24_000;
/** Maximum number of names after the full results. */
const furtherNames = 10;

/**
 * Lists tool names by server, one line each, in at most `limit` bytes: `github (Issues and more.): create_issue, get_issue*, and 12 more`.
 * `*` marks read-only tools. If space is short, shares it between servers and counts the omitted tools.
 */
export function namesByServer(index: ToolIndex, limit: number): string {
  const groups = index.servers
    .filter(({ tools }) => tools.length > 0)
    .map((one) => ({ ...one, names: namesOf(one, index) }));
  const full = groups.map((group) => `${headOf(group, true)}: ${group.names.join(", ")}`);
  if (utf8Length(full.join("\n")) <= limit) return full.join("\n");
  const heads = groups.map((group) => headOf(group, false));
  let left = limit - heads.reduce((sum, head) => sum + utf8Length(`${head}: , and 9999 more\n`), 0);
  const taken = groups.map(() => 0);
  for (let isTaking = true; isTaking;) {
    isTaking = false;
    for (const [place, { names }] of groups.entries()) {
      const name = names[taken[place] ?? 0];
      const cost = utf8Length(name ?? "") + 2;
      if (name === undefined || cost > left) continue;
      taken[place] = (taken[place] ?? 0) + 1;
      left -= cost;
      isTaking = true;
    }
  }
  const lines = groups.map(({ names }, place) => {
    const shown = names.slice(0, taken[place]);
    const rest = names.length - shown.length;
    if (shown.length === 0) return `${heads[place] ?? ""}: ${rest} tools`;
    return `${heads[place] ?? ""}: ${shown.join(", ")}${rest === 0 ? "" : `, and ${rest} more`}`;
  });
  return boundedList(lines, limit, (count) => {
    const others = groups.slice(groups.length - count).reduce((sum, { names }) => sum + names.length, 0);
    return `and ${count} more servers with ${others} tools`;
  });
}

function namesOf({ server }: ServerTools, index: ToolIndex): readonly string[] {
  return index.tools
    .filter((one) => one.server === server)
    .map(({ label, tool }) => (tool.isReadOnly ? `${label}*` : label));
}

function headOf({ server, instructions }: ServerTools, hasSummary: boolean): string {
  const summary = hasSummary ? summaryOf(instructions ?? "") : "";
  return summary === "" ? server.name : `${server.name} (${summary})`;
}

function summaryOf(instructions: string): string {
  const [sentence = ""] = instructions
    .trim()
    .replace(/\s+/g, " ")
    .split(/(?<=[.!?]) /);
  return cutToBytes(sentence, summaryBytes);
}

/** Returns the instructions that are longer than their summary, shortened to a common limit; undefined if there are none. */
export function longInstructions(servers: readonly ServerTools[]): string | undefined {
  const parts = servers.flatMap(({ server, instructions }) => {
    const text = instructions?.trim() ?? "";
    return text === "" || text === summaryOf(text) ? [] : [`## ${server.name}\n${text}`];
  });
  const share = Math.floor(instructionBytes / Math.max(1, parts.length));
  return parts.length === 0 ? undefined : parts.map((part) => cutToBytes(part, share)).join("\n\n");
}

export function toolText({ label, server, tool }: IndexedTool): string {
  const marks = tool.isReadOnly ? `${server.name}, read-only` : server.name;
  return [`## ${label} (${marks})`, tool.description ?? "", `Arguments: ${JSON.stringify(tool.inputSchema)}`]
    .filter((line) => line !== "")
    .join("\n");
}

/** Describes the first `limit` tools in full and names some others. */
export function resultsText(found: readonly IndexedTool[], limit: number): string {
  const texts: string[] = [];
  let left = resultBytes;
  for (const one of found.slice(0, limit)) {
    const text = toolText(one);
    left -= utf8Length(text);
    if (left < 0 && texts.length > 0) break;
    texts.push(text);
  }
  const further = found.slice(texts.length, texts.length + furtherNames).map(({ label }) => label);
  if (further.length > 0) texts.push(`Also found: ${further.join(", ")}`);
  return texts.join("\n\n");
}
