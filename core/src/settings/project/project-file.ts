import { asObject, type Members } from "../../base/rpc/json.js";
import { type Component, readComponentObject, readComponentText } from "../component-spec.js";
import { type Hooks, hooksSchema, readHooks } from "../hooks.js";
import { JsonDocument } from "../json-document.js";
import { inputsSchema, mcpServersSchema, readMcpServers } from "../mcp-servers.js";
import { type JsonPath, type LocatedProblem, Place, type Problem } from "../../base/problem.js";
import { proxyEntriesSchema, type ProxyEntry, readProxyEntries } from "../proxy-entry.js";
import { describeValue, env, type JsonSchema, list, optional, record, text, warnOfUnknown } from "../shape.js";
import type { UserServer } from "../user-server.js";
import { type ApprovedEntry, holdsSecret } from "./approved-content.js";
import { agentDefinition } from "../agent-definition.js";
import { mcpServerCommand } from "../mcp-server-command.js";
import { settingKeys } from "../settings-table.js";

/** Settings of a project that need no approval. Paths are unmodified from the file. */
export interface FreeSettings {
  readonly recommend?: {
    readonly agents?: readonly string[];
    readonly extensions?: readonly string[];
    readonly text?: string;
  };
  readonly instructionFiles: readonly string[];
  readonly disabledServers: readonly string[];
  readonly disabledTools: readonly string[];
}

/** Settings of a project that apply only after approval. Paths are unmodified from the file. */
export interface ApprovedSettings {
  readonly agent?: Component;
  readonly env: Readonly<Record<string, string>>;
  readonly servers: readonly UserServer[];
  readonly proxies: readonly ProxyEntry[];
  readonly disabledProxies: readonly string[];
  readonly skills: readonly string[];
  readonly hooks: Hooks;
}

interface PlacedValue {
  readonly key: string;
  readonly line: number;
}

/** Contents of one project file, before approval. */
export interface ProjectFile {
  readonly file: string;
  readonly kind: "project" | "local";
  readonly free: FreeSettings;
  readonly approved: ApprovedSettings;
  readonly freeValues: readonly PlacedValue[];
  readonly entries: readonly ApprovedEntry[];
  readonly problems: readonly LocatedProblem[];
}

interface ProjectFileOptions {
  /** Absolute path of the file. */
  readonly file: string;
  readonly kind: ProjectFile["kind"];
}

/**
 * Parses a project file. Never throws: omits invalid parts with a warning. Also omits entries with plaintext secrets, and settings that no
 * repository may change.
 */
export function parseProjectFile(text: string, { file, kind }: ProjectFileOptions): ProjectFile {
  const document = JsonDocument.parse(text);
  const found: Problem[] = [];
  const place = new Place(found, "warning");
  const given = asObject(document.value) ?? {};
  if (document.root && document.root.type !== "object") {
    place.report(`The configuration must be an object, got ${describeValue(document.value)}.`, "It has no effect.");
  }
  const allowed = Object.entries(given).filter(([key]) => {
    if (!Object.hasOwn(neverKeys, key)) return true;
    place.child(key).report(`A project can't set "${key}": ${neverKeys[key] ?? ""}.`, "Set it in your own settings.");
    return false;
  });
  const { members, switchedOff } = withoutSwitches(withoutSecrets(Object.fromEntries(allowed), place));
  warnOfUnknown(members, ["$schema", ...Object.keys(freeShapes), ...approvedKeys], place);
  const free = readFree(members, place);
  const lineOf = (path: JsonPath): number => document.locate({ severity: "warning", path, message: "" }).line;
  const placed = (key: string, path: JsonPath): PlacedValue => ({ key, line: lineOf(path) });
  return {
    file,
    kind,
    free: {
      ...free,
      disabledServers: [...free.disabledServers, ...switchedOff],
    },
    approved: readApproved(members, { kind, file }, place),
    freeValues: [
      ...Object.keys(freeShapes).flatMap((key) => (key in members ? [placed(key, [key])] : [])),
      ...switchedOff.map((name) => placed(`mcpServers.${name}`, ["mcpServers", name])),
    ],
    entries: entriesOf(members, given).map(({ path, ...entry }) => ({ ...entry, file, line: lineOf(path) })),
    problems: [...document.problems, ...found.map((problem) => document.locate(problem))].toSorted(
      (a, b) => a.line - b.line || a.column - b.column,
    ),
  };
}

