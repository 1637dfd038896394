import { idOfNpxCommand, knownAgent, knownAgents } from "../known-agents.js";
import { didYouMean } from "../../base/nearest-word.js";
import { redactText } from "../../base/redact.js";
import { SymposiumError } from "../../base/symposium-error.js";
import type { ProcessComponent } from "../../conductor/chain/component.js";
import { outerLookup } from "../../base/node/search-path-outside-project.js";
import { resolveCommand } from "../../base/node/resolve-command.js";
import { agentTable } from "../registry/agent-table.js";
import { canonicalAgentId } from "../registry/built-in-agents.js";
import type { EntryKind } from "../registry/registry-entry.js";
import { type Component, parseComponentSpec } from "../../settings/component-spec.js";
import { parseShellWords } from "../../base/shell-words.js";
import { selfCommand } from "../../base/node/self-command.js";

export function readAgentText(text: string): Component {
  return readSpec(text, "--agent");
}

/**
 * Resolves an agent to its command, or to `eliza` for the embedded agent. For npx commands and for names not found on PATH, prefers a
 * program that Symposium installed.
 */
export async function findAgentCommand(component: Component): Promise<ProcessComponent | "eliza"> {
  const id = idOfAgent(component);
  const isElsewhere = id !== undefined && (component.kind === "command" || !isStartedFromPath(id));
  return (isElsewhere ? await installedProcess("agent", id) : undefined) ?? toAgentCommand(component);
}

/** Like {@link findAgentCommand}, but returns `component` itself for Eliza. */
export async function findNamedAgent(component: Component): Promise<Component | ProcessComponent> {
  const command = await findAgentCommand(component);
  return command === "eliza" ? component : command;
}

function idOfAgent(component: Component): string | undefined {
  if (component.kind === "name") return canonicalAgentId(component.name);
  return component.kind === "command" ? idOfNpxCommand(component.command) : undefined;
}

/** Resolves an agent without looking for programs that Symposium installed. */
function toAgentCommand(component: Component): ProcessComponent | "eliza" {
  switch (component.kind) {
    case "command":
      return { kind: "process", name: component.name, command: component.command };
    case "symposium":
      if (component.subcommand === "eliza") return "eliza";
      return selfProcess(component.name, component.subcommand, component.args);
    case "name":
      return agentNamed(canonicalAgentId(component.name));
  }
}

/** Whether the program is on PATH. Ignores the working folder, since agents may have created files there. */
export function isOnPath(name: string): boolean {
  return resolveCommand(name, outerLookup([process.cwd()])) !== undefined;
}

function agentNamed(name: string): ProcessComponent | "eliza" {
  if (name === "eliza") return "eliza";
  const words = parseShellWords(knownAgent(name, isOnPath)?.words ?? "");
  if (words.kind !== "problem") return { kind: "process", name, command: words.command };
  if (isOnPath(name)) return programNamed(name);
  const absent = agentTable.find((row) => row.id === name);
  if (absent) {
    throw new SymposiumError(
      "unknown-agent",
      `${absent.name} is not installed, and its program "${absent.program}" is not on PATH.`,
      `Run \`symposium-acp-agent registry install ${name}\`, or follow the vendor's installation instructions.`,
    );
  }
  const ids = knownAgents(isOnPath).map(({ id }) => id);
  const near = didYouMean(name, [...agentTable.map(({ id }) => id), ...ids]);
  throw new SymposiumError(
    "unknown-agent",
    `"${name}" isn't a known agent, an installed agent or a program on PATH.`,
    `${near}If it is in \`registry list\`, run \`symposium-acp-agent registry install ${name}\`. Known agents: ${ids.join(", ")}. For ` +
      "any other agent, give its command, such as 'opencode acp'.",
  );
}

function isStartedFromPath(name: string): boolean {
  const known = knownAgent(name, isOnPath);
  return known ? known.origin !== "npx" && known.missing === undefined : isOnPath(name);
}

/** Returns the command installed under `name`. Imports the lookup module only when called. */
export async function installedProcess(kind: EntryKind, name: string): Promise<ProcessComponent | undefined> {
  const { installedCommand } = await import("../install/installed.js");
  const command = await installedCommand(kind, name);
  return command && { kind: "process", name, command };
}

export function selfProcess(name: string, subcommand: string, args: readonly string[]): ProcessComponent {
  const self = selfCommand();
  return { kind: "process", name, command: { ...self, args: [...self.args, subcommand, ...args] } };
}

export function programNamed(name: string): ProcessComponent {
  return { kind: "process", name, command: { command: name, args: [], env: {} } };
}

export function readSpec(text: string, option: string): Component {
  const spec = parseComponentSpec(text);
  if (spec.kind !== "problem") return spec;
  // JSON specifications contain environment values, which must not appear in logs.
  const shown = text.trimStart().startsWith("{") ? "{…}" : redactText(text);
  throw new SymposiumError("invalid-component", `${option} ${shown}: ${spec.message}`, spec.hint);
}
