import type { AgentRegistry } from "../../node/registry/agent-registry.js";
import type { EntryKind } from "../../registry/registry-entry.js";
import { say, warn } from "./output.js";

/** `registry list`, `registry list-extensions`: what can be chosen. */
export async function list(registry: AgentRegistry, kind: EntryKind, isJson: boolean): Promise<number> {
  const { entries, warnings } = await registry.list(kind);
  warnings.forEach(warn);
  const shown = entries.map(({ id, name, version, description }) => ({ id, name, version, description }));
  if (isJson) return say(JSON.stringify(shown));
  const width = Math.max(...shown.map(({ id }) => id.length));
  return say(
    shown.map(({ id, name, version = "" }) => `${id.padEnd(width)}  ${`${name} ${version}`.trim()}`).join("\n"),
  );
}
