import { type Machine, pathVariable, programPlace } from "../machine.js";
import { isWithin, joined, type PackageFiles, parentOf } from "../package-files.js";
import {
  type InstalledPackage,
  type PackageAnswer,
  packageFault,
  type PackageItem,
  type PackageQuestion,
  type PackageReader,
  type SourceKind,
} from "../package-reader.js";
import { ArtifactStores } from "./artifact-stores.js";
import type { ResolvedArtifact } from "./resolve-class-path.js";
import { JvmDeclarations } from "./jvm-declarations.js";
import { type JvmProject, JvmProjects } from "./jvm-project.js";
import { keyOf } from "./maven-models.js";
import { isCoordinate } from "./pom.js";

/** Packages that only the JDK contains. */
const ofJdk = /^(?:java|jdk|sun|com\/sun)\//;
const mayBeOfJdk = /^(?:javax|org\/(?:w3c|xml|ietf))\//;
const codeFolders = ["main", "test"].flatMap((set) =>
  ["java", "kotlin", "groovy", "scala"].map((language) => `src/${set}/${language}`),
);

/**
 * Finds the artifacts of a Java or Kotlin project through its pom.xml, or its lock file and build script, without running them. Finds
 * imports by the classes in the jars.
 */
export class JvmPackages implements PackageReader {
  readonly ecosystem = "jvm";
  readonly markers = ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
  readonly kindOf = jvmKindOf;
  readonly #stores: ArtifactStores;
  readonly #projects: JvmProjects;
  readonly #jdk: JdkSources;
  readonly #declarations: JvmDeclarations;

  constructor(
    private readonly files: PackageFiles,
    machine: Machine,
  ) {
    this.#stores = new ArtifactStores(files, machine);
    this.#projects = new JvmProjects(files, this.#stores);
    this.#jdk = new JdkSources(files, machine);
    this.#declarations = new JvmDeclarations(files);
  }

  imports(file: string): boolean {
    return /\.(?:java|kts?|groovy|scala)$/.test(file);
  }

  fetchCommand(name: string, version: string | undefined): string {
    return `mvn dependency:get -Dartifact=${name}:${version ?? "VERSION"}:jar:sources -Dtransitive=false (in an empty folder)`;
  }

  async storedAt(name: string, version: string): Promise<string | undefined> {
    const [group = "", artifact = ""] = name.split(":");
    const { sources, jar } = await this.#stores.filesOf({ group, artifact, version });
    return sources ?? jar;
  }

  async entry(found: InstalledPackage): Promise<string | undefined> {
    if (found.subpath === "") return undefined;
    const file = await this.#declarations.fileOf(found, found.subpath);
    if (file !== undefined) return file;
    const built = `${found.subpath}.class`;
    return (await this.files.isFile(joined(found.folder, built))) ? built : undefined;
  }

  names(found: InstalledPackage): Promise<readonly string[]> {
    return this.#declarations.names(found);
  }

  items(found: InstalledPackage, symbol: string): Promise<readonly PackageItem[]> {
    return this.#declarations.items(found, symbol);
  }

  async resolve({ name: text, from }: PackageQuestion): Promise<PackageAnswer> {
    const name = parseJvmName(text);
    const project = await this.#projects.around(from);
    if (name.kind === "artifact") return this.#artifact(project, keyOf(name), from);
    const own = project && (await this.#ofProject(project, name));
    if (own) return own;
    if (ofJdk.test(`${name.path}/`)) return this.#ofJdk(name, text);
    const found = project && (await this.#byClass(project, name));
    if (found) return found;
    if (mayBeOfJdk.test(`${name.path}/`)) return this.#ofJdk(name, text);
    if (!project) throw packageFault(`There is no pom.xml or build.gradle from ${from} upwards.`, hint);
    const { missing } = project.classPath;
    const unknown =
      missing.length === 0
        ? ""
        : ` ${missing.length} of them are not on this machine: ${missing.slice(0, 5).join(", ")}.`;
    throw packageFault(`No dependency of ${project.file} contains ${name.path.replaceAll("/", ".")}.${unknown}`, hint);
  }

  async #artifact(project: JvmProject | undefined, key: string, from: string): Promise<PackageAnswer> {
    const [group = "", artifact = ""] = key.split(":");
    const found = project?.classPath.artifacts.get(key);
    if (found && project) return this.#answer(project, found, "");
    const versions = await this.#stores.versionsOf(group, artifact);
    const why = project
      ? `${project.file} does not depend on it`
      : `there is no pom.xml or build.gradle from ${from} upwards`;
    const others = versions.map((version) => ({ version, wantedBy: [] }));
    return { kind: "absent", ecosystem: this.ecosystem, name: key, why: [why, ...(project?.doubts ?? [])], others };
  }

  async #ofProject(
    { folder, name, version, file }: JvmProject,
    { kind, path }: ClassName,
  ): Promise<PackageAnswer | undefined> {
    for (const place of codeFolders) {
      const at = joined(folder, place);
      const isThere =
        kind === "package"
          ? (await this.files.list(joined(at, path))).some((entry) => entry.kind === "file")
          : (await this.files.isFile(joined(at, `${path}.java`))) ||
            (await this.files.isFile(joined(at, `${path}.kt`)));
      if (!isThere || !(await isWithin(this.files, at, folder))) continue;
      return {
        ...{
          kind: "installed",
          ecosystem: this.ecosystem,
          name,
          version: version || "(project)",
          folder: at,
          subpath: path,
        },
        ...{ why: [`it is part of this project: ${file}`], others: [], isFixed: false },
      };
    }
    return undefined;
  }

