import { joined, type PackageFiles, ReadOnce, upwards } from "../package-files.js";
import { type ArtifactStores, compareJvmVersions } from "./artifact-stores.js";
import { type ClassPath, type ResolvedArtifact, resolveClassPath } from "./resolve-class-path.js";
import {
  type GradleWishes,
  noCatalog,
  parseCatalog,
  parseGradleLock,
  parseGradleScript,
  parseProperties,
} from "./gradle-build.js";
import { keyOf, type MavenModel, MavenModels, type ModelDependency } from "./maven-models.js";

/** The project that contains an importer. */
export interface JvmProject {
  readonly folder: string;
  /** Absolute path of the pom.xml or build script. */
  readonly file: string;
  /** Name of the project in its own configuration. */
  readonly name: string;
  readonly version: string;
  readonly classPath: ClassPath;
  /** Sentences about reasons why the versions may be incomplete. */
  readonly doubts: readonly string[];
}

const scripts = ["build.gradle.kts", "build.gradle"];

/** Maven and Gradle projects, cached until their files change. */
export class JvmProjects {
  readonly #models: MavenModels;
  readonly #catalogs: ReadOnce<ReturnType<typeof parseCatalog>>;
  readonly #known = new Map<string, { readonly stamp: string; readonly project: JvmProject }>();

  constructor(
    private readonly files: PackageFiles,
    stores: ArtifactStores,
  ) {
    this.#models = new MavenModels(files, stores);
    this.#catalogs = new ReadOnce(files, parseCatalog, 1024 * 1024, 20);
  }

  /** Returns the nearest project around a file or folder. */
  async around(from: string): Promise<JvmProject | undefined> {
    for (const folder of upwards(from)) {
      for (const name of ["pom.xml", ...scripts]) {
        const file = joined(folder, name);
        if (!(await this.files.isFile(file))) continue;
        const project = await this.#read(folder, file);
        if (project) return project;
      }
    }
    return undefined;
  }

  async #read(folder: string, file: string): Promise<JvmProject | undefined> {
    const known = this.#known.get(file);
    if (known && known.stamp === (await this.#stampOf(known.project, file))) return known.project;
    const project = file.endsWith("pom.xml") ? await this.#maven(folder, file) : await this.#gradle(folder, file);
    // Not cached if incomplete, since missing files may appear at any time.
    if (project && project.classPath.missing.length === 0) {
      this.#known.set(file, { stamp: await this.#stampOf(project, file), project });
    }
    return project;
  }

  /** Combines the stamps of all project files that may determine a version. */
  async #stampOf({ classPath }: JvmProject, file: string): Promise<string> {
    const from = new Set([...classPath.artifacts.values()].map(({ saidBy }) => saidBy));
    const around = [...upwards(file)].flatMap((folder) =>
      ["pom.xml", "gradle.lockfile", "gradle/libs.versions.toml", "gradle.properties"].map((name) =>
        joined(folder, name),
      ),
    );
    const stamps = [...new Set([file, ...from, ...around])].map((path) => this.files.stamp(path));
    return (await Promise.all(stamps)).join("\0");
  }

  async #maven(folder: string, file: string): Promise<JvmProject | undefined> {
    const model = await this.#models.modelOf(file);
    if (!model) return undefined;
    const isBetter = (): boolean => false;
    const classPath = await resolveClassPath(this.#models, model.dependencies, model.managed, isBetter);
    const missing = [...model.missing, ...classPath.missing];
    return {
      ...{ folder, file, name: keyOf(model), version: model.version },
      classPath: { ...classPath, missing },
      doubts: [
        "it is read from the pom.xml and its parents, without running Maven or applying profiles",
        ...missingSentence(missing),
      ],
    };
  }

  async #gradle(folder: string, file: string): Promise<JvmProject> {
    const text = (await this.files.read(file)) ?? "";
    const root = await this.#gradleRoot(folder);
    const catalog = (await this.#catalogs.of(joined(root, "gradle/libs.versions.toml"))) ?? noCatalog;
    const properties = parseProperties((await this.files.read(joined(root, "gradle.properties"))) ?? "");
    const wishes = parseGradleScript(text, file, catalog, properties);
    const lockFile = joined(folder, "gradle.lockfile");
    const lock = parseGradleLock((await this.files.read(lockFile)) ?? "");
    const name = /^[ \t]*rootProject\.name\s*=\s*["']([^"'\n]+)/m;
    const settings = await this.#firstOf(root, ["settings.gradle.kts", "settings.gradle"]);
    const own = root === folder ? name.exec(settings)?.[1] : undefined;
    const common = {
      folder,
      file,
      name: own ?? folder.slice(folder.lastIndexOf("/") + 1),
      version: properties.get("version") ?? "",
    };
    if (lock.size > 0) {
      const asked = new Set(wishes.dependencies.map(keyOf));
      return { ...common, classPath: lockedPath(lock, lockFile, asked), doubts: [] };
    }
    const classPath = await this.#resolveGradle(wishes);
    const doubts = [
      "it is read from the build script, its catalog and downloaded files, without running Gradle: dependencies added by plugins or " +
        "code are not seen",
      ...missingSentence(classPath.missing),
    ];
    return { ...common, classPath, doubts };
  }

  async #resolveGradle({ dependencies, platforms }: GradleWishes): Promise<ClassPath> {
    const managed = new Map<string, ModelDependency>();
    for (const { group, artifact, version = "" } of platforms) {
      const list: MavenModel | undefined = await this.#models.stored(group, artifact, version);
      for (const [key, one] of list?.managed ?? []) if (!managed.has(key)) managed.set(key, one);
    }
    const wishes = dependencies.map((one) => {
      const version = one.version ?? managed.get(keyOf(one))?.version;
      return { ...one, ...(version !== undefined && { version }) };
    });
    const isNewer = (now: ResolvedArtifact, other: string): boolean => compareJvmVersions(other, now.version) > 0;
    return resolveClassPath(this.#models, wishes, managed, isNewer);
  }

  async #gradleRoot(folder: string): Promise<string> {
    for (const at of upwards(folder)) {
      for (const name of ["settings.gradle.kts", "settings.gradle"])
        if (await this.files.isFile(joined(at, name))) return at;
    }
    return folder;
  }

  async #firstOf(folder: string, names: readonly string[]): Promise<string> {
    for (const name of names) {
      const text = await this.files.read(joined(folder, name));
      if (text !== undefined) return text;
    }
    return "";
  }
}

function lockedPath(lock: ReadonlyMap<string, string>, file: string, asked: ReadonlySet<string>): ClassPath {
  const artifacts = [...lock].map(([key, version]) => {
    const [group = "", artifact = ""] = key.split(":");
    const path = asked.has(key) ? [] : ["another artifact"];
    return [key, { group, artifact, version, path, saidBy: file, scope: "compile" }] as const;
  });
  return { artifacts: new Map(artifacts), missing: [] };
}

function missingSentence(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
  return [`not on this machine, so their dependencies are unknown: ${missing.slice(0, 3).join(", ")}${more}`];
}
