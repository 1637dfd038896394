import { escapedPattern } from "../../../base/star-pattern.js";
import type { Machine } from "../machine.js";
import { joined, type PackageFiles } from "../package-files.js";
import type { InstalledPackage, PackageItem } from "../package-reader.js";
import { type Declaring, DeclaringLines } from "../text/declaring-lines.js";

type ResolvePackage = (path: string, from: string) => Promise<InstalledPackage | undefined>;

interface PackageFolder {
  readonly found: InstalledPackage;
  /** Package folder in the module; empty for the module's root package. */
  readonly folder: string;
}

const maxItems = 8;
const maxEmbedded = 12;
const systems =
  "aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows".split(" ");
const archs = "386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm".split(" ");

/** How Go declares names. */
export const golang: Declaring = {
  marks: [
    { open: "//", close: "\n" },
    { open: "/*", close: "*/" },
    { open: "`", close: "`" },
    { open: '"', close: '"', hasEscapes: true, isOneLine: true },
    { open: "'", close: "'", hasEscapes: true, isOneLine: true },
  ],
  top: (name) => new RegExp(String.raw`^(?:func|type|(?:var|const)(?:\s+\w+,)*?)\s+(${name})(?![\p{L}\p{N}_])`, "u"),
  member: (name) => new RegExp(String.raw`^\s*(?:(?:\w+,\s*)*?(${name})(?=[\s(,=[]|$)|\*(${name})\s*$)`, "u"),
  type: /^type\b/,
  above: /^\s*\/[/*]/,
  hidden: /^$/,
};
const group = /^(?:const|var|type)\s*\(\s*$/;

/** Finds declarations of Go packages in their sources, without running a program. */
export class GoDeclarations {
  constructor(
    private readonly files: PackageFiles,
    private readonly machine: Machine,
  ) {}

  /** Returns the package's exported names, sorted. */
  async names(found: InstalledPackage): Promise<readonly string[]> {
    const files = await this.#filesOf({ found, folder: found.subpath });
    const names = files.flatMap((file) => [
      ...file.names,
      ...file.outermost(group).flatMap((at) => file.memberNames(at)),
    ]);
    // Built-in names of the language are lowercase.
    const isBuiltin = found.name === "std" && found.subpath === "builtin";
    return [...new Set(names.filter((name) => isBuiltin || /^\p{Lu}/u.test(name)))].sort();
  }

  /** Finds the declarations of `Name` or `Type.Member`. */
  async items(found: InstalledPackage, symbol: string, resolve: ResolvePackage): Promise<readonly PackageItem[]> {
    const [name = "", member] = symbol.split(".");
    const place = { found, folder: found.subpath };
    if (member !== undefined) return this.#members(place, name, member, resolve, new Set());
    const files = await this.#filesOf(place);
    const items = files.flatMap((file) => declared(file, name).map((at) => file.item(at)));
    const methods = files.flatMap((file) =>
      file.matching(methodForm(name, String.raw`\p{Lu}\w*`)).map(({ at }) => file.head(at)),
    );
    const all = methods.length === 0 ? "" : `\n\n${methods.join("\n")}`;
    return items.slice(0, maxItems).map((item, index) => (index === 0 ? { ...item, text: item.text + all } : item));
  }

  async #members(
    place: PackageFolder,
    type: string,
    member: string,
    resolve: ResolvePackage,
    seen: Set<string>,
  ): Promise<readonly PackageItem[]> {
    const key = `${place.found.folder}\0${place.folder}\0${type}`;
    if (seen.has(key) || seen.size > maxEmbedded) return [];
    seen.add(key);
    const files = await this.#filesOf(place);
    const form = methodForm(type, escapedPattern(member));
    const methods = files.flatMap((file) => file.matching(form).map(({ at }) => file.item(at)));
    if (methods.length > 0) return methods.slice(0, maxItems);
    for (const file of files) {
      for (const at of declared(file, type)) {
        const own = file.members(at, member);
        if (own.length > 0) return own.map((one) => file.item(one));
        for (const base of file.bases(at)) {
          const [name = "", qualifier] = base.split(".").toReversed();
          const next = await this.#embeddedPlace(place, file, qualifier, resolve);
          const found = next ? await this.#members(next, name, member, resolve, seen) : [];
          if (found.length === 0 || !next) continue;
          return next.found === place.found ? found : found.map((item) => ({ ...item, of: item.of ?? next.found }));
        }
      }
    }
    return [];
  }

  async #embeddedPlace(
    place: PackageFolder,
    file: GoFile,
    qualifier: string | undefined,
    resolve: ResolvePackage,
  ): Promise<PackageFolder | undefined> {
    if (qualifier === undefined) return place;
    const path = file.imports.get(qualifier);
    const found = path === undefined ? undefined : await resolve(path, joined(place.found.folder, file.path));
    if (!found) return undefined;
    return found.folder === place.found.folder
      ? { found: place.found, folder: found.subpath }
      : { found, folder: found.subpath };
  }

  /** Returns the package's files; those for this system come first. Excludes tests and ignored files. */
  async #filesOf({ found, folder }: PackageFolder): Promise<readonly GoFile[]> {
    const entries = await this.files.list(joined(found.folder, folder));
    const names = entries.filter(
      ({ name, kind }) => kind === "file" && name.endsWith(".go") && !name.endsWith("_test.go"),
    );
    const read = await Promise.all(
      names.map(async ({ name }): Promise<readonly GoFile[]> => {
        const path = folder === "" ? name : `${folder}/${name}`;
        const text = await this.files.read(joined(found.folder, path));
        return text === undefined || /^\/\/go:build ignore$/m.test(text) ? [] : [new GoFile(path, text)];
      }),
    );
    const foreign = ({ path }: GoFile): number => (this.#isForeign(path) ? 1 : 0);
    return read.flat().toSorted((left, right) => foreign(left) - foreign(right));
  }

  #isForeign(path: string): boolean {
    const { platform, arch } = this.machine;
    const own = [platform === "win32" ? "windows" : platform, arch === "x64" ? "amd64" : arch];
    const parts = path.replace(/^.*\//, "").replace(/\.go$/, "").split("_").slice(1).slice(-2);
    return parts.some((part) => (systems.includes(part) || archs.includes(part)) && !own.includes(part));
  }
}

class GoFile extends DeclaringLines {
  constructor(
    path: string,
    private readonly text: string,
  ) {
    super(path, text, golang);
  }

  /** Import paths by the name used in the file. */
  get imports(): ReadonlyMap<string, string> {
    const imports = new Map<string, string>();
    for (const [, name, path = ""] of this.text.matchAll(/^[\t ]*(?:import\s*(?:\(\s*)?)?([\w.]+\s+)?"([^"\n]+)"/gm)) {
      const parts = path.split("/");
      const last = parts.at(-1) ?? "";
      const usual = (/^v\d+$/.test(last) ? (parts.at(-2) ?? last) : last).replace(/^go-|\.v\d+$/g, "");
      imports.set(name?.trim() ?? usual, path);
    }
    return imports;
  }
}

/** Returns the lines that declare a name, including lines in groups such as `const (`. */
function declared(file: GoFile, name: string): readonly number[] {
  return [...file.named(name), ...file.outermost(group).flatMap((at) => file.members(at, name))];
}

function methodForm(type: string, name: string): RegExp {
  return new RegExp(String.raw`^func\s+\((?:\w+\s+)?\*?${escapedPattern(type)}\b[^)]*\)\s*(${name})(?!\w)`, "u");
}
