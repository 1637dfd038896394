import { variablesOf } from "./variables.js";
import type { ServerLaunch, UserServer } from "../../settings/user-server.js";
import type { FindSecrets } from "../../base/secrets/known-secrets.js";
import type { FoundFile, FoundServer } from "./formats/read-servers.js";
import { type LiteralSecret, withoutLiteralSecrets } from "./literal-secrets.js";

interface FoundPlace {
  readonly product: string;
  readonly productName: string;
  readonly path: string;
  readonly name: string;
  /** Absolute path of the only folder that the server applies to; undefined if it applies everywhere. */
  readonly folder?: string;
}

/** A server that can be imported. One candidate combines all files that start the server in the same way. */
export interface ImportCandidate {
  /** Entry for config.jsonc under an unused name, in which variables replace the server's secrets. */
  readonly server: UserServer;
  /** The entry for config.jsonc with the server's literal secrets instead of variables. */
  readonly literal: UserServer;
  readonly secrets: readonly LiteralSecret[];
  readonly places: readonly [FoundPlace, ...FoundPlace[]];
  /**
   * Origin of the entry. `user`: the user's files. `folder`: the user's files, for one folder only. `project`: a repository, so other
   * people may have written the entry.
   */
  readonly scope: "user" | "folder" | "project";
  /** Whether config.jsonc already has a server that starts the same way. */
  readonly isKnown: boolean;
  /** Keys in which the server differs from a server with the same name, which is an earlier candidate or in config.jsonc. */
  readonly differs?: { readonly from: string; readonly keys: readonly string[] };
  /** Ids of the agents that read the server by themselves. */
  readonly agents: readonly string[];
  /** Sentences about information that can't be imported. */
  readonly notes: readonly string[];
}

interface FoundAt {
  readonly found: FoundServer;
  readonly file: FoundFile;
  readonly place: FoundPlace;
}

interface Present {
  readonly servers: readonly UserServer[];
  readonly secrets: readonly string[];
}

/** Returns the servers of `files` that can be imported, in order. Pure function; `find` recognizes known formats of secrets. */
export function importCandidates(
  files: readonly FoundFile[],
  { servers: existing, secrets: kept }: Present,
  find: FindSecrets,
): readonly ImportCandidate[] {
  const known = new Map(existing.map(({ name, launch }) => [keyBesideSecrets(launch), name]));
  const nameIn = (launch: ServerLaunch): string | undefined => known.get(keyBesideSecrets(launch));
  const takenSecrets = new Set(kept);
  const named = new Map<string, { readonly launch: ServerLaunch; readonly from: string }>(
    existing.map(({ name, launch }) => [name, { launch, from: "config.jsonc" }]),
  );
  return [...groups(files).values()].map((group): ImportCandidate => {
    const [{ found, place }] = group;
    const { server: given } = found;
    const moved = withoutLiteralSecrets(given, find);
    const knownName = nameIn(given.launch) ?? nameIn(moved.server.launch);
    const isKnown = knownName !== undefined;
    const other = isKnown ? undefined : named.get(given.name);
    const name = knownName ?? (other ? freeName(given.name, place.product, named) : given.name);
    const literal: UserServer = {
      ...given,
      name,
      isEnabled: group.some((one) => one.found.server.isEnabled),
      origin: { kind: "user" },
    };
    const { server, secrets } = withoutLiteralSecrets(literal, find, takenSecrets);
    if (!isKnown) for (const secret of secrets) takenSecrets.add(secret.name);
    if (!isKnown) named.set(name, { launch: given.launch, from: `${place.productName}'s` });
    return {
      server,
      literal,
      secrets,
      places: [place, ...group.slice(1).map((one) => one.place)],
      scope: scopeOf(group),
      isKnown,
      ...(other && { differs: { from: other.from, keys: differences(other.launch, given.launch) } }),
      agents: [
        ...new Set(group.flatMap(({ file }) => file.readBy.flatMap((one) => (one.needsTrust ? [] : [one.agent])))),
      ],
      notes: [
        ...new Set(group.flatMap((one) => one.found.notes)),
        ...otherTools(group),
        ...variablesOf(given.launch).flatMap((one) =>
          one.kind === "secret" && kept.includes(one.name)
            ? [`It uses the value of \${secret:${one.name}}, which is already stored.`]
            : [],
        ),
      ],
    };
  });
}

type Group = readonly [FoundAt, ...FoundAt[]];

/** Groups servers that start the same way, regardless of their names. */
function groups(files: readonly FoundFile[]): ReadonlyMap<string, Group> {
  const all = files.flatMap((file) =>
    file.servers.map((found): FoundAt => {
      const { product, productName, path } = file;
      const { folder, server } = found;
      const place = { product, productName, path, name: server.name, ...(folder !== undefined && { folder }) };
      return { found, file, place };
    }),
  );
  const result = new Map<string, [FoundAt, ...FoundAt[]]>();
  for (const one of all) {
    const key = launchKey(one.found.server.launch);
    const group = result.get(key);
    if (group) group.push(one);
    else result.set(key, [one]);
  }
  return result;
}

/** Returns the widest scope in the group: user, then folder, then project. */
function scopeOf(group: Group): ImportCandidate["scope"] {
  const scopes = group.map(({ file, found }) =>
    file.kind === "project" ? "project" : found.folder === undefined ? "user" : "folder",
  );
  return scopes.find((scope) => scope === "user") ?? scopes.find((scope) => scope === "folder") ?? "project";
}

function otherTools([first, ...others]: Group): readonly string[] {
  const toolsOf = ({ found: { server } }: FoundAt): string => JSON.stringify([server.tools, server.excludeTools]);
  return others
    .filter((one) => toolsOf(one) !== toolsOf(first))
    .map(({ place }) => `In ${place.productName}, agents get different tools from this server.`);
}

/** Returns a key that is the same for all equal launches. */
function launchKey(launch: ServerLaunch): string {
  return JSON.stringify(partsOf(launch).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Same as {@link launchKey}, but ignores the names of secrets. */
function keyBesideSecrets(launch: ServerLaunch): string {
  return launchKey(launch).replaceAll(/\$\{secret:[^{}]*\}/g, "${secret}");
}

/** Returns the keys in which two launches differ, such as `args` and `env.TOKEN`. The result contains no values. */
function differences(a: ServerLaunch, b: ServerLaunch): readonly string[] {
  const [left, right] = [new Map(partsOf(a)), new Map(partsOf(b))];
  return [...new Set([...left.keys(), ...right.keys()])].filter((key) => left.get(key) !== right.get(key));
}

function partsOf(launch: ServerLaunch): [string, string][] {
  const values = (texts: Readonly<Record<string, string>>, key: string): [string, string][] =>
    Object.entries(texts).map(([name, text]) => [`${key}.${name}`, text]);
  if (launch.type !== "stdio")
    return [["type", launch.type], ["url", launch.url], ...values(launch.headers, "headers")];
  const { command, args, env, cwd = "", envFile = "" } = launch;
  return [
    ["type", "stdio"],
    ["command", command],
    ["args", JSON.stringify(args)],
    ["cwd", cwd],
    ["envFile", envFile],
    ...values(env, "env"),
  ];
}

function freeName(name: string, product: string, taken: ReadonlyMap<string, unknown>): string {
  let free = `${name}-${product}`;
  for (let number = 2; taken.has(free); number++) free = `${name}-${product}-${number}`;
  return free;
}
