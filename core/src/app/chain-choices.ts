import { copyFile } from "node:fs/promises";
import { idOfNpxCommand, type KnownAgent } from "../agents/known-agents.js";
import { SymposiumError } from "../base/symposium-error.js";
import type { Change, Choice, Choosable, Offer } from "../conductor/choices/chosen-agent-and-proxies.js";
import { allInstalled } from "../agents/install/all-installed.js";
import { type ConfigState, lockConfig, writeConfig } from "../settings/node/config-file.js";
import { foundAgents } from "../agents/node/agents-on-path.js";
import { canonicalAgentId } from "../agents/registry/built-in-agents.js";
import { asObject } from "../base/rpc/json.js";
import type { Component } from "../settings/component-spec.js";
import { type AgentValue, withAgent, withProxy } from "../settings/config-edit.js";
import { JsonDocument } from "../settings/json-document.js";
import { formatProblem } from "../base/problem.js";
import type { ProxyEntry } from "../settings/proxy-entry.js";
import { formatShellWords } from "../base/shell-words.js";
import { ownProxies } from "./built-in-proxies.js";
import { proxiesOfConfig, toAgent } from "./components.js";
import { readAgentText } from "../agents/node/find-agent.js";
import { defaultExtensions, optInExtensions } from "../extensions/extension-names.js";
import { readConfiguration } from "./read-user-config.js";
import type { Environment } from "./environment.js";
import type { ChainPlan } from "./serve-chain.js";

type SoundState = Extract<ConfigState, { state: "ok" }>;

interface AgentEntry extends Choosable {
  readonly value: AgentValue;
  readonly component: Component;
  readonly isOwn: boolean;
}

/** Choices offered to users of the configured chain, and their effects. */
export class ChainChoices {
  readonly offer: Offer;
  readonly choice: Choice;

  private constructor(
    private readonly agents: readonly AgentEntry[],
    private readonly proxies: readonly ProxyEntry[],
    agent: string,
    readonly file: string,
  ) {
    this.offer = {
      agents: agents.map(({ id, name, description }) => ({ id, name, description })),
      proxies: proxies.map((entry) => ({ id: entry.name, name: entry.name, description: describeProxy(entry) })),
    };
    const on = proxies.filter(({ enabled }) => enabled).map(({ name }) => name);
    this.choice = { agent, proxies: new Set(on) };
  }

  /** Offers the known, installed and configured agents, the configured proxies, and all other available proxies. */
  static async of({ config, file, text }: SoundState, component: Component): Promise<ChainChoices> {
    const [agents, offered] = await Promise.all([listedAgents(), offeredProxies(config.proxies)]);
    const listed = agents.find((agent) => isSameAgent(agent, component));
    const own = listed ?? ownAgent(text, component, agents);
    return new ChainChoices(listed ? agents : [own, ...agents], offered, own.id, file);
  }

  /** Offers only the agent given as `text`, with all proxies. */
  static async ofAgent(text: string, entries: readonly ProxyEntry[], file: string): Promise<ChainChoices> {
    const component = readAgentText(text);
    const { name } = component;
    const agent = { id: name, name, description: text, value: text, component, isOwn: true };
    return new ChainChoices([agent], await offeredProxies(entries), name, file);
  }

  /** Offers all agents and the given proxies. `agent` is the id of the currently chosen agent. */
  static async before(agent: string, entries: readonly ProxyEntry[], file: string): Promise<ChainChoices> {
    return new ChainChoices(await listedAgents(), await offeredProxies(entries), agent, file);
  }

  /** Builds the chain for a choice. Rejects if a component is unknown. */
  async plan(choice: Choice, environment: Environment): Promise<ChainPlan> {
    return {
      proxies: await this.proxiesOf(choice, environment),
      agent: await toAgent(this.componentOf(choice), environment),
      signInWords: [],
    };
  }

  proxiesOf({ proxies }: Choice, environment: Environment): Promise<ChainPlan["proxies"]> {
    const entries = this.proxies.map((entry) => ({ ...entry, enabled: proxies.has(entry.name) }));
    return proxiesOfConfig(entries, environment);
  }

  componentOf({ agent }: Choice): Component {
    return this.#agent(agent).component;
  }

  valueOf(agent: string): AgentValue {
    return this.#agent(agent).value;
  }

