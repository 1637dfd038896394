import { joined, type PackageFiles, parentOf, ReadOnce } from "../package-files.js";
import { type ArtifactStores, compareJvmVersions, type Coordinates } from "./artifact-stores.js";
import { parsePom, type Pom, type PomDependency } from "./pom.js";

/** A dependency with its version, if any, and the file that determines it. */
export interface ModelDependency extends PomDependency {
  readonly saidBy: string;
}

/** A project merged with its parents, properties and imported version lists. */
export interface MavenModel extends Coordinates {
  readonly dependencies: readonly ModelDependency[];
  /** Versions by `group:artifact` for dependencies without one. */
  readonly managed: ReadonlyMap<string, ModelDependency>;
  /** Files that the model was read from. */
  readonly readFrom: readonly string[];
  /** Parents and version lists that aren't on this machine. */
  readonly missing: readonly string[];
}

interface Level {
  readonly pom: Pom;
  readonly path: string;
}

const maxParents = 20;
const maxImports = 8;
/** Maximum length of a text after property expansion. */
const maxFilled = 1_000;
const maxPomBytes = 4 * 1024 * 1024;

/** Reads Maven models without running Maven or plugins. No profile is active. */
export class MavenModels {
  readonly #poms: ReadOnce<Pom>;
  /** Models of published artifacts, whose files never change. */
  readonly #stored = new Map<string, MavenModel>();

  constructor(
    files: PackageFiles,
    private readonly stores: ArtifactStores,
  ) {
    this.#poms = new ReadOnce(files, parsePom, maxPomBytes, 4_000);
  }

  /** Returns the model of a pom.xml; undefined if it isn't a valid project. */
  modelOf(path: string): Promise<MavenModel | undefined> {
    return this.#read(path, []);
  }

  /**
   * Returns the model of a downloaded artifact; undefined if it's missing. `asking` are the importers of this version list, to detect
   * cycles.
   */
  async stored(
    group: string,
    artifact: string,
    version: string,
    asking: readonly string[] = [],
  ): Promise<MavenModel | undefined> {
    const key = `${group}:${artifact}:${version}`;
    // Caches only finished models, since two that import each other would wait forever.
    const known = this.#stored.get(key);
    if (known) return known;
    const { pom } = await this.stores.filesOf({ group, artifact, version });
    if (pom === undefined || asking.includes(key) || asking.length > maxImports) return undefined;
    const model = await this.#read(pom, [...asking, key]);
    if (this.#stored.size > 4_000) this.#stored.clear();
    if (model) this.#stored.set(key, model);
    return model;
  }

  async #read(path: string, asking: readonly string[]): Promise<MavenModel | undefined> {
    const missing: string[] = [];
    const levels = await this.#levels(path, missing);
    const [own] = levels;
    if (!own) return undefined;
    const properties = propertiesOf(levels);
    const filled = (text: string): string => interpolated(text, properties);
    const collect = (of: (pom: Pom) => readonly PomDependency[]): Map<string, ModelDependency> => {
      const found = new Map<string, ModelDependency>();
      for (const { pom, path: saidBy } of levels.toReversed()) {
        for (const one of of(pom)) {
          const dependency = { ...filledDependency(one, filled), saidBy };
          found.set(dependencyKey(dependency), dependency);
        }
      }
      return found;
    };
    const managed = new Map<string, ModelDependency>();
    for (const [key, one] of collect((pom) => pom.managed)) if (one.scope !== "import") managed.set(key, one);
    for (const one of collect((pom) => pom.managed.filter(({ scope }) => scope === "import")).values()) {
      const list = await this.stored(one.group, one.artifact, one.version ?? "", asking);
      if (!list) missing.push(`${one.group}:${one.artifact}:${one.version ?? "?"}`);
      for (const [key, dependency] of list?.managed ?? []) if (!managed.has(key)) managed.set(key, dependency);
      missing.push(...(list?.missing ?? []));
    }
    const dependencies = [...collect((pom) => pom.dependencies).values()].map((one) => withManaged(one, managed));
    return {
      group: properties.get("project.groupId") ?? "",
      artifact: own.pom.artifact,
      version: properties.get("project.version") ?? "",
      dependencies,
      managed,
      readFrom: levels.map((level) => level.path),
      missing,
    };
  }