function readFree(members: Members, place: Place): FreeSettings {
  const read = (key: keyof typeof freeShapes) =>
    members[key] === undefined ? null : freeShapes[key].read(members[key], place.child(key));
  const recommend = read("recommend") as FreeSettings["recommend"] | null;
  const namesOf = (key: Exclude<keyof typeof freeShapes, "recommend">) => (read(key) as readonly string[] | null) ?? [];
  return {
    ...(recommend && { recommend }),
    instructionFiles: namesOf("instructionFiles"),
    disabledServers: namesOf("disabledServers"),
    disabledTools: namesOf("disabledTools"),
  };
}

function readApproved(
  members: Members,
  origin: { readonly kind: ProjectFile["kind"]; readonly file: string },
  place: Place,
): ApprovedSettings {
  const { agent: given, env, skills } = members;
  const there = place.child("agent");
  const agent =
    given === undefined
      ? null
      : typeof given === "string"
        ? readComponentText(given, there)
        : readComponentObject(given, there);
  const all =
    (members["proxies"] === undefined ? null : readProxyEntries(members["proxies"], anyName, place.child("proxies"))) ??
    [];
  const off = members["disabledProxies"];
  const offNames = (off === undefined ? null : disabledProxies.read(off, place.child("disabledProxies"))) ?? [];
  return {
    ...(agent && { agent }),
    env: (env === undefined ? null : environmentShape.read(env, place.child("env"))) ?? {},
    servers: readMcpServers(members, origin, place),
    proxies: all.filter(({ enabled }) => enabled),
    disabledProxies: [...offNames, ...all.filter(({ enabled }) => !enabled).map(({ name }) => name)],
    skills: (skills === undefined ? null : skillFolders.read(skills, place.child("skills"))) ?? [],
    hooks: readHooks(members["hooks"], place.child("hooks")),
  };
}

/** Proxy names are checked when a chain is built. */
const anyName = { builtIn: [], isInstalled: () => true };

/** Splits `members` into entries for approval: each member of an object, each item of a list. */
function entriesOf(
  members: Members,
  given: Members,
): readonly (Pick<ApprovedEntry, "key" | "value"> & { readonly path: JsonPath })[] {
  return approvedKeys.flatMap((key) => {
    const value = members[key];
    if (value === undefined) return [];
    const named = Array.isArray(value)
      ? value.map((one: unknown) => {
          const index = [given[key]].flat().indexOf(one);
          return [nameOf(one) ?? index, one, index] as const;
        })
      : Object.entries((key === "agent" ? undefined : asObject(value)) ?? {}).map(
          ([name, one]) => [name, one, name] as const,
        );
    if (named.length === 0) return [{ key, value, path: [key] }];
    return named.map(([name, one, step]) => ({ key: `${key}.${name}`, value: one, path: [key, step] }));
  });
}

function nameOf(item: unknown): string | undefined {
  const { name, id } = asObject(item) ?? {};
  return [item, name, id].find((one): one is string => typeof one === "string");
}

/** Removes members that only disable servers, which needs no approval. */
function withoutSwitches(members: Members): { readonly members: Members; readonly switchedOff: readonly string[] } {
  const given = asObject(members["mcpServers"]);
  if (!given) return { members, switchedOff: [] };
  const isOff = (value: unknown): boolean => {
    const entry = asObject(value) ?? {};
    return (entry["enabled"] === false || entry["disabled"] === true) && !("command" in entry) && !("url" in entry);
  };
  const servers = Object.entries(given);
  return {
    members: { ...members, mcpServers: Object.fromEntries(servers.filter(([, one]) => !isOff(one))) },
    switchedOff: servers.flatMap(([name, one]) => (isOff(one) ? [name] : [])),
  };
}