  /**
   * Returns the project's first artifact whose jar contains the class. Starts with the artifacts whose names are most similar to its
   * package.
   */
  async #byClass(project: JvmProject, name: ClassName): Promise<PackageAnswer | undefined> {
    const wanted = name.path.split("/");
    const likeness = ({ group, artifact }: ResolvedArtifact): number => {
      const own = [...group.split("."), ...artifact.split(/[-.]/)];
      const same = group.split(".").findIndex((part, index) => part !== wanted[index]);
      return (same === -1 ? group.split(".").length : same) * 10 + own.filter((part) => wanted.includes(part)).length;
    };
    const sorted = [...project.classPath.artifacts.values()]
      .map((artifact) => ({ artifact, like: likeness(artifact) }))
      .toSorted((left, right) => right.like - left.like);
    let nearest: ResolvedArtifact | undefined;
    for (const { artifact, like } of sorted) {
      const { jar, sources } = await this.#stores.filesOf(artifact);
      if (jar === undefined && like >= 20) nearest ??= artifact;
      for (const archive of [jar, sources]) {
        if (archive === undefined || !(await this.#has(archive, name))) continue;
        return this.#answer(project, artifact, name.path);
      }
    }
    return nearest && this.#answer(project, nearest, name.path);
  }

  async #has(archive: string, { kind, path }: ClassName): Promise<boolean> {
    if (kind === "package")
      return (await this.files.list(joined(archive, path))).some((entry) => entry.kind === "file");
    for (const suffix of [".class", ".java", ".kt"])
      if (await this.files.isFile(joined(archive, path + suffix))) return true;
    return false;
  }

  async #answer(project: JvmProject, found: ResolvedArtifact, subpath: string): Promise<PackageAnswer> {
    const { group, artifact, version, path, saidBy } = found;
    const name = keyOf(found);
    const { jar, sources } = await this.#stores.filesOf(found);
    const versions = await this.#stores.versionsOf(group, artifact);
    const others = versions.filter((one) => one !== version).map((one) => ({ version: one, wantedBy: [] }));
    const asked =
      path.length === 0
        ? `${project.file} depends on it directly`
        : `${path[0] ?? ""} brings it${path
            .slice(1)
            .map((one) => `, for ${one}`)
            .join("")}`;
    const why = [asked, ...(saidBy === project.file ? [] : [`${saidBy} sets the version`])];
    const common = { ecosystem: this.ecosystem, name, others };
    const folder = sources ?? jar;
    if (folder === undefined) {
      return { ...common, kind: "absent", wanted: version, subpath, why: [...why, "its jar is not on this machine"] };
    }
    const without = `only its classes are here, not its sources: package_fetch downloads them (${this.fetchCommand(name, version)})`;
    return {
      ...{ ...common, kind: "installed", version, folder, subpath },
      why: [...why, ...(sources === undefined ? [without] : []), ...project.doubts],
      isFixed: !version.endsWith("-SNAPSHOT"),
    };
  }

  async #ofJdk({ path }: ClassName, text: string): Promise<PackageAnswer> {
    const jdk = await this.#jdk.jdk();
    if (!jdk)
      throw packageFault(
        `No JDK was found for ${JSON.stringify(text)}: neither in JAVA_HOME nor on the PATH.`,
        "Install one.",
      );
    if (jdk.sources === undefined) {
      throw packageFault(
        `The JDK ${jdk.version} in ${jdk.home} has no sources: its lib/src.zip is missing.`,
        "Install the system's source package, such as openjdk-17-source, or use a JDK that includes its sources.",
      );
    }
    const file = [`${path}.java`, path];
    for (const place of file) {
      const module = await this.#jdk.moduleOf(jdk.sources, place);
      if (module === undefined) continue;
      const folder = module === "" ? jdk.sources : joined(jdk.sources, module);
      const home = place.endsWith(".java") ? path.slice(0, path.lastIndexOf("/")) : path;
      return {
        ...{ kind: "installed", ecosystem: this.ecosystem, name: "jdk", version: jdk.version, folder, only: [home] },
        ...{ subpath: path, why: [`it belongs to the JDK in ${jdk.home}`], others: [], isFixed: true },
      };
    }
    throw packageFault(`The JDK ${jdk.version} has no ${path.replaceAll("/", ".")}.`, hint);
  }
}

