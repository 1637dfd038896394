import { homedir } from "node:os";
import { SymposiumError } from "../base/symposium-error.js";
import { configFolder } from "../node/config-file.js";
import { AgentRegistry, type FoundEntry } from "../node/registry/agent-registry.js";
import { currentPlatform } from "../node/registry/current-platform.js";
import { registrySources } from "../node/registry/registry-sources.js";
import { builtInAgents } from "../registry/built-in-agents.js";
import { builtInExtensions } from "../registry/built-in-extensions.js";
import type { InstallPlan } from "../registry/install-plan.js";
import type { EntryKind, RegistryEntry } from "../registry/registry-entry.js";
import { planOf } from "../registry/start-plan.js";
import type { Command } from "../settings/command.js";
import type { ProxyEntry } from "../settings/proxy-entry.js";
import { defaultSettings } from "../settings/settings-table.js";
import { builtInProxies } from "./built-in-proxies.js";
import { parseCommandLine } from "./command-line.js";
import { isOnPath } from "./components.js";
import { readUserConfig } from "./configuration.js";
import { selfCommand } from "./environment.js";

/** What the subcommand needs from others. */
export interface RegistryServices {
  /** Installs what is not installed yet, and says how it starts. */
  install(entry: RegistryEntry, plan: InstallPlan): Promise<Command>;
}

/** An editor lists and then resolves: both within this time are one session, and the list is fetched once. */
const sessionMs = 10 * 60_000;

const usage = "symposium-acp-agent registry list | list-extensions | resolve-agent WHAT | resolve-extension WHAT";

/**
 * `registry list | list-extensions [--json] [--refresh]` and `registry resolve | resolve-agent | resolve-extension
 * WHAT`, where WHAT is an id, the address of a description, or JSON. The result is one line of JSON on stdout, except
 * for lists in a terminal; warnings are on stderr.
 */
export async function registry(
  words: readonly string[],
  services: RegistryServices = withoutInstaller,
): Promise<number> {
  const options = { json: { type: "boolean" }, refresh: { type: "boolean" } } as const;
  const { values, positionals } = parseCommandLine("registry", words, options, true);
  const [verb = "", text, ...others] = positionals;
  const kind = verb.endsWith("-extension") || verb.endsWith("-extensions") ? "extension" : "agent";
  const open = (): Promise<AgentRegistry> => openRegistry(values.refresh === true ? 0 : sessionMs);
  if (/^list(?:-extensions)?$/.test(verb) && text === undefined) {
    return list(await open(), kind, values.json === true || !process.stdout.isTTY);
  }
  if (/^resolve(?:-agent|-extension)?$/.test(verb) && text !== undefined && others.length === 0) {
    return resolve(await (await open()).find(kind, text, warn), services);
  }
  throw new SymposiumError("invalid-arguments", `${["registry", ...positionals].join(" ")} is not understood.`, usage);
}

async function list(registry: AgentRegistry, kind: EntryKind, isJson: boolean): Promise<number> {
  const { entries, warnings } = await registry.list(kind);
  warnings.forEach(warn);
  const shown = entries.map(({ id, name, version, description }) => ({ id, name, version, description }));
  if (isJson) return say(JSON.stringify(shown));
  const width = Math.max(...shown.map(({ id }) => id.length));
  return say(
    shown.map(({ id, name, version = "" }) => `${id.padEnd(width)}  ${`${name} ${version}`.trim()}`).join("\n"),
  );
}

async function resolve(found: FoundEntry, services: RegistryServices): Promise<number> {
  const { name } = found.kind === "entry" ? found.entry : found;
  const { command, args, env } = found.kind === "entry" ? await startOf(found.entry, services) : found.command;
  return say(
    JSON.stringify({ name, command, args, env: Object.entries(env).map(([key, value]) => ({ name: key, value })) }),
  );
}

async function startOf(entry: RegistryEntry, services: RegistryServices): Promise<Command> {
  const start = planOf(entry, currentPlatform());
  switch (start.kind) {
    case "problem":
      throw new SymposiumError("unsupported-distribution", start.message, start.hint);
    case "command":
      return start.command;
    case "symposium": {
      const self = selfCommand();
      return { ...self, args: [...self.args, start.subcommand, ...start.args] };
    }
    case "install":
      return services.install(entry, start.plan);
  }
}

/** The registry of this user's configuration; a broken one counts as empty, which `readUserConfig`'s callers report. */
async function openRegistry(freshMs: number): Promise<AgentRegistry> {
  const state = await readUserConfig();
  const config = state.state === "ok" ? state.config : undefined;
  if (state.state === "broken") warn(`${state.file} cannot be read, and its settings have no effect.`);
  return new AgentRegistry({
    sources: registrySources({
      settings: config?.settings ?? defaultSettings,
      configFolder: configFolder(process.env, homedir()),
      freshMs,
    }),
    builtIn: { agent: builtInAgents(isOnPath), extension: builtInExtensions(builtInProxies) },
    custom: { agent: [], extension: (config?.proxies ?? []).flatMap(toExtension) },
  });
}

function toExtension({ name, distribution }: ProxyEntry): RegistryEntry[] {
  return distribution ? [{ id: name, name, distribution, origin: "custom" }] : [];
}

const withoutInstaller: RegistryServices = {
  install: ({ id, name }) =>
    Promise.reject(
      new SymposiumError(
        "unsupported-distribution",
        `${name} needs an installation.`,
        `Run \`symposium-acp-agent registry install ${id}\`.`,
      ),
    ),
};

function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
