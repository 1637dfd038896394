import { escapedPattern } from "../../../base/star-pattern.js";
import { joined, type PackageFiles, parentOf } from "../package-files.js";
import { type InstalledPackage, packageFault, type PackageItem } from "../package-reader.js";
import { type JavaDeclaration, readJavaFile } from "./java-file.js";

const maxItems = 8;
const maxMembers = 60;
const maxParents = 8;
const maxListed = 2_000;
/** Source folders in artifacts that publish several platforms together. */
const sourceRoots = ["", "commonMain/", "jvmMain/", "main/"];

interface SourceFile {
  /** Path in the package's folder. */
  readonly path: string;
  readonly text: string;
}

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
    if (source?.path.endsWith(".java") === true) {
      const outer = last(found.subpath);
      const members = readJavaFile(source.text).filter((one) => one.isVisible && one.owners.at(-1) === outer);
      return [...new Set([outer, ...members.map(({ name }) => name)])].sort();
    }
    if (source) return [...new Set(kotlinNames(source.text))].sort();
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
    if (!source.path.endsWith(".java")) return kotlinItems(source, inner.at(-1) ?? last(classPath));
    const all = readJavaFile(source.text);
    const owners = [last(classPath), ...inner].slice(0, -1);
    const name = inner.at(-1) ?? last(classPath);
    const declared = all.filter((one) => one.name === name && one.owners.join(".") === owners.join("."));
    if (declared.length > 0) return declared.slice(0, maxItems).map((one) => itemOf(source, one, all));
    if (inner.length !== 1) return [];
    // The member may be inherited from a class or interface in the same artifact.
    const head = all.find((one) => one.kind === "type" && one.owners.length === 0 && one.name === last(classPath));
    for (const parent of parentsOf(head?.signature ?? "", source.text, classPath)) {
      const items = await this.#inClass(found, parent, inner, seen);
      if (items.length > 0) return items;
    }
    return [];
  }

  async #source(found: InstalledPackage, classPath: string): Promise<SourceFile | undefined> {
    const path = classPath === "" ? undefined : await this.fileOf(found, classPath);
    const text = path === undefined ? undefined : await this.files.read(joined(found.folder, path));
    return path === undefined || text === undefined ? undefined : { path, text };
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

function itemOf({ path: file }: SourceFile, one: JavaDeclaration, all: readonly JavaDeclaration[]): PackageItem {
  if (one.kind !== "type") return { file, line: one.line, text: one.text };
  const inside = [...one.owners, one.name].join(".");
  const members = all.filter((other) => other.isVisible && other.owners.join(".") === inside);
  const shown = members.slice(0, maxMembers).map(({ signature }) => `  ${signature.replace(/@Override /g, "")}`);
  const left = members.length - shown.length;
  const text = [one.text, ...shown, ...(left > 0 ? [`  … ${left} more members`] : [])].join("\n");
  return { file, line: one.line, text };
}

/** Returns the paths of a type's supertypes, as far as imports or the package reveal them. */
function parentsOf(signature: string, text: string, classPath: string): readonly string[] {
  const after = signature.replace(/<[^<>]*(?:<[^<>]*>[^<>]*)*>/g, "").replace(/^.*?\b(?=extends|implements)/, "");
  if (!/^(?:extends|implements)/.test(after)) return [];
  const names =
    after.match(/[\p{L}_$][\w$.]*/gu)?.filter((name) => !/^(?:extends|implements|permits)$/.test(name)) ?? [];
  const folder = classPath.includes("/") ? `${parentOf(classPath)}/` : "";
  return names.slice(0, maxParents * 4).map((name) => {
    const imported = new RegExp(`^import\\s+([\\w.]+\\.${escapedPattern(name)})\\s*;`, "m").exec(text)?.[1];
    return imported?.replaceAll(".", "/") ?? (name.includes(".") ? name.replaceAll(".", "/") : folder + name);
  });
}

const kotlinForm =
  /^([ \t]*)((?:(?:public|protected|internal|open|abstract|sealed|data|inline|suspend|operator|infix|override|const|lateinit|expect|actual|enum|annotation|value|fun|companion|external|tailrec)\s+){0,12})(class|interface|object|fun|val|var|typealias)\s+(?=\S)(?:<[^<>\n]*>\s*(?=\S))?(?:[\w.<>?, *]+\.)?([\p{L}_]\w*)[^\n{=]*/gmu;

function kotlinNames(text: string): readonly string[] {
  return [...text.matchAll(kotlinForm)].flatMap(([, indent = "", , , name = ""]) => (indent.length <= 4 ? [name] : []));
}

function kotlinItems({ path: file, text }: SourceFile, symbol: string): readonly PackageItem[] {
  const lines = text.split("\n");
  return [...text.matchAll(kotlinForm)]
    .filter(([, , , , name]) => name === symbol)
    .slice(0, maxItems)
    .map((found) => {
      const [all] = found;
      const line = text.slice(0, found.index).split("\n").length;
      let begin = line - 1;
      if (/\*\/\s*$/.test(lines[begin - 1] ?? "")) while (begin > 0 && !/^\s*\/\*\*/.test(lines[begin] ?? "")) begin--;
      const shown = [...lines.slice(begin, line - 1), all].map((one) => one.trim()).join("\n");
      return { file, line, text: shown.slice(0, 6_000) };
    });
}

function last(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