  /**
   * Writes a change into the current file and preserves everything else. If the change replaces a custom agent, the old file is kept as a
   * backup.
   */
  async save(change: Change): Promise<void> {
    await using _lock = await lockConfig(this.file);
    const state = await readConfiguration(this.file);
    if (change.kind === "proxy") {
      // If a single agent was given on the command line, the file may not exist.
      const text = state.state === "absent" && this.agents.length === 1 ? "" : textOf(state);
      await writeConfig(this.file, withProxy(text, change.id, { enabled: change.isOn }, defaultExtensions, this.file));
      return;
    }
    if (state.state !== "ok") throw notSaved(state);
    const entry = this.#agent(change.id);
    const { agent } = state.config;
    if (agent && isSameAgent(entry, agent)) return;
    const isListed = !agent || this.agents.some((known) => !known.isOwn && isSameAgent(known, agent));
    if (!isListed)
      await copyFile(this.file, `${this.file}.before-${new Date().toISOString().replace(/\D/g, "").slice(0, 14)}`);
    await writeConfig(this.file, withAgent(state.text, entry.value, this.file));
  }

  /** Returns the sign-in command for the chosen agent. Omits the agent's environment, which may contain secrets. */
  signInLine({ agent }: Choice): string {
    const { component, value } = this.#agent(agent);
    const ownText = typeof value === "string" ? value : JSON.stringify(value);
    const text = component.kind === "command" ? formatShellWords({ ...component.command, env: {} }) : ownText;
    const args = ["sign-in", "--agent", text ?? component.name];
    return formatShellWords({ command: "symposium-acp-agent", args, env: {} }) ?? "symposium-acp-agent sign-in";
  }

  #agent(id: string): AgentEntry {
    const entry = this.agents.find((agent) => agent.id === id);
    if (entry) return entry;
    throw new SymposiumError("unknown-agent", `There is no agent "${id}".`, "Choose one from the list.");
  }
}

/** Returns the agents that need no custom configuration: known agents, then other installed agents. */
async function listedAgents(): Promise<readonly AgentEntry[]> {
  const known = foundAgents().map((agent) => ({
    id: agent.id,
    name: agent.name,
    description: describeAgent(agent),
    value: agent.words,
    component: readAgentText(agent.words),
    isOwn: false,
  }));
  const description = "installed from the registry";
  const installed = (await allInstalled("agent"))
    .filter(({ id }) => !known.some((agent) => agent.id === id))
    .map(({ id }) => ({ id, name: id, description, value: id, component: readAgentText(id), isOwn: false }));
  return [...known, ...installed];
}

function ownAgent(text: string, component: Component, listed: readonly AgentEntry[]): AgentEntry {
  const { name } = component;
  const value = asObject(JsonDocument.parse(text).value)?.["agent"];
  return {
    id: listed.some(({ id }) => id === name) ? `${name}-configured` : name,
    name,
    description: "the agent of your configuration",
    value: typeof value === "string" ? value : (asObject(value) ?? name),
    component,
    isOwn: true,
  };
}

function isSameAgent(entry: AgentEntry, component: Component): boolean {
  if (entry.isOwn) return JSON.stringify(entry.component) === JSON.stringify(component);
  switch (component.kind) {
    case "name":
      return canonicalAgentId(component.name) === entry.id;
    case "symposium":
      return component.subcommand === entry.id && component.args.length === 0;
    case "command": {
      const { command } = component;
      const own = entry.component.kind === "command" ? entry.component.command : undefined;
      return idOfNpxCommand(command) === entry.id || JSON.stringify(own) === JSON.stringify(command);
    }
  }
}

function describeAgent({ description, needs, origin, missing }: KnownAgent): string {
  const notes = [
    ...(missing === undefined ? [] : [`${missing} is not on PATH`]),
    ...(missing === undefined && origin === "npx" ? ["npx downloads it on first start"] : []),
    ...(needs === undefined ? [] : [`needs ${needs}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

/** Returns the configured proxies, followed by the other built-in and installed proxies, which are disabled. */
async function offeredProxies(entries: readonly ProxyEntry[]): Promise<readonly ProxyEntry[]> {
  const installed = (await allInstalled("extension")).map(({ id }) => id);
  const known = new Set([...defaultExtensions, ...optInExtensions, ...installed]);
  const others = [...known].filter((name) => !entries.some((entry) => entry.name === name));
  return [...entries, ...others.map((name) => ({ name, enabled: false }))];
}

function describeProxy({ name, distribution }: ProxyEntry): string {
  const own = ownProxies.find((proxy) => proxy.name === name);
  return own?.description ?? (distribution ? "an extension of your configuration" : "an installed extension");
}

function textOf(state: ConfigState): string {
  if (state.state === "ok") return state.text;
  throw notSaved(state);
}

function notSaved(state: Exclude<ConfigState, SoundState>): SymposiumError {
  const problems = state.state === "broken" ? state.problems.map((problem) => formatProblem(problem, state.file)) : [];
  const reason = problems.length === 0 ? "the file is gone" : problems.join(" ");
  return new SymposiumError(
    "config-not-written",
    `${state.file} cannot be changed: ${reason}.`,
    "Fix the problem and try again.",
  );
}
