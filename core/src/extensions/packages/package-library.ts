import { insideOf, joined, type PackageFiles, parentOf, upwards } from "./package-files.js";
import { type InstalledPackage, packageFault, type PackageAnswer, type PackageReader } from "./package-reader.js";
import { PackageFolders } from "./package-folder.js";

interface LibraryQuestion {
  /** Import or package name, optionally with `@VERSION`. */
  readonly name: string;
  /** Absolute path of the session's folder. */
  readonly cwd: string;
  /** Importing file or folder, absolute or relative to `cwd`. */
  readonly from?: string | undefined;
}

/** A package reader's answer, with the reader that gave it. */
export interface LibraryAnswer {
  readonly answer: PackageAnswer;
  readonly reader: PackageReader;
  /** Absolute path of the file or folder for which the import was resolved. */
  readonly from: string;
}

/** Packages downloaded for agents, separate from installed ones. */
export interface FetchedPackages {
  /** Returns the folder of a downloaded version; undefined if the version wasn't downloaded. */
  folderOf(ecosystem: string, name: string, version: string): Promise<string | undefined>;
}

/** Maximum depth of the search for projects below a folder. */
const maxDepth = 3;
const maxFolders = 300;

export class PackageLibrary {
  readonly folders: PackageFolders;

  constructor(
    readonly files: PackageFiles,
    private readonly readers: readonly PackageReader[],
    private readonly fetched: FetchedPackages,
  ) {
    this.folders = new PackageFolders(files);
  }

  /** Finds the package that an import resolves to. Rejects if the name is invalid or `from` is outside the session's folder. */
  async find({ name, cwd, from }: LibraryQuestion): Promise<LibraryAnswer> {
    if (name.length > 500)
      throw packageFault(`${JSON.stringify(`${name.slice(0, 80)}…`)} isn't a package name.`, nameHint);
    const importer = from === undefined ? cwd : await this.#importer(from, cwd);
    const versioned = /^(@?[^@\s]+)@(v?\d[\w.+-]*)$/.exec(name);
    const found = await this.#resolve(versioned?.[1] ?? name, importer, cwd, from === undefined);
    const version = versioned?.[2];
    if (version === undefined) return found;
    const { answer, reader } = found;
    if (answer.kind === "installed" && answer.version === version) return found;
    const folder =
      (await reader.storedAt?.(answer.name, version)) ??
      (await this.fetched.folderOf(reader.ecosystem, answer.name, version));
    if (folder !== undefined)
      return { reader, from: importer, answer: fetchedPackage(reader, answer, version, folder) };
    const why =
      answer.kind === "installed"
        ? `${importer} gets ${answer.version}. For another version, pass a file that uses it as \`from\`: only imported files of that ` +
          "version can be reached"
        : "no version of it is installed";
    const { ecosystem, others, subpath = "" } = answer;
    return {
      reader,
      from: importer,
      answer: { kind: "absent", ecosystem, name: answer.name, wanted: version, subpath, why: [why], others },
    };
  }