/** Removes and reports entries that contain a secret. */
function withoutSecrets(members: Members, place: Place): Members {
  const kept = Object.entries(members).map(([key, value]) => {
    if (!approvedKeys.includes(key as ApprovedKey)) return [key, value] as const;
    const isKept = (one: unknown, path: Place): boolean => {
      if (!holdsSecret(one)) return true;
      path.report(
        `${path.label} seems to contain a secret, so it is skipped.`,
        "Use ${secret:NAME} or ${env:NAME} instead.",
      );
      return false;
    };
    const below = place.child(key);
    if (Array.isArray(value))
      return [key, value.filter((one: unknown, index) => isKept(one, below.child(index)))] as const;
    const entries = key === "agent" ? undefined : asObject(value);
    if (!entries) return [key, isKept(value, below) ? value : undefined] as const;
    // Check each variable together with its name, which may show that the value is a secret.
    const own = Object.entries(entries).filter(([name, one]) => isKept({ [name]: one }, below.child(name)));
    return [key, Object.fromEntries(own)] as const;
  });
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

const names = (description: string) => list(text("A name."), description);

/** Recommendations, which are only displayed. */
const recommendation = record(
  {
    agents: optional(names("IDs of agents recommended for this project.")),
    extensions: optional(names("Names of extensions recommended for this project.")),
    text: optional(text("A note for people who work on this project.")),
  },
  { description: "Recommendations for this project. They are only shown; nothing is enabled." },
);

/** Settings that need no approval, since they start no program and lead nowhere else; at most, they remove servers and tools. */
const freeShapes = {
  recommend: recommendation,
  instructionFiles: names(
    "Files with rules for agents, inside the repository, relative to the folder that contains .symposium.",
  ),
  disabledServers: names("Your own MCP servers to leave out of this project's sessions."),
  disabledTools: names("Tools to leave out of this project's sessions, as SERVER/TOOL; * matches any characters."),
} as const;

/**
 * Keys of entries that run programs, lead elsewhere, change agents, or drop a proxy that the user may rely on. They apply after the user's
 * approval.
 */
export const approvedKeys = [
  "agent",
  "disabledProxies",
  "env",
  "hooks",
  "inputs",
  "mcpServers",
  "proxies",
  "skills",
] as const;
type ApprovedKey = (typeof approvedKeys)[number];

const environmentShape = env;
const disabledProxies = names("Your own proxies to leave out of this project's sessions, except required ones.");
const skillFolders = names("Folders with skills for agents, relative to the folder that contains .symposium.");

/** Keys that no repository may set for its user, with the reason. */
export const neverKeys: Readonly<Record<string, string>> = {
  ...Object.fromEntries(settingKeys.map((key) => [key, "it is a user setting"])),
  permissions: "only the user decides what agents may do without asking",
  permissionMode: "only the user decides what agents may do without asking",
  autoApprove: "only the user decides what agents may do without asking",
  allowedTools: "only the user decides what agents may do without asking",
  secrets: "secrets belong in the user's own store",
  telemetry: "only the user decides what leaves the machine",
  trust: "a project cannot trust itself",
  trustedFolders: "a project cannot trust itself",
  approved: "a project cannot approve itself",
};

/** Returns the JSON schema (draft 07) of a project's `.symposium/config.jsonc`, built from the parser's definitions. */
export function projectSchema(): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Symposium project configuration",
    description: "The files .symposium/config.jsonc and .symposium/config.local.jsonc in a repository.",
    type: "object",
    allowTrailingCommas: true,
    properties: {
      $schema: { type: "string", description: "URL of this file's schema." },
      ...Object.fromEntries(Object.entries(freeShapes).map(([key, { schema }]) => [key, schema])),
      agent: {
        description: "The agent of `symposium-acp-agent run` in this folder, as in the user's config.jsonc.",
        anyOf: [{ type: "string", minLength: 1 }, mcpServerCommand.schema, agentDefinition.schema],
      },
      disabledProxies: disabledProxies.schema,
      env: { ...env.schema, description: "Environment variables of that agent." },
      hooks: hooksSchema,
      inputs: inputsSchema,
      mcpServers: mcpServersSchema,
      proxies: proxyEntriesSchema,
      skills: skillFolders.schema,
    },
    patternProperties: { "^_": {} },
    additionalProperties: false,
  };
}
