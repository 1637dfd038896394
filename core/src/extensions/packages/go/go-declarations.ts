import type { Machine } from "../machine.js";
import { joined, type PackageFiles } from "../package-files.js";
import type { InstalledPackage, PackageItem } from "../package-reader.js";
import { type GoDeclaration, type GoFile, membersOf, readGoFile } from "./go-file.js";

type ResolvePackage = (path: string, from: string) => Promise<InstalledPackage | undefined>;

interface Place {
  readonly found: InstalledPackage;
  /** Package folder in the module; empty for the module's root package. */
  readonly folder: string;
}

interface ParsedFile {
  /** Path in the module. */
  readonly path: string;
  readonly go: GoFile;
}

const maxItems = 8;
const maxText = 6_000;
const maxEmbedded = 12;
const systems =
  "aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows".split(" ");
const archs = "386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm".split(" ");

/** Finds declarations of Go packages in their sources, without running a program. */
export class GoDeclarations {
  constructor(
    private readonly files: PackageFiles,
    private readonly machine: Machine,
  ) {}

  /** Returns the package's exported names, sorted. */
  async names(found: InstalledPackage): Promise<readonly string[]> {
    const files = await this.#parsed({ found, folder: found.subpath });
    const names = files.flatMap(({ go }) =>
      go.declarations.filter(({ receiver }) => receiver === undefined).map(({ name }) => name),
    );
    // Built-in names of the language are lowercase.
    const isBuiltin = found.name === "std" && found.subpath === "builtin";
    return [...new Set(names.filter((name) => isBuiltin || /^\p{Lu}/u.test(name)))].sort();
  }

  /** Finds the declarations of `Name` or `Type.Member`. */
  async items(found: InstalledPackage, symbol: string, resolve: ResolvePackage): Promise<readonly PackageItem[]> {
    const [name = "", ...members] = symbol.split(".");
    const place = { found, folder: found.subpath };
    const files = await this.#parsed(place);
    if (members.length === 0) {
      const declared = files.flatMap((file) =>
        file.go.declarations
          .filter((one) => one.name === name && one.receiver === undefined)
          .map((one) => itemOf(file, one)),
      );
      const [first] = declared;
      if (!first || declared.length > maxItems) return declared.slice(0, maxItems);
      return declared.map((item, index) =>
        index === 0 ? { ...item, text: bounded(item.text + methodsText(files, name)) } : item,
      );
    }
    return this.#members(place, name, members[0] ?? "", resolve, new Set());
  }

  async #members(
    place: Place,
    type: string,
    member: string,
    resolve: ResolvePackage,
    seen: Set<string>,
  ): Promise<readonly PackageItem[]> {
    const key = `${place.found.folder}\0${place.folder}\0${type}`;
    if (seen.has(key) || seen.size > maxEmbedded) return [];
    seen.add(key);
    const files = await this.#parsed(place);
    const methods = files.flatMap((file) =>
      file.go.declarations
        .filter((one) => one.receiver === type && one.name === member)
        .map((one) => itemOf(file, one)),
    );
    if (methods.length > 0) return methods.slice(0, maxItems);
    for (const file of files) {
      const declared = file.go.declarations.find((one) => one.name === type && one.keyword === "type");
      if (!declared) continue;
      const { named, embedded } = membersOf(file.go, declared);
      const own = named.filter((one) => one.name === member);
      if (own.length > 0) return own.map((one) => itemOf(file, one));
      for (const one of embedded) {
        const next = await this.#embeddedPlace(place, file, one.qualifier, resolve);
        const found = next ? await this.#members(next, one.name, member, resolve, seen) : [];
        if (found.length === 0 || !next) continue;
        return next.found === place.found ? found : found.map((item) => ({ ...item, of: item.of ?? next.found }));
      }
    }
    return [];
  }

  async #embeddedPlace(
    place: Place,
    file: ParsedFile,
    qualifier: string | undefined,
    resolve: ResolvePackage,
  ): Promise<Place | undefined> {
    if (qualifier === undefined) return place;
    const path = file.go.imports.get(qualifier);
    const found = path === undefined ? undefined : await resolve(path, joined(place.found.folder, file.path));
    if (!found) return undefined;
    return found.folder === place.found.folder
      ? { found: place.found, folder: found.subpath }
      : { found, folder: found.subpath };
  }

  /** Parses the package's files; those for this system come first. Excludes tests and ignored files. */
  async #parsed({ found, folder }: Place): Promise<readonly ParsedFile[]> {
    const entries = await this.files.list(joined(found.folder, folder));
    const names = entries.filter(
      ({ name, kind }) => kind === "file" && name.endsWith(".go") && !name.endsWith("_test.go"),
    );
    const parsed = await Promise.all(
      names.map(async ({ name }): Promise<readonly ParsedFile[]> => {
        const path = folder === "" ? name : `${folder}/${name}`;
        const text = await this.files.read(joined(found.folder, path));
        return text === undefined || /^\/\/go:build ignore$/m.test(text) ? [] : [{ path, go: readGoFile(text) }];
      }),
    );
    const foreign = ({ path }: ParsedFile): number => (this.#isForeign(path) ? 1 : 0);
    return parsed.flat().toSorted((left, right) => foreign(left) - foreign(right));
  }

  #isForeign(path: string): boolean {
    const { platform, arch } = this.machine;
    const own = [platform === "win32" ? "windows" : platform, arch === "x64" ? "amd64" : arch];
    const parts = path.replace(/^.*\//, "").replace(/\.go$/, "").split("_").slice(1).slice(-2);
    return parts.some((part) => (systems.includes(part) || archs.includes(part)) && !own.includes(part));
  }
}

function itemOf({ path, go }: ParsedFile, { start, end, line }: GoDeclaration): PackageItem {
  return { file: path, line, text: bounded(go.text.slice(start, end).replace(/\s+$/, "")) };
}

/** Returns the first line of each exported method. */
function methodsText(files: readonly ParsedFile[], type: string): string {
  const lines = files.flatMap(({ go }) =>
    go.declarations
      .filter(({ receiver, name }) => receiver === type && /^\p{Lu}/u.test(name))
      .map(({ at }) => go.text.slice(at, lineEnd(go.text, at)).replace(/\s*\{.*$/, "")),
  );
  return lines.length === 0 ? "" : `\n\n${lines.join("\n")}`;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function bounded(text: string): string {
  return text.length <= maxText
    ? text
    : `${text.slice(0, maxText)}\n… ${text.length - maxText} more characters: read the file`;
}