  async #resolve(name: string, importer: string, workspace: string, mayGuess: boolean): Promise<LibraryAnswer> {
    const readers = await this.#readersFor(importer);
    let first: LibraryAnswer | undefined;
    let fault: unknown;
    for (const reader of readers) {
      try {
        const answer = await reader.resolve({ name, from: importer, workspace });
        if (answer.kind === "installed") return { answer, reader, from: importer };
        if (
          !first ||
          (first.answer.kind === "absent" && first.answer.wanted === undefined && answer.wanted !== undefined)
        ) {
          first = { answer, reader, from: importer };
        }
      } catch (thrown) {
        fault ??= thrown;
      }
    }
    const guess =
      mayGuess && (first !== undefined || fault === undefined) ? await this.#below(name, importer) : undefined;
    if (guess) return guess;
    if (first) return first;
    throw fault instanceof Error
      ? fault
      : packageFault(`${importer} isn't in a project of ${this.#worlds()}.`, "Give a file of a project as `from`.");
  }

  /** Looks for the package in the projects below the session's folder; used if the question has no `from`. */
  async #below(name: string, cwd: string): Promise<LibraryAnswer | undefined> {
    const asked = (await this.#projectsBelow(cwd)).filter((folder) => folder !== cwd);
    const found: LibraryAnswer[] = [];
    for (const folder of asked) {
      const one = await this.#resolve(name, folder, cwd, false).catch(() => undefined);
      if (one?.answer.kind === "installed") found.push(one);
    }
    const [first, ...others] = found;
    if (first?.answer.kind !== "installed") return undefined;
    const { answer } = first;
    const differing = others.filter((one) => one.answer.kind === "installed" && one.answer.version !== answer.version);
    const note =
      differing.length === 0
        ? "no `from` was given: this is what it gets"
        : `no \`from\` was given: this is what it gets, while ${differing.map((one) => one.from).join(", ")} get${differing.length === 1 ? "s" : ""} another version`;
    return { ...first, answer: { ...answer, why: [`${first.from} imports it`, note, ...answer.why] } };
  }

  async #readersFor(importer: string): Promise<readonly PackageReader[]> {
    const byFile = this.readers.filter((reader) => reader.imports(importer));
    if (byFile.length > 0) return byFile;
    const found = new Set<PackageReader>();
    for (const folder of upwards(importer)) {
      for (const reader of this.readers) {
        const stamps = await Promise.all(reader.markers.map((marker) => this.files.stamp(joined(folder, marker))));
        if (stamps.some((stamp) => stamp !== undefined)) found.add(reader);
      }
    }
    return found.size > 0 ? [...found] : this.readers;
  }

  async #projectsBelow(cwd: string): Promise<readonly string[]> {
    const markers = new Set(
      this.readers.flatMap((reader) => reader.markers).filter((marker) => marker !== "node_modules"),
    );
    const found: string[] = [];
    let level = [cwd];
    let looked = 0;
    for (let depth = 0; depth <= maxDepth && level.length > 0; depth++) {
      const next: string[] = [];
      for (const folder of level) {
        if (looked++ > maxFolders) return found;
        const entries = await this.files.list(folder);
        if (entries.some(({ name }) => markers.has(name))) found.push(folder);
        const inside = entries.filter(({ name, kind }) => kind === "folder" && !skippedFolder.test(name));
        next.push(...inside.map(({ name }) => joined(folder, name)));
      }
      level = next;
    }
    return found;
  }

  /** Returns the importer's path. If the file doesn't exist yet, returns the folder that it would be in. */
  async #importer(from: string, cwd: string): Promise<string> {
    const path = joined(cwd, from.replaceAll("\\", "/").replace(/^file:\/\//, ""));
    const mayAsk = (place: string): boolean => insideOf(place, cwd) !== undefined || storeForm.test(place);
    const fault = packageFault(
      `from: ${JSON.stringify(from.slice(0, 200))} isn't in ${cwd}.`,
      "Give a file in the session's folder.",
    );
    if (from.includes("\0") || !mayAsk(path)) throw fault;
    if ((await this.files.stamp(path)) !== undefined) return path;
    for (const folder of upwards(parentOf(path))) {
      if (!mayAsk(`${folder}/`) && !mayAsk(folder)) throw fault;
      if ((await this.files.stamp(folder)) !== undefined)
        return this.readers.some((one) => one.imports(path))
          ? joined(folder, path.slice(path.lastIndexOf("/") + 1))
          : folder;
    }
    return cwd;
  }

  #worlds(): string {
    return this.readers.map((reader) => reader.ecosystem).join(", ");
  }
}

/** Matches paths in package managers' shared folders, which may be outside the projects. */
const storeForm = /\/(?:node_modules|site-packages|dist-packages|\.yarn|\.pnpm|pkg\/mod)\//;
const nameHint = 'Give an import as in code, such as "zod", "@scope/name/part" or "node:fs".';
const skippedFolder = /^(?:\.|node_modules$|vendor$|target$|dist$|build$|out$|venv$|__pycache__$|coverage$)/;

function fetchedPackage(
  { ecosystem }: PackageReader,
  { name, others, subpath = "" }: PackageAnswer,
  version: string,
  folder: string,
): InstalledPackage {
  const why = ["it was downloaded before and isn't what the project uses"];
  return { kind: "installed", ecosystem, name, version, folder, subpath, why, others, isFixed: true };
}