type ClassName = Exclude<JvmName, { readonly kind: "artifact" }>;

const hint = 'Name the artifact as "group:artifact", or build the project once to download its dependencies.';

/** Parsed Java or Kotlin import, or name of an artifact. */
type JvmName =
  | { readonly kind: "artifact"; readonly group: string; readonly artifact: string }
  /** `path` is a class with its package, `com/acme/Cart`, without nested types and members. */
  | { readonly kind: "class"; readonly path: string; readonly members: readonly string[] }
  | { readonly kind: "package"; readonly path: string };

/** Throws if the text is neither a valid import nor an artifact. */
function parseJvmName(text: string): JvmName {
  const shown = JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
  const hint =
    'Give an import as in code, such as "com.google.common.collect.ImmutableList", or an artifact as "group:artifact".';
  const coordinates = text.split(":");
  if (coordinates.length > 1) {
    const [group = "", artifact = ""] = coordinates;
    if (coordinates.length > 3 || !coordinates.every(isCoordinate))
      throw packageFault(`${shown} isn't an artifact.`, hint);
    return { kind: "artifact", group, artifact };
  }
  const plain = text
    .replace(/^import\s+(?:static\s+)?/, "")
    .replace(/\s*;$/, "")
    .replace(/\.\*$/, "");
  const parts = plain.split(".");
  if (parts.length < 2 || plain.length > 500 || !parts.every((part) => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(part))) {
    throw packageFault(`${shown} isn't a Java or Kotlin import.`, hint);
  }
  // Only convention distinguishes packages from classes: class names start with an uppercase letter.
  const at = parts.findIndex((part) => /^\p{Lu}/u.test(part));
  if (at === -1) return { kind: "package", path: parts.join("/") };
  return { kind: "class", path: parts.slice(0, at + 1).join("/"), members: parts.slice(at + 1) };
}

/** Classifies a file of an artifact or its sources by its path. */
function jvmKindOf(path: string): SourceKind {
  if (path.endsWith(".class")) return "built";
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (/\.(?:md|adoc|txt|html)$/i.test(file) || /^(?:licen[cs]e|notice|readme|changelog)/i.test(file)) return "docs";
  if (/(?:^|\/)src\/test\//.test(path) || /Tests?\.(?:java|kt)$/.test(file)) return "tests";
  return /\.(?:java|kts?|groovy|scala)$/.test(file) ? "source" : "other";
}

/** The default JDK of a shell, and its sources. */
interface Jdk {
  readonly home: string;
  readonly version: string;
  /** Absolute path; undefined if the file is missing or a broken link. */
  readonly sources?: string;
}

/** Sources of the JDK in `lib/src.zip`, which many system packages omit. */
class JdkSources {
  #jdk: Promise<Jdk | undefined> | undefined;

  constructor(
    private readonly files: PackageFiles,
    private readonly machine: Machine,
  ) {}

  /** Returns the JDK of JAVA_HOME, else of `java` on the PATH. */
  jdk(): Promise<Jdk | undefined> {
    this.#jdk ??= this.#find();
    return this.#jdk;
  }

  /** Returns the archive folder of the module that contains this path; empty before Java 9. */
  async moduleOf(sources: string, path: string): Promise<string | undefined> {
    const has = async (place: string): Promise<boolean> =>
      (await this.files.stamp(joined(sources, place))) !== undefined;
    const modules = (await this.files.list(sources)).map(({ name }) => name);
    for (const module of ["java.base", ...modules.filter((name) => name.includes("."))]) {
      if (await has(`${module}/${path}`)) return module;
    }
    return (await has(path)) ? "" : undefined;
  }

  async #find(): Promise<Jdk | undefined> {
    const program = await programPlace(this.files, this.machine, "java");
    const real = program && (await this.files.realPath(program));
    const homes = [pathVariable(this.machine, "JAVA_HOME"), real && parentOf(parentOf(real))];
    for (const home of homes) {
      if (home === undefined) continue;
      const release = await this.files.read(joined(home, "release"));
      const version = /^JAVA_VERSION="([^"]+)"/m.exec(release ?? "")?.[1];
      if (version === undefined) continue;
      for (const place of ["lib/src.zip", "src.zip"]) {
        const sources = joined(home, place);
        if (await this.files.isFile(sources)) return { home, version, sources };
      }
      return { home, version };
    }
    return undefined;
  }
}
