import type { AgentRegistry } from "../../node/registry/agent-registry.js";
import { canonicalAgentId } from "../../registry/built-in-agents.js";
import type { EntryKind } from "../../registry/registry-entry.js";
import { allInstalled } from "./all-installed.js";
import { say, warn } from "./output.js";

/** `registry list`, `registry list-extensions`: what can be chosen; last, what is installed and in no list. */
export async function list(registry: AgentRegistry, kind: EntryKind, isJson: boolean): Promise<number> {
  const { entries, warnings } = await registry.list(kind);
  warnings.forEach(warn);
  const listed = entries.map(({ id, name, version, description }) => ({ id, name, version, description }));
  const listedId = kind === "agent" ? canonicalAgentId : (id: string): string => id;
  const unlisted = (await allInstalled(kind)).filter(({ id }) => !listed.some((entry) => entry.id === listedId(id)));
  const shown = [
    ...listed,
    ...unlisted.map(({ id, version }) => ({ id, name: id, version, description: "Installed" })),
  ];
  if (isJson) return say(JSON.stringify(shown));
  const width = Math.max(...shown.map(({ id }) => id.length));
  return say(
    shown.map(({ id, name, version = "" }) => `${id.padEnd(width)}  ${`${name} ${version}`.trim()}`).join("\n"),
  );
}
