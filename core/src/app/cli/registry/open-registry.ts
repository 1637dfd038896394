import { SymposiumError } from "../../../base/symposium-error.js";
import { completeEnvironment } from "../../../settings/node/complete-environment.js";
import { configFolder } from "../../../settings/node/config-file.js";
import { MergedCatalogues, type FoundEntry } from "../../../agents/registry/node/merged-catalogues.js";
import { registrySources } from "../../../agents/registry/node/catalogue-source.js";
import { idOfNpxCommand, knownAgents } from "../../../agents/known-agents.js";
import { builtInAgents, eliza } from "../../../agents/registry/built-in-agents.js";
import { builtInExtensions } from "../../../agents/registry/built-in-extensions.js";
import type { EntryKind, RegistryEntry } from "../../../agents/registry/registry-entry.js";
import type { Component } from "../../../settings/component-spec.js";
import type { ProxyEntry } from "../../../settings/proxy-entry.js";
import { tightened } from "../../../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../../../settings/managed-policy/node/system-policy.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import { builtInProxies } from "../../built-in-proxies.js";
import { isOnPath } from "../../../agents/node/find-agent.js";
import { brokenConfigText, readUserConfig } from "../../read-user-config.js";
import { installedCommand } from "../../../agents/install/installed.js";
import { warn } from "../output.js";
import { waitingFor } from "../waiting-line.js";

/**
 * Opens the registry of the user's configuration. Uses lists younger than `freshMs` without a request, and sends no request if `isOffline`.
 * Reports a broken configuration on stderr and treats it as empty.
 */
export async function openRegistry(freshMs: number, isOffline = false): Promise<MergedCatalogues> {
  const state = await readUserConfig("to-install");
  const config = state.state === "ok" ? state.config : undefined;
  if (state.state === "broken") warn(brokenConfigText(state));
  const settings = tightened(await systemPolicy(), config?.settings ?? defaultSettings);
  await completeEnvironment(settings.loginEnvironment);
  return new MergedCatalogues({
    sources: registrySources({
      settings,
      configFolder: configFolder(),
      freshMs,
      isOffline,
    }),
    builtIn: { agent: builtInAgents(isOnPath), extension: builtInExtensions(builtInProxies) },
    custom: { agent: toAgents(config?.agent), extension: (config?.proxies ?? []).flatMap(toExtension) },
  });
}

/**
 * Finds `text` among the agents, then among the extensions. Rejects with `unknown-agent` if neither matches. `onWarning` receives the
 * reasons for an incomplete list.
 */
export async function findEither(
  registry: MergedCatalogues,
  text: string,
  onWarning: (line: string) => void = warn,
): Promise<{ readonly kind: EntryKind; readonly found: FoundEntry }> {
  try {
    return { kind: "agent", found: await find(registry, "agent", text, onWarning) };
  } catch (failure) {
    if (!(failure instanceof SymposiumError) || failure.code !== "unknown-agent") throw failure;
    const found = await registry.find("extension", text).catch(() => undefined);
    if (found) return { kind: "extension", found };
    throw new SymposiumError("unknown-agent", `There is no agent or extension named "${text}".`, failure.hint);
  }
}

/** Finds an entry of one kind, even if it is installed but no longer listed. */
export async function findOrInstalled(registry: MergedCatalogues, kind: EntryKind, text: string): Promise<FoundEntry> {
  try {
    return await find(registry, kind, text, warn);
  } catch (failure) {
    const isUnknown = failure instanceof SymposiumError && ["unknown-agent", "unknown-proxy"].includes(failure.code);
    const command = isUnknown ? await installedCommand(kind, text) : undefined;
    if (command) return { kind: "command", name: text, command };
    throw failure;
  }
}

/** Shows the wait for the list in a terminal, and its warnings afterwards. */
async function find(
  registry: MergedCatalogues,
  kind: EntryKind,
  text: string,
  onWarning: (line: string) => void,
): Promise<FoundEntry> {
  const warnings: string[] = [];
  try {
    return await waitingFor(
      "Fetching the list",
      registry.find(kind, text, (line) => warnings.push(line)),
    );
  } finally {
    warnings.forEach(onWarning);
  }
}

/** Returns a registry entry for the configured agent, unless the configuration only names a listed agent. */
function toAgents(agent: Component | undefined): RegistryEntry[] {
  if (!agent || agent.kind === "name") return [];
  const { name } = agent;
  const shared = { id: name, name, origin: "custom" } as const;
  if (agent.kind === "symposium") {
    const { subcommand, args } = agent;
    return subcommand === eliza.id ? [] : [{ ...shared, distribution: { symposium: { subcommand, args } } }];
  }
  if (idOfNpxCommand(agent.command) !== undefined) return [];
  const program = [agent.command.command, ...agent.command.args].join(" ");
  if (knownAgents(isOnPath).some(({ words }) => words === program)) return [];
  return [{ ...shared, distribution: { executable: agent.command } }];
}

function toExtension({ name, distribution }: ProxyEntry): RegistryEntry[] {
  return distribution ? [{ id: name, name, distribution, origin: "custom" }] : [];
}
