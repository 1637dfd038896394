import { joined, type PackageFiles, parentOf } from "../package-files.js";
import { escapedPattern } from "../../../base/star-pattern.js";
import { type InstalledPackage, packageFault, type PackageItem } from "../package-reader.js";
import { type Declaring, DeclaringLines } from "../text/declaring-lines.js";

const maxItems = 8;
const maxParents = 8;
const maxListed = 2_000;
/** Source folders in artifacts that publish several platforms together. */
const sourceRoots = ["", "commonMain/", "jvmMain/", "main/"];

const common = {
  marks: [
    { open: "/*", close: "*/" },
    { open: "//", close: "\n" },
    { open: '"""', close: '"""', hasEscapes: true },
    { open: '"', close: '"', hasEscapes: true, isOneLine: true },
    { open: "'", close: "'", hasEscapes: true, isOneLine: true },
  ],
  type: /\b(?:class|interface|enum|record|object)\b/,
  above: /^\s*(?:\/\*\*|\/\/|@)/,
  hidden: /^\s*private\b/,
};
const javaTypes = String.raw`^\s*(?:[^\s(=]+\s+)*?(?:class|@?interface|enum|record)\s+`;
/** How Java declares names. */
export const java: Declaring = {
  ...common,
  top: (name) => new RegExp(String.raw`${javaTypes}(${name})(?![\w$])`, "u"),
  // Members other than types begin with modifiers and types, or are constants of an enumeration.
  member: (name) =>
    new RegExp(
      String.raw`${javaTypes}(${name})(?![\w$])|^(?!.*\b(?:class|interface|enum|record)\s)\s*(?:[^\s(=]+\s+)*(${name})\s*(?:[(=;,{]|$)`,
      "u",
    ),
};
const kotlinForm = (name: string): RegExp =>
  new RegExp(
    String.raw`^\s*(?:[^\s(=]+\s+)*?(?:class|interface|object|trait|fun|def|val|var|typealias)\s+(?:<[^>]*>\s*)?(?:[\w.<>?]+\.)?(${name})(?![\w$])`,
    "u",
  );
/** Declarations of Kotlin, Groovy and Scala. */
const kotlin: Declaring = { ...common, top: kotlinForm, member: kotlinForm };

/** Finds declarations in Java and Kotlin sources. Runs no program and reads no class files. */
export class JvmDeclarations {
  constructor(private readonly files: PackageFiles) {}

  /** Returns the file of a class; undefined if its source is missing. */
  async fileOf({ folder }: InstalledPackage, classPath: string): Promise<string | undefined> {
    for (const root of sourceRoots) {
      for (const suffix of [".java", ".kt", ".groovy", ".scala"]) {
        if (await this.files.isFile(joined(folder, root + classPath + suffix))) return root + classPath + suffix;
      }
    }
    return this.#kotlinFile(folder, classPath);
  }

  /** Returns the members of a class, or the classes of a package or artifact, sorted. */
  async names(found: InstalledPackage): Promise<readonly string[]> {
    const source = await this.#source(found, found.subpath);
    if (source) {
      const outer = last(found.subpath);
      const members = source.named(outer).flatMap((at) => source.memberNames(at));
      return [...new Set([outer, ...source.names, ...members])].sort();
    }
    const built = `${found.subpath}.class`;
    if (found.subpath !== "" && (await this.files.isFile(joined(found.folder, built)))) return [last(found.subpath)];
    const classes: string[] = [];
    const visit = async (path: string): Promise<void> => {
      for (const { name, kind } of await this.files.list(joined(found.folder, path))) {
        if (classes.length >= maxListed || /^(?:META-INF|module-info|package-info)/.test(name)) continue;
        const inside = path === "" ? name : `${path}/${name}`;
        if (kind === "folder" && found.subpath === "") await visit(inside);
        else if (/^[^$]+\.(?:java|kt|class)$/.test(name))
          classes.push(inside.replace(/\.\w+$/, "").replaceAll("/", "."));
      }
    };
    await visit(found.subpath);
    return [...new Set(classes)].sort();
  }