  /** Returns the project and its parents, nearest first. */
  async #levels(path: string, missing: string[]): Promise<readonly Level[]> {
    const levels: Level[] = [];
    for (let at: string | undefined = path; at !== undefined && levels.length < maxParents;) {
      const pom: Pom | undefined = await this.#poms.of(at);
      if (!pom || levels.some((level) => level.path === at)) break;
      levels.push({ pom, path: at });
      at = pom.parent && (await this.#parentPath(pom.parent, at, missing));
    }
    return levels;
  }

  async #parentPath(parent: NonNullable<Pom["parent"]>, child: string, missing: string[]): Promise<string | undefined> {
    if (parent.path !== "" && child.endsWith("/pom.xml")) {
      const named = joined(parentOf(child), parent.path.replaceAll("\\", "/"));
      for (const place of named.endsWith(".xml") ? [named] : [joined(named, "pom.xml")]) {
        const beside = await this.#poms.of(place);
        if (beside?.artifact === parent.artifact && (beside.group ?? beside.parent?.group) === parent.group)
          return place;
      }
    }
    const { pom } = await this.stores.filesOf(parent);
    if (pom === undefined) missing.push(`${parent.group}:${parent.artifact}:${parent.version}`);
    return pom;
  }

  /** Resolves a version range to a downloaded version; returns other versions unmodified. */
  async chosen(group: string, artifact: string, version: string): Promise<string> {
    const single = /^\[([^,[\]()]+)\]$/.exec(version)?.[1];
    if (single !== undefined) return single;
    const [, open, low = "", high = "", close] = /^([[(])([^,[\]()]*),([^,[\]()]*)([\])])$/.exec(version) ?? [];
    if (open === undefined) return version;
    const fits = (one: string): boolean => {
      const above = low === "" ? 1 : compareJvmVersions(one, low);
      const below = high === "" ? -1 : compareJvmVersions(one, high);
      return (above > 0 || (above === 0 && open === "[")) && (below < 0 || (below === 0 && close === "]"));
    };
    return (await this.stores.versionsOf(group, artifact)).find(fits) ?? version;
  }
}

export function keyOf({ group, artifact }: { readonly group: string; readonly artifact: string }): string {
  return `${group}:${artifact}`;
}

/** Distinguishes dependencies as Maven does: an artifact's tests are a different artifact. */
function dependencyKey(one: PomDependency): string {
  return one.type === undefined || one.type === "jar" ? keyOf(one) : `${keyOf(one)}:${one.type}`;
}

function withManaged(one: ModelDependency, managed: ReadonlyMap<string, ModelDependency>): ModelDependency {
  const of = managed.get(dependencyKey(one));
  if (!of) return one;
  const { version = of.version, scope = of.scope } = one;
  return {
    ...one,
    ...(version !== undefined && { version }),
    ...(scope !== undefined && { scope }),
    saidBy: one.version === undefined ? of.saidBy : one.saidBy,
    exclusions: [...one.exclusions, ...of.exclusions],
  };
}

function propertiesOf(levels: readonly Level[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { pom } of levels.toReversed()) for (const [name, value] of pom.properties) found.set(name, value);
  const [own] = levels;
  const parent = own?.pom.parent;
  const said = {
    groupId: own?.pom.group ?? parent?.group ?? "",
    artifactId: own?.pom.artifact ?? "",
    version: own?.pom.version ?? parent?.version ?? "",
  };
  for (const [name, value] of Object.entries(said)) {
    const filled = interpolated(value, found);
    for (const prefix of ["project.", "pom.", ""]) if (!found.has(prefix + name)) found.set(prefix + name, filled);
  }
  if (parent) {
    found.set("project.parent.version", parent.version);
    found.set("project.parent.groupId", parent.group);
  }
  return found;
}

/** Expands `${…}` recursively and leaves unknown properties unmodified. */
function interpolated(text: string, properties: ReadonlyMap<string, string>): string {
  let now = text;
  for (let depth = 0; depth < 10 && now.includes("${") && now.length < maxFilled; depth++) {
    const next = now.replace(/\$\{([^${}]+)\}/g, (all, name: string) => {
      const value = properties.get(name) ?? all;
      return value.length > maxFilled ? all : value;
    });
    // Stops at excessive growth, which no real coordinate needs and which could exhaust memory.
    if (next === now || next.length > maxFilled) break;
    now = next;
  }
  return now;
}

function filledDependency(one: PomDependency, filled: (text: string) => string): PomDependency {
  return {
    ...one,
    group: filled(one.group),
    artifact: filled(one.artifact),
    ...(one.version !== undefined && { version: filled(one.version) }),
    ...(one.scope !== undefined && { scope: filled(one.scope) }),
  };
}
