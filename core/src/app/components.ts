import { isAbsolute } from "node:path";
import { didYouMean } from "../base/nearest-word.js";
import { SymposiumError } from "../base/symposium-error.js";
import { idOfNpxCommand } from "../agents/known-agents.js";
import type { Agent, AgentComponent, ProcessComponent, ProxyComponent } from "../conductor/chain/component.js";
import type { Component } from "../settings/component-spec.js";
import { commandOf } from "../settings/distribution-command.js";
import type { ProxyEntry } from "../settings/proxy-entry.js";
import { builtInProxies, ownProxies } from "./built-in-proxies.js";
import { withCommandOutput } from "../agents/command-output.js";
import type { Environment } from "./environment.js";
import { extensionFault } from "../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../settings/managed-policy/node/system-policy.js";
import { assertAgentAllowed, installedAs } from "./organisation.js";
import {
  findAgentCommand,
  installedProcess,
  isOnPath,
  programNamed,
  readSpec,
  selfProcess,
} from "../agents/node/find-agent.js";
import { productVersion } from "../base/node/product-version.js";

/** Value of `--proxy` that stands for all built-in proxies. */
const defaultsWord = "defaults";

/** Resolves `--proxy` values in order, expanding `defaults` in place. Throws a {@link SymposiumError} that names the invalid value. */
export async function proxiesOfTexts(texts: readonly string[], environment: Environment): Promise<ProxyComponent[]> {
  const components = texts.flatMap((text): Component[] =>
    text === defaultsWord ? builtInProxies.map(({ name }) => ({ kind: "name", name })) : [readSpec(text, "--proxy")],
  );
  assertEachOnce(components, texts.includes(defaultsWord));
  return toProxies(
    components.map((component) => ({ component, options: component.options ?? {} })),
    environment,
  );
}

/** Throws if a chain has a named proxy twice, since that proxy would do its work twice. Commands may repeat. */
function assertEachOnce(components: readonly Component[], hasDefaults: boolean): void {
  const names = components.flatMap((component) => (component.kind === "name" ? [component.name] : []));
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated === undefined) return;
  const isDefault = hasDefaults && builtInProxies.some(({ name }) => name === repeated);
  throw new SymposiumError(
    "invalid-component",
    `--proxy names "${repeated}" twice.`,
    isDefault ? `"${defaultsWord}" already includes it: leave one of them out.` : "Name each proxy once.",
  );
}

export async function proxiesOfConfig(
  entries: readonly ProxyEntry[],
  environment: Environment,
): Promise<ProxyComponent[]> {
  const enabled = entries.filter((entry) => entry.enabled);
  return toProxies(
    enabled.map((entry) => ({ component: componentOf(entry), options: entry.options ?? {} })),
    environment,
  );
}

interface WantedProxy {
  readonly component: Component;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Resolves proxies in order. Leaves out those that the organisation doesn't allow, with a warning. */
async function toProxies(wanted: readonly WantedProxy[], environment: Environment): Promise<ProxyComponent[]> {
  const policy = await systemPolicy();
  const allowed = wanted.filter(({ component }) => {
    const fault = extensionFault(policy, { name: component.name, known: extensionNames(component) });
    if (fault) environment.logger.warn("left out an extension", { name: component.name, reason: fault.message });
    return !fault;
  });
  return withUniqueNames(
    await Promise.all(allowed.map(({ component, options }) => toProxy(component, options, environment))),
  );
}

/** Returns the names that a policy may use for an extension. A name that the user gave to a command doesn't count. */
function extensionNames(component: Component): readonly string[] {
  if (component.kind === "name") return [component.name];
  if (component.kind === "symposium") return [component.subcommand];
  const { command } = component;
  return [...(isAbsolute(command.command) ? [command.command] : []), ...installedAs("extension", command)];
}

/**
 * Resolves a component to an agent that can be started. Rejects with `forbidden-by-policy` if the organisation doesn't allow the agent.
 * Reports on stderr if npx downloads a package.
 */
export async function toAgent(component: Component, environment: Environment): Promise<AgentComponent> {
  const command = await findAgentCommand(component);
  await assertAgentAllowed(command);
  if (command !== "eliza") {
    const id = idOfNpxCommand(command.command);
    if (id !== undefined) {
      const { npxDownloadNotice } = await import("../agents/node/npx-cache.js");
      const notice = await npxDownloadNotice(id);
      if (notice !== undefined) process.stderr.write(`${notice}\n`);
    }
    const kept = await environment.projects.asStartedHere(command);
    return withCommandOutput(kept, environment.settings.commandOutput, process.env);
  }
  const isDeterministic = component.kind === "symposium" && component.args.includes("--deterministic");
  return { kind: "agent", agent: await makeEliza(isDeterministic, environment) };
}

/** Creates the embedded agent. Imports the agent's module on demand. */
export async function makeEliza(isDeterministic: boolean, environment: Environment): Promise<Agent> {
  const { ElizaAgent } = await import("../agents/eliza/eliza-agent.js");
  const { McpClient } = await import("../context/servers/node/mcp-client.js");
  const client = new McpClient({
    clientInfo: { name: "eliza", version: productVersion },
    startProcess: environment.chain.startProcess,
  });
  return new ElizaAgent({
    version: productVersion,
    isDeterministic,
    connectMcp: client.connect,
    yieldNow: () => new Promise((resolve) => setImmediate(resolve)),
  });
}

/** Entries that can't be started were removed when the configuration was read. */
function componentOf({ name, distribution }: ProxyEntry): Component {
  const start = distribution && commandOf(distribution);
  return start === undefined || start.kind === "problem" ? { kind: "name", name } : { ...start, name };
}

async function toProxy(
  component: Component,
  options: Readonly<Record<string, unknown>>,
  environment: Environment,
): Promise<ProxyComponent> {
  switch (component.kind) {
    case "command":
      return withOptions({ kind: "process", name: component.name, command: component.command }, options);
    case "symposium":
      return withOptions(selfProcess(component.name, component.subcommand, component.args), options);
    case "name": {
      const builtIn = ownProxies.find(({ name }) => name === component.name);
      if (builtIn) return { kind: "proxy", proxy: await builtIn.make(options, environment) };
      if (isOnPath(component.name)) return withOptions(programNamed(component.name), options);
      const installed = await installedProcess("extension", component.name);
      return installed ? withOptions(installed, options) : unknownProxy(component.name);
    }
  }
}

/** Adds options to the proxy's `initialize`. Without options, `initialize` stays unmodified. */
function withOptions(component: ProcessComponent, options: Readonly<Record<string, unknown>>): ProcessComponent {
  return Object.keys(options).length === 0 ? component : { ...component, options };
}

function unknownProxy(name: string): never {
  const names = [...ownProxies.map((proxy) => proxy.name), defaultsWord];
  const known = names.join(", ");
  throw new SymposiumError(
    "unknown-proxy",
    `"${name}" isn't a known proxy, an installed proxy or a program on PATH.`,
    `${didYouMean(name, names)}If it is in \`registry list-extensions\`, run \`symposium-acp-agent registry install --extension ` +
      `${name}\`. Known proxies: ${known}. You can also give the path of a program.`,
  );
}

/** Numbers programs with equal names, so that traces and errors are unambiguous. */
function withUniqueNames(components: readonly ProxyComponent[]): ProxyComponent[] {
  const seen = new Map<string, number>();
  return components.map((component) => {
    if (component.kind === "proxy") return component;
    const count = (seen.get(component.name) ?? 0) + 1;
    seen.set(component.name, count);
    return count === 1 ? component : { ...component, name: `${component.name} (${count})` };
  });
}
