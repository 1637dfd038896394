import { childText, parseXml } from "../../../base/xml.js";
import { type Machine, pathVariable } from "../machine.js";
import { joined, type PackageFiles } from "../package-files.js";
import { isCoordinate } from "./pom.js";

export interface Coordinates {
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
}

interface StoredFiles {
  readonly jar?: string;
  readonly sources?: string;
  readonly pom?: string;
}

/**
 * Finds files that Maven and Gradle have downloaded: in the local repository, and in Gradle's cache, which has a folder per hash. Runs no
 * program and uses only valid coordinates in paths.
 */
export class ArtifactStores {
  #repository: Promise<string> | undefined;

  constructor(
    private readonly files: PackageFiles,
    private readonly machine: Pick<Machine, "env" | "home">,
  ) {}

  /** Returns Maven's local repository, which settings.xml can change. */
  repository(): Promise<string> {
    this.#repository ??= this.#readRepository();
    return this.#repository;
  }

  get gradleCache(): string {
    const home = pathVariable(this.machine, "GRADLE_USER_HOME") ?? joined(this.machine.home, ".gradle");
    return joined(home, "caches/modules-2/files-2.1");
  }

  async filesOf(asked: Coordinates): Promise<StoredFiles> {
    const { group, artifact, version } = asked;
    if (![group, artifact, version].every(isCoordinate)) return {};
    const prefix = `${artifact}-${version}`;
    const folder = joined(await this.repository(), `${group.replaceAll(".", "/")}/${artifact}/${version}`);
    const ofMaven = await this.#named(prefix, [folder]);
    if (ofMaven.jar !== undefined && ofMaven.sources !== undefined) return ofMaven;
    const place = joined(this.gradleCache, `${group}/${artifact}/${version}`);
    const hashes = (await this.files.list(place)).filter(({ kind }) => kind === "folder");
    const ofGradle = await this.#named(
      prefix,
      hashes.map(({ name }) => joined(place, name)),
    );
    return { ...ofGradle, ...ofMaven };
  }

  /** Returns all downloaded versions, newest first. */
  async versionsOf(group: string, artifact: string): Promise<readonly string[]> {
    if (![group, artifact].every(isCoordinate)) return [];
    const places = [
      joined(await this.repository(), `${group.replaceAll(".", "/")}/${artifact}`),
      joined(this.gradleCache, `${group}/${artifact}`),
    ];
    const lists = await Promise.all(places.map((place) => this.files.list(place)));
    const names = lists.flat().flatMap(({ name, kind }) => (kind === "folder" && isCoordinate(name) ? [name] : []));
    return [...new Set(names)].toSorted((left, right) => compareJvmVersions(right, left));
  }

  async #named(prefix: string, folders: readonly string[]): Promise<StoredFiles> {
    const found: { -readonly [Key in keyof StoredFiles]: string } = {};
    for (const folder of folders) {
      for (const [key, suffix] of [
        ["jar", ".jar"],
        ["sources", "-sources.jar"],
        ["pom", ".pom"],
      ] as const) {
        const path = joined(folder, prefix + suffix);
        if (found[key] === undefined && (await this.files.isFile(path))) found[key] = path;
      }
    }
    return found;
  }

  async #readRepository(): Promise<string> {
    const { home } = this.machine;
    const settings = parseXml((await this.files.read(joined(home, ".m2/settings.xml"))) ?? "");
    const named = childText(settings, "localRepository");
    const path = named
      ?.replaceAll("\\", "/")
      .replace(/\$\{user\.home\}/g, home)
      .replace(/\$\{env\.(\w+)\}/g, (_, name: string) => this.machine.env[name] ?? "");
    return path === undefined || path.includes("${") ? joined(home, ".m2/repository") : joined(home, path);
  }
}

const qualifiers = ["alpha", "beta", "milestone", "rc", "snapshot", "", "sp"];
const shortened: Readonly<Record<string, string>> = {
  a: "alpha",
  b: "beta",
  m: "milestone",
  cr: "rc",
  ga: "",
  final: "",
  release: "",
};

/** Compares versions as Maven does: numbers by value, `1.0-rc1` before `1.0`, `1.0` equal to `1`. */
export function compareJvmVersions(left: string, right: string): number {
  const parts = (text: string): (number | string)[] =>
    (text.toLowerCase().match(/\d+|[a-z]+/g) ?? []).map((part) =>
      /^\d/.test(part) ? Number(part) : (shortened[part] ?? part),
    );
  const rank = (part: number | string | undefined): number => {
    if (typeof part === "number") return part === 0 ? 100 : 101;
    const known = qualifiers.indexOf(part ?? "");
    return known === -1 ? 50 : known === 5 ? 100 : known;
  };
  const [a, b] = [parts(left), parts(right)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [one, other] = [a[at], b[at]];
    if (typeof one === "number" && typeof other === "number") {
      if (one !== other) return one - other;
    } else if (rank(one) !== rank(other)) return rank(one) - rank(other);
    else if (typeof one === "string" && typeof other === "string" && one !== other) return one < other ? -1 : 1;
  }
  return 0;
}
