import { programVersion, signInTrace } from "../../../agents/registry/node/this-machine.js";
import type { MergedCatalogues } from "../../../agents/registry/node/merged-catalogues.js";
import { resolveCommand, systemLookup } from "../../../base/node/resolve-command.js";
import { builtInAgent, canonicalAgentId } from "../../../agents/registry/built-in-agents.js";
import type { EntryKind, RegistryEntry } from "../../../agents/registry/registry-entry.js";
import { allInstalled } from "../../../agents/install/all-installed.js";
import { say, warn } from "../output.js";
import { waitingFor } from "../waiting-line.js";
import { join } from "node:path";
import { configFolder } from "../../../settings/node/config-file.js";
import { IconCache } from "../../../agents/registry/node/icon-cache.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import { readUserConfig } from "../../read-user-config.js";

export async function list(registry: MergedCatalogues, kind: EntryKind, isJson: boolean): Promise<number> {
  const { entries, warnings } = await waitingFor("Fetching the list", registry.list(kind));
  warnings.forEach(warn);
  const listedId = kind === "agent" ? canonicalAgentId : (id: string): string => id;
  const installed = await allInstalled(kind);
  const versions = new Map(installed.map(({ id, version }) => [listedId(id), version]));
  const unlisted = installed.filter(({ id }) => !entries.some((entry) => entry.id === listedId(id)));
  const shown = [
    ...entries.map(({ id, name, version, description }) => ({ id, name, version, description })),
    ...unlisted.map(({ id, version }) => ({ id, name: id, version, description: "Installed" })),
  ];
  if (isJson) {
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    const told = shown.map(async (one) => {
      const entry = byId.get(one.id);
      return entry
        ? { ...one, ...(await factsOf(entry, kind)), installed: versions.get(one.id) }
        : { ...one, installed: one.version };
    });
    return say(JSON.stringify(await Promise.all(told)));
  }
  const width = Math.max(...shown.map(({ id }) => id.length));
  return say(
    shown.map(({ id, name, version = "" }) => `${id.padEnd(width)}  ${`${name} ${version}`.trim()}`).join("\n"),
  );
}

/** Returns facts beyond the description, so that editors can show what an entry requires before the user chooses it. */
async function factsOf({ id, origin, icon, distribution }: RegistryEntry, kind: EntryKind): Promise<object> {
  const agent = kind === "agent" && origin !== "custom" ? builtInAgent(id) : undefined;
  const program = agent && resolveCommand(agent.program, systemLookup());
  if (!agent) return { origin, icon };
  const { needs, npmPackage, downloadMegabytes } = agent;
  const isItsPackage = npmPackage !== undefined && `${distribution.npx?.package ?? ""}@`.startsWith(`${npmPackage}@`);
  return {
    origin,
    icon,
    needs,
    program,
    programVersion: program && (await programVersion(program, npmPackage)),
    // Program that the user must install; set if it is neither on PATH nor part of an installable package.
    missing: program === undefined && distribution.executable !== undefined ? agent.program : undefined,
    downloadMegabytes: isItsPackage ? downloadMegabytes : undefined,
    signIn: signInTrace(id, process.env),
  };
}

/** `registry icons`: prints the agents' SVG icons by id as one JSON line. Fetches icons only from the list's hosts. */
export async function icons(registry: MergedCatalogues, isOffline: boolean): Promise<number> {
  const state = await readUserConfig("to-install");
  const { registryUrl, registryFallbackUrl } = state.state === "ok" ? state.config.settings : defaultSettings;
  const hosts = [registryUrl, registryFallbackUrl].flatMap((address) => URL.parse(address)?.host ?? []);
  const { entries } = await registry.list("agent");
  const cache = new IconCache({
    file: join(configFolder(), "cache", "icons.json"),
    hosts,
    isOffline,
  });
  const loaded = await cache.load(entries.flatMap(({ icon }) => icon ?? []));
  const byId = entries.flatMap(({ id, icon = "" }) => {
    const text = loaded.get(icon);
    return text === undefined ? [] : [[id, text] as const];
  });
  return say(JSON.stringify(Object.fromEntries(byId)));
}
