import { asObject, parsedObject, textOf } from "../../../base/rpc/json.js";
import type { OtherVersion } from "../package-reader.js";
import { insideOf, joined } from "../package-files.js";
import { Wanted } from "./npm-lock.js";

/** A package as Yarn's Plug'n'Play places it. */
interface PnpPackage {
  /** Empty for the project that has no name. */
  readonly name: string;
  readonly version: string;
  /** Absolute path, mostly in a zip archive. */
  readonly folder: string;
  readonly patch?: string;
  readonly isWorkspace: boolean;
}

interface Location extends PnpPackage {
  readonly reference: string;
  /** What it may import; null where it has to be given by whoever depends on this. */
  readonly dependencies: ReadonlyMap<string, readonly [name: string, reference: string] | null>;
}

/**
 * The text that a .pnp.cjs hands to its own runtime, without running it: in a string of its own, or, as Yarn 2 wrote it, as an
 * argument. Undefined when the file has none.
 */
export function pnpState(script: string): string | undefined {
  const start = /RAW_RUNTIME_STATE\s*=\s*'/.exec(script);
  if (start) {
    const from = start.index + start[0].length;
    // No regular expression: one that repeats a group throws for the texts of large projects.
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

/** Where a project with Plug'n'Play has its packages, by the data that Yarn wrote. */
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
    // The longest one that a file lies in is its package.
    this.#locations = found.sort((left, right) => right.folder.length - left.folder.length);
    this.#byKey = new Map(found.map((one) => [keyOf(one.name, one.reference), one]));
    const top = found.find((one) => one.name === "" && one.reference === "");
    const isFallback = state["enableTopLevelFallback"] !== false;
    this.#fallback = isFallback
      ? new Map([...dependenciesOf(state["fallbackPool"]), ...(top?.dependencies ?? [])])
      : new Map();
  }

  /** `root` is the folder of the file; undefined when the text is no such data. */
  static parse(text: string, root: string): PnpData | undefined {
    const state = parsedObject(text);
    return state && Array.isArray(state["packageRegistryData"]) ? new PnpData(root, state) : undefined;
  }

  /** The package that a path belongs to, once for each set of peers that it is used with; none outside of all. */
  #ownersOf(path: string): readonly Location[] {
    const nearest = this.#locations.find(({ folder }) => insideOf(path, folder) !== undefined);
    return nearest ? this.#locations.filter(({ folder }) => folder === nearest.folder) : [];
  }

  /** What an import of the name gives to the one who lies at `path`; null where that one may not import it. */
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
    ? (/#(?:~\/)?([^#:]*?\.patch)/.exec(plain)?.[1] ?? "a patch of Yarn's own")
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

/** `…/__virtual__/HASH/N/REST` stands for REST below the N-th folder above the first. */
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
