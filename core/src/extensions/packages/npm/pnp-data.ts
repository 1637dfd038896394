import { asObject, parsedObject, textOf } from "../../../base/rpc/json.js";
import type { OtherVersion } from "../package-reader.js";
import { insideOf, joined } from "../package-files.js";
import { Wanted } from "./npm-lock.js";

interface PnpPackage {
  /** Package name; empty for a project without a name. */
  readonly name: string;
  readonly version: string;
  /** Absolute path of the package, usually in a zip archive. */
  readonly folder: string;
  readonly patch?: string;
  readonly isWorkspace: boolean;
}

interface Location extends PnpPackage {
  readonly reference: string;
  /** Packages that this package can import, by name; null for a peer dependency that the dependent must provide. */
  readonly dependencies: ReadonlyMap<string, readonly [name: string, reference: string] | null>;
}

/**
 * Extracts the Plug'n'Play data from a .pnp.cjs without running it. The data is in a string, or in Yarn 2 in a call's argument; returns
 * undefined if there is none.
 */
export function pnpState(script: string): string | undefined {
  const start = /RAW_RUNTIME_STATE\s*=\s*'/.exec(script);
  if (start) {
    const from = start.index + start[0].length;
    // Scans without a regular expression, since a repeated group fails on the data of large projects.
    let end = from;
    while (end < script.length && script[end] !== "'") end += script[end] === "\\" ? 2 : 1;
    const literal = script.slice(from, end);
    return literal.replace(/\\([\s\S])/g, (_escape, character: string) => (character === "\n" ? "" : character));
  }
  const argument = /hydrateRuntimeState\(\s*(?=\{)/.exec(script);
  const close = argument ? script.indexOf("\n}, {", argument.index) : -1;
  if (!argument || close < 0) return undefined;
  return script.slice(argument.index + argument[0].length, close + 2);
}

/** Locations of a project's packages according to Yarn's Plug'n'Play data. */
export class PnpData {
  readonly #locations: readonly Location[];
  readonly #byKey: ReadonlyMap<string, Location>;
  readonly #fallback: ReadonlyMap<string, readonly [string, string] | null>;

  private constructor(
    readonly root: string,
    state: Readonly<Record<string, unknown>>,
  ) {
    const found: Location[] = [];
    for (const [name, versions] of pairsOf(state["packageRegistryData"])) {
      for (const [reference, facts] of pairsOf(versions)) {
        found.push(...locationOf(root, textOf(name), textOf(reference), facts));
      }
    }
    // A file belongs to the package with the longest folder that contains the file.
    this.#locations = found.sort((left, right) => right.folder.length - left.folder.length);
    this.#byKey = new Map(found.map((one) => [keyOf(one.name, one.reference), one]));
    const top = found.find((one) => one.name === "" && one.reference === "");
    const isFallback = state["enableTopLevelFallback"] !== false;
    this.#fallback = isFallback
      ? new Map([...dependenciesOf(state["fallbackPool"]), ...(top?.dependencies ?? [])])
      : new Map();
  }

  /** Parses Plug'n'Play data; undefined if the text has another format. `root` is the folder of the data file. */
  static parse(text: string, root: string): PnpData | undefined {
    const state = parsedObject(text);
    return state && Array.isArray(state["packageRegistryData"]) ? new PnpData(root, state) : undefined;
  }

  /** Returns the package that contains a path, as one location per set of peer dependencies. Empty if no package contains the path. */
  #ownersOf(path: string): readonly Location[] {
    const nearest = this.#locations.find(({ folder }) => insideOf(path, folder) !== undefined);
    return nearest ? this.#locations.filter(({ folder }) => folder === nearest.folder) : [];
  }

  /** Returns the package that an import in the file `path` resolves to; null if that file may not import the package. */
  resolve(name: string, path: string): PnpPackage | null {
    const owners = this.#ownersOf(path);
    const self = owners.find((owner) => owner.name === name);
    if (self) return self;
    const own = owners.map((owner) => owner.dependencies.get(name)).find((one) => one !== undefined && one !== null);
    const target = own ?? this.#fallback.get(name);
    return (target && this.#byKey.get(keyOf(...target))) ?? null;
  }

  versionsOf(name: string): readonly OtherVersion[] {
    const wanted = new Wanted();
    for (const one of this.#locations) {
      if (one.name === name && !one.isWorkspace) wanted.add(one.version);
      for (const target of one.dependencies.values()) {
        const found = target && this.#byKey.get(keyOf(...target));
        if (!found || found.name !== name || found === one) continue;
        const folder = insideOf(one.folder, this.root);
        const project = folder === "" || folder === undefined ? "this project" : folder;
        wanted.add(found.version, one.isWorkspace ? project : `${one.name}@${one.version}`);
      }
    }
    return wanted.list();
  }
}

function locationOf(root: string, name: string, reference: string, facts: unknown): Location[] {
  const { packageLocation, packageDependencies } = asObject(facts) ?? {};
  if (typeof packageLocation !== "string") return [];
  const folder = withoutVirtual(joined(root, packageLocation));
  const plain = reference.replace(/^virtual:[^#]*#/, "");
  const patch = plain.startsWith("patch:")
    ? (/#(?:~\/)?([^#:]*?\.patch)/.exec(plain)?.[1] ?? "a built-in Yarn patch")
    : undefined;
  const inner = patch === undefined ? plain : decodeURIComponent(plain.slice("patch:".length).split("#")[0] ?? "");
  return [
    {
      name,
      reference,
      version: /(?:^|@)npm:(?:.*@)?([^:@#]+)$/.exec(inner)?.[1] ?? "",
      folder,
      isWorkspace: name === "" || plain.startsWith("workspace:"),
      dependencies: dependenciesOf(packageDependencies),
      ...(patch !== undefined && { patch }),
    },
  ];
}

/** Resolves virtual paths: `…/__virtual__/HASH/N/REST` means REST below the Nth parent of the preceding folder. */
function withoutVirtual(path: string): string {
  const found = /^(.*?)\/(?:__virtual__|\$\$virtual)\/[^/]+\/(\d+)\/(.*)$/.exec(path);
  if (!found) return path;
  const [, base = "", depth = "0", rest = ""] = found;
  return joined(base, `${"../".repeat(Math.min(Number(depth), 64))}${rest}`);
}

function dependenciesOf(value: unknown): ReadonlyMap<string, readonly [string, string] | null> {
  const found = new Map<string, readonly [string, string] | null>();
  for (const [key, target] of pairsOf(value)) {
    const name = textOf(key);
    const pair: readonly unknown[] = Array.isArray(target) ? target : [name, target];
    const [alias, reference] = pair;
    found.set(name, target === null ? null : [textOf(alias), textOf(reference)]);
  }
  return found;
}

function pairsOf(value: unknown): readonly (readonly unknown[])[] {
  return Array.isArray(value) ? value.filter((one): one is unknown[] => Array.isArray(one)) : [];
}

function keyOf(name: string, reference: string): string {
  return JSON.stringify([name, reference]);
}
