import * as l10n from "@vscode/l10n";
import { asObject } from "@symposium-dev/core";
import { checkComponent, describe, type Report, type Setting } from "./setting.js";

export interface CustomAgent {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly spec: string;
  /** True if the command must first install the component that `spec` describes. The installed component is then started by its id. */
  readonly needsInstallation: boolean;
  readonly bypassPermissions: boolean;
  /** `registry` if the entry was copied from the registry, otherwise `custom`. */
  readonly source: "registry" | "custom";
}

/**
 * `symposium.agents`: a list of agents with ids, or an object whose keys are ids. Each agent has either a `distribution` (registry format)
 * or `command`, `args` and `env`.
 */
export const agentsSetting: Setting<readonly CustomAgent[]> = {
  contribution: {
    type: ["array", "object"],
    default: {},
    scope: "machine",
    markdownDescription:
      'Custom agents, in addition to the built-in ones and the registry\'s. An object keyed by ID, such as `{ "my-agent": { ' +
      '"command": "my-agent", "args": ["acp"] } }`, or a list of agents with `id` and `distribution`. `bypassPermissions: true` ' +
      "approves an agent's permission requests automatically.",
    additionalProperties: { type: "object" },
    items: { type: "object", required: ["id"] },
  },
  read(value, report) {
    const entries = entriesOf(value, report);
    const agents = new Map<string, CustomAgent>();
    for (const [id, entry] of entries) {
      const agent = readAgent(id, entry, report);
      if (!agent) continue;
      if (agents.has(id)) report(l10n.t('has two agents with the id "{0}".', id), l10n.t("The first one is used."));
      else agents.set(id, agent);
    }
    return [...agents.values()];
  },
};

function entriesOf(value: unknown, report: Report): (readonly [string, unknown])[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      const id = asObject(item)?.["id"];
      if (typeof id === "string" && id !== "") return [[id, item] as const];
      report(l10n.t('[{0}] has no "id".', index), l10n.t('Add one, such as "my-agent".'));
      return [];
    });
  }
  const object = asObject(value);
  if (object) return Object.entries(object);
  report(l10n.t("must be a list or an object of agents, got {0}.", describe(value)), l10n.t("It is ignored."));
  return [];
}

function readAgent(id: string, value: unknown, report: Report): CustomAgent | undefined {
  const entry = asObject(value);
  if (!entry) {
    report(l10n.t(': "{0}" must be an object with "command" or "distribution", got {1}.', id, describe(value)));
    return undefined;
  }
  const { name, description, bypassPermissions } = entry;
  if (bypassPermissions !== undefined && typeof bypassPermissions !== "boolean") {
    report(
      l10n.t(': "bypassPermissions" of "{0}" must be true or false, got {1}.', id, describe(bypassPermissions)),
      l10n.t("The agent asks."),
    );
  }
  const spec = specOf(id, entry);
  if (spec === undefined) {
    report(l10n.t(': "{0}" has neither "command" nor "distribution".', id), l10n.t("Specify how to start it."));
    return undefined;
  }
  const check = checkComponent(spec);
  if (check.kind === "problem") {
    report(l10n.t(': "{0}" can\'t be used: {1}', id, check.message), check.hint);
    return undefined;
  }
  return {
    id,
    name: typeof name === "string" && name !== "" ? name : id,
    ...(typeof description === "string" ? { description } : {}),
    spec,
    needsInstallation: check.kind === "installable",
    bypassPermissions: bypassPermissions === true,
    source: entry["_source"] === "registry" ? "registry" : "custom",
  };
}

/** Converts a settings entry for the command: the registry format is passed unmodified, the short format as an ACP server description. */
function specOf(id: string, entry: Readonly<Record<string, unknown>>): string | undefined {
  const { command, args, env, distribution, name, version, description } = entry;
  // The agent was installed from a URL, so the command knows its id.
  if (distribution === undefined && command === undefined && entry["_source"] === "registry") return id;
  if (distribution !== undefined) return JSON.stringify({ id, name, version, description, distribution });
  if (command === undefined) return undefined;
  const variables = asObject(env);
  const list = variables ? Object.entries(variables).map(([key, value]) => ({ name: key, value })) : (env ?? []);
  return JSON.stringify({ name: typeof name === "string" ? name : id, command, args: args ?? [], env: list });
}

type AgentEntry = Readonly<Record<string, unknown>>;

/** Returns `symposium.agents` with an agent added; an agent with the same id is replaced. Preserves the list or object form. */
export function withAgent(agents: unknown, entry: AgentEntry & { readonly id: string }): unknown {
  if (Array.isArray(agents)) return [...otherItems(agents, entry.id), entry];
  const { id, ...rest } = entry;
  return { ...asEntries(agents), [id]: rest };
}

/** Returns `symposium.agents` without an agent, in its list or object form; undefined if none is left. */
export function withoutAgent(agents: unknown, id: string): unknown {
  if (Array.isArray(agents)) {
    const items = otherItems(agents, id);
    return items.length === 0 ? undefined : items;
  }
  const entries = Object.entries(asEntries(agents)).filter(([key]) => key !== id);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function otherItems(agents: readonly unknown[], id: string): unknown[] {
  return agents.filter((agent) => asEntries(agent)["id"] !== id);
}

function asEntries(value: unknown): AgentEntry {
  return typeof value === "object" && value !== null ? (value as AgentEntry) : {};
}