  /** Finds the declarations of `Name` or `Name.member`, or of `member` if a class was imported. */
  async items(found: InstalledPackage, symbol: string): Promise<readonly PackageItem[]> {
    const parts = symbol.split(".");
    const own = last(found.subpath);
    const isClass = (await this.#source(found, found.subpath)) !== undefined;
    if (isClass) {
      const inner = parts[0] === own ? parts.slice(1) : parts;
      return this.#inClass(found, found.subpath, inner, new Set());
    }
    // In a package or artifact, the symbol starts with a class, possibly preceded by its package.
    const at = parts.findIndex((part) => /^\p{Lu}/u.test(part));
    const path = parts.slice(0, at + 1).join("/");
    const places = at > 0 ? [path] : await this.#classesNamed(found, path);
    const items: PackageItem[] = [];
    for (const place of places) items.push(...(await this.#inClass(found, place, parts.slice(at + 1), new Set())));
    if (items.length === 0 && found.folder.endsWith(".jar") && !found.folder.endsWith("-sources.jar")) {
      throw packageFault(
        `The sources of ${found.name} ${found.version} are not on this machine.`,
        "package_fetch downloads them; package_item for the artifact, without a symbol, lists its classes.",
      );
    }
    return items.slice(0, maxItems);
  }

  async #inClass(
    found: InstalledPackage,
    classPath: string,
    inner: readonly string[],
    seen: Set<string>,
  ): Promise<readonly PackageItem[]> {
    if (seen.has(classPath) || seen.size > maxParents) return [];
    seen.add(classPath);
    const source = await this.#source(found, classPath);
    if (!source) return [];
    const types = source.named(last(classPath));
    let places = types;
    for (const name of inner) places = places.flatMap((at) => source.members(at, name));
    // Kotlin files declare functions outside of classes too.
    if (places.length === 0 && inner.length === 1) places = source.named(inner[0] ?? "");
    if (places.length > 0) return places.slice(0, maxItems).map((at) => source.item(at));
    // The member may be inherited from a class or interface in the same artifact.
    for (const base of inner.length === 1 ? types.flatMap((at) => source.bases(at)) : []) {
      const imported = new RegExp(String.raw`^\s*import\s+([\w.]+\.${escapedPattern(base)})\b`, "m").exec(
        source.masked,
      );
      const folder = classPath.includes("/") && !base.includes(".") ? `${parentOf(classPath)}/` : "";
      const parent = imported?.[1]?.replaceAll(".", "/") ?? folder + base.replaceAll(".", "/");
      const items = await this.#inClass(found, parent, inner, seen);
      if (items.length > 0) return items;
    }
    return [];
  }

  async #source(found: InstalledPackage, classPath: string): Promise<DeclaringLines | undefined> {
    const path = classPath === "" ? undefined : await this.fileOf(found, classPath);
    const text = path === undefined ? undefined : await this.files.read(joined(found.folder, path));
    if (path === undefined || text === undefined) return undefined;
    return new DeclaringLines(path, text, path.endsWith(".java") ? java : kotlin);
  }

  async #kotlinFile(folder: string, classPath: string): Promise<string | undefined> {
    // Kotlin allows any file name, but folders match packages.
    for (const root of sourceRoots) {
      const place = root + (classPath.includes("/") ? parentOf(classPath) : "");
      const files = (await this.files.list(joined(folder, place))).filter(({ name }) => name.endsWith(".kt"));
      for (const { name } of files) {
        const text = (await this.files.read(joined(folder, `${place}/${name}`))) ?? "";
        if (new RegExp(`\\b(?:class|interface|object|typealias)\\s+${escapedPattern(last(classPath))}\\b`).test(text))
          return `${place}/${name}`;
      }
    }
    return undefined;
  }

  /** Returns the paths of classes with that name, in the imported package or anywhere. */
  async #classesNamed(found: InstalledPackage, name: string): Promise<readonly string[]> {
    if (found.subpath !== "") return [`${found.subpath}/${name}`];
    const paths: string[] = [];
    const visit = async (folder: string): Promise<void> => {
      for (const entry of await this.files.list(joined(found.folder, folder))) {
        if (paths.length >= maxItems || entry.name === "META-INF") continue;
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (entry.kind === "folder") await visit(path);
        else if (entry.name === `${name}.java` || entry.name === `${name}.kt`) paths.push(path.replace(/\.\w+$/, ""));
      }
    };
    await visit("");
    return paths;
  }
}

function last(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
