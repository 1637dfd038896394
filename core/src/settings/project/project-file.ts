import { asObject, type Members } from "../../base/rpc/json.js";
import { type Component, readComponentObject, readComponentText } from "../component-spec.js";
import { type Hooks, readHooks } from "../hooks.js";
import { JsonDocument } from "../json-document.js";
import { readMcpServers } from "../mcp-servers.js";
import { type JsonPath, type LocatedProblem, Place, type Problem } from "../../base/problem.js";
import { type ProxyEntry, readProxyEntries } from "../proxy-entry.js";
import { describeValue, warnOfUnknown } from "../shape.js";
import type { UserServer } from "../user-server.js";
import { type ApprovedEntry, holdsSecret } from "./approved-content.js";
import {
  approvedKeys,
  type ApprovedKey,
  disabledProxies,
  environmentShape,
  freeShapes,
  neverKeys,
  skillFolders,
} from "./project-keys.js";

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
