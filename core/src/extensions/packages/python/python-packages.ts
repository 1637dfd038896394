import type { Machine } from "../machine.js";
import { insideOf, joined, type PackageFiles, upwards } from "../package-files.js";
import {
  type InstalledPackage,
  type PackageAnswer,
  packageFault,
  type PackageItem,
  type PackageQuestion,
  type PackageReader,
  type SourceKind,
} from "../package-reader.js";
import { type Distribution, ownedPaths } from "./distribution.js";
import { type PythonEnvironment, PythonEnvironments } from "./environments.js";
import { PythonItems } from "./python-items.js";
import { PythonLocks } from "./python-locks.js";
import { pythonNameKey } from "../../../base/python-name-key.js";
import { parsePythonName, type PythonName } from "./python-name.js";
import { isSameVersion } from "./pep440-version.js";
import { moduleFile, SitePackages } from "./site-packages.js";
import { PythonRequirements } from "./declared-requirements.js";

/** Names of modules that are built into the interpreter and have no file. */
const builtins = new Set(
  "sys builtins time marshal gc itertools errno posix nt atexit faulthandler _thread _io".split(" "),
);

/** Finds Python packages as the importer's interpreter does. Installed packages take precedence; lock files only add information. */
export class PythonPackages implements PackageReader {
  readonly ecosystem = "python";
  readonly markers = pythonMarkers;
  readonly kindOf = pythonKindOf;
  readonly #pathModule: string;
  readonly #environments: PythonEnvironments;
  readonly #installed: SitePackages;
  readonly #locks: PythonLocks;
  readonly #requirements: PythonRequirements;
  readonly #items: PythonItems;
  /** Paths that belong to each distribution. A distribution object is replaced when its folder changes. */
  readonly #owned = new WeakMap<Distribution, readonly string[]>();

  constructor(
    private readonly files: PackageFiles,
    machine: Machine,
  ) {
    this.#pathModule = machine.platform === "win32" ? "ntpath" : "posixpath";
    this.#environments = new PythonEnvironments(files, machine);
    this.#installed = new SitePackages(files);
    this.#locks = new PythonLocks(files, machine);
    this.#requirements = new PythonRequirements(files);
    this.#items = new PythonItems(files);
  }

  imports(file: string): boolean {
    return /\.(?:pyi?|pyw|pyx|ipynb)$/.test(file);
  }

  fetchCommand(name: string, version: string | undefined): string {
    const wanted = version === undefined ? "" : /^\d/.test(version) ? `==${version}` : version;
    return `pip download --no-deps --only-binary :all: ${name}${wanted}`;
  }

  async resolve({ name: text, from }: PackageQuestion): Promise<PackageAnswer> {
    const asked = parsePythonName(text);
    const environment = await this.#environments.around(from);
    if (environment) {
      const standard = await this.#standard(environment, asked.module);
      if (standard) return standard;
      const found = (await this.#byModule(environment, asked, from)) ?? (await this.#byName(environment, asked, from));
      if (found) return found;
    }
    const own = await this.#ownModule(asked.module, from);
    if (own !== undefined) {
      throw packageFault(`"${text}" is a module of this project: ${own}.`, "Read the file itself.");
    }
    return this.#absent(asked, from, environment);
  }

  async entry(found: InstalledPackage): Promise<string | undefined> {
    const { types, subpath } = found;
    if (!types) return this.#items.entry(found);
    const rest = subpath.split(".").slice(1);
    const file = await moduleFile(this.files, types.folder, rest.length === 0 ? ["__init__"] : rest);
    return file ?? ((await this.files.isFile(joined(types.folder, "__init__.pyi"))) ? "__init__.pyi" : undefined);
  }

  names(found: InstalledPackage): Promise<readonly string[]> {
    return this.#items.names(found);
  }

  items(found: InstalledPackage, symbol: string): Promise<readonly PackageItem[]> {
    return this.#items.items(found, symbol, async (name, from) => {
      const answer = await this.resolve({ name, from }).catch(() => undefined);
      return answer?.kind === "installed" ? answer : undefined;
    });
  }

  async #standard(environment: PythonEnvironment, module: readonly string[]): Promise<InstalledPackage | undefined> {
    const { standard, version, why } = environment;
    // `os.path` is an alias of `posixpath` or `ntpath`.
    if (module[0] === "os" && module[1] === "path") return this.#standard(environment, [this.#pathModule]);
    const [top = ""] = module;
    if (builtins.has(top)) {
      throw packageFault(
        `"${top}" is built into the interpreter and has no Python source.`,
        "Read its documentation, or a type checker's typeshed stubs.",
      );
    }
    if (standard === undefined || top === "" || !(await this.#isStandard(standard, top))) return undefined;
    const isPackage = await this.files.isFile(joined(standard, `${top}/__init__.py`));
    return {
      kind: "installed",
      ecosystem: this.ecosystem,
      name: "python",
      version,
      folder: standard,
      only: [isPackage ? top : `${top}.py`],
      subpath: module.join("."),
      why: [`"${top}" is in Python's standard library`, why],
      others: [],
      isFixed: true,
    };
  }

  async #isStandard(standard: string, top: string): Promise<boolean> {
    if (/^(?:site|dist)-packages$/.test(top)) return false;
    return (
      (await this.files.isFile(joined(standard, `${top}.py`))) ||
      this.files.isFile(joined(standard, `${top}/__init__.py`))
    );
  }

  async #byModule(
    environment: PythonEnvironment,
    asked: PythonName,
    from: string,
  ): Promise<InstalledPackage | undefined> {
    if (asked.module.length === 0) return undefined;
    const place = await this.#installed.placeOf(environment, asked.module);
    if (!place) return undefined;
    const { distribution, root } = place;
    if (distribution) return this.#answer(environment, distribution, asked.module, from, root);
    const [top = ""] = asked.module;
    return {
      kind: "installed",
      ecosystem: this.ecosystem,
      name: top,
      version: "of no distribution",
      folder: root,
      only: [top, `${top}.py`],
      subpath: asked.module.join("."),
      why: [`${root} has it, but no installed distribution claims it`, environment.why],
      others: [],
      isFixed: false,
    };
  }

  async #byName(
    environment: PythonEnvironment,
    { distribution }: PythonName,
    from: string,
  ): Promise<InstalledPackage | undefined> {
    const found = distribution === undefined ? undefined : await this.#installed.named(environment, distribution);
    if (!found) return undefined;
    const normal = pythonNameKey(found.name).replaceAll("-", "_");
    const tops = [...found.tops].filter((top) => !/^(?:tests?|examples?|docs|_.*)$/.test(top));
    const top = tops.find((one) => one.toLowerCase() === normal) ?? tops[0] ?? [...found.tops][0];
    // Look for the distribution's own folder below namespace folders that several distributions share.
    const own = top === undefined ? [] : namespaceOf(found, top);
    return this.#answer(environment, found, own, from, found.site);
  }

  async #answer(
    environment: PythonEnvironment,
    found: Distribution,
    module: readonly string[],
    from: string,
    root: string,
  ): Promise<InstalledPackage> {
    const { name, version, site, installer, editable, origin } = found;
    const names = [pythonNameKey(name)];
    const [asks, locked] = await Promise.all([
      this.#requirements.of(names, from),
      this.#locks.of(names, from, environment.version),
    ]);
    const [top = ""] = module;
    const lockedVersion = locked?.one?.isLocal === true ? undefined : locked?.one?.version;
    const isSame = lockedVersion !== undefined && isSameVersion(lockedVersion, version);
    const drift =
      locked && lockedVersion !== undefined && lockedVersion !== "" && !isSame
        ? `${locked.file} locks ${lockedVersion}, but ${version} is installed: run the project's install command to sync them`
        : undefined;
    const folder = editable !== undefined && (await this.#isProject(editable)) ? editable : site;
    const inside = folder === site ? "" : (insideOf(root, folder) ?? "");
    const only =
      folder === site ? this.#ownedBy(found) : top === "" ? undefined : await this.#editablePaths(root, inside, top);
    return {
      kind: "installed",
      ecosystem: this.ecosystem,
      name,
      version,
      folder,
      ...(only && { only }),
      subpath: module.join("."),
      why: [
        ...(asks ? [asks.text] : []),
        environment.why,
        ...(pythonNameKey(top) === pythonNameKey(name) || top === "" ? [] : [`${name} has the module "${top}"`]),
        ...(installer === "" ? [] : [`${installer} installed it`]),
        ...(editable !== undefined
          ? [`it is an editable installation of ${editable}, not a published version`]
          : origin === undefined
            ? []
            : [`it came from ${origin}`]),
        ...(locked && isSame ? [`${locked.file} locks the same version`] : []),
      ],
      ...(drift !== undefined && { drift }),
      others: (locked?.others ?? []).filter((other) => !isSameVersion(other.version, version)),
      ...(await this.#typesOf(environment, found, top)),
      isFixed: editable === undefined,
    };
  }

  /**
   * Whether the folder is an installable project. This must be checked, since an environment's metadata can name any of the user's folders.
   */
  async #isProject(folder: string): Promise<boolean> {
    for (const name of ["pyproject.toml", "setup.py", "setup.cfg"])
      if (await this.files.isFile(joined(folder, name))) return true;
    return false;
  }

  #ownedBy(found: Distribution): readonly string[] {
    const owned = this.#owned.get(found) ?? ownedPaths(found);
    this.#owned.set(found, owned);
    return owned;
  }

  /** Returns the paths of an editable installation to show: the imported package or module, and documentation such as the README. */
  async #editablePaths(root: string, inside: string, top: string): Promise<readonly string[]> {
    const prefix = inside === "" ? "" : `${inside}/`;
    const isPackage = (await this.files.stamp(joined(root, top))) !== undefined;
    return [isPackage ? prefix + top : `${prefix}${top}.py`, "README.md", "README.rst", "CHANGELOG.md", "docs"];
  }

  /** Finds the stubs of a package in another distribution, as type checkers do. */
  async #typesOf(
    environment: PythonEnvironment,
    { name, site }: Distribution,
    top: string,
  ): Promise<Pick<InstalledPackage, "types">> {
    const folder = joined(site, `${top}-stubs`);
    if (top === "" || (await this.files.stamp(folder)) === undefined) return {};
    for (const one of [`types-${name}`, `types-${top}`, `${top}-stubs`, `${name}-stubs`]) {
      const stubs = await this.#installed.named(environment, one);
      if (stubs) return { types: { name: stubs.name, version: stubs.version, folder } };
    }
    return {};
  }

  /** Returns the file or folder in the project that the import resolves to. Used if no installed distribution matches. */
  async #ownModule([top]: readonly string[], from: string): Promise<string | undefined> {
    if (top === undefined) return undefined;
    for (const folder of upwards(from)) {
      for (const base of [folder, joined(folder, "src")]) {
        const file = await moduleFile(this.files, base, [top]);
        if (file !== undefined) return joined(base, file);
      }
      const isRoot = await Promise.all(
        [".git", "pyproject.toml", "setup.py"].map((name) => this.files.stamp(joined(folder, name))),
      );
      if (isRoot.some((stamp) => stamp !== undefined)) return undefined;
    }
    return undefined;
  }

  async #absent(
    { module, distribution }: PythonName,
    from: string,
    environment: PythonEnvironment | undefined,
  ): Promise<PackageAnswer> {
    const candidates = usualDistributions(module, distribution);
    const names = candidates.map(pythonNameKey);
    const [asks, locked] = await Promise.all([
      this.#requirements.of(names, from),
      this.#locks.of(names, from, environment?.version ?? "3.99"),
    ]);
    const wanted = locked?.one?.version;
    const wish = /^[\w.-]+/.exec(asks?.wish ?? "")?.[0];
    const name = locked?.one?.name ?? wish ?? candidates[0] ?? module.join(".");
    return {
      kind: "absent",
      ecosystem: this.ecosystem,
      name,
      ...(wanted !== undefined && wanted !== "" && { wanted }),
      subpath: module.join("."),
      why: [
        asks ? asks.text : `nothing from ${from} upwards requires it`,
        ...(locked && wanted !== undefined ? [`${locked.file} locks ${wanted}`] : []),
        environment ? `${environment.why}, but it isn't installed there` : "no Python environment was found",
      ],
      others: locked?.others ?? [],
    };
  }
}

const pythonMarkers = [
  "pyproject.toml",
  "uv.lock",
  "poetry.lock",
  "Pipfile",
  "requirements.txt",
  "setup.py",
  "setup.cfg",
  "environment.yml",
  "pylock.toml",
  "pixi.lock",
  "conda-lock.yml",
  ".venv",
  "venv",
];

/** Returns the first folder below a namespace that belongs to the distribution, for example `google.cloud.storage`. */
function namespaceOf({ files }: Distribution, top: string): readonly string[] {
  const inits = files.filter((file) => file.startsWith(`${top}/`) && file.endsWith("/__init__.py"));
  const shortest = inits.toSorted((left, right) => left.length - right.length)[0];
  const parts = shortest?.split("/").slice(0, -1) ?? [top];
  return parts.length > 0 ? parts : [top];
}

/** Classifies a file of a Python distribution by its path. */
function pythonKindOf(path: string): SourceKind {
  const folders = path.split("/").slice(0, -1);
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (file.endsWith(".pyi")) return "types";
  if (folders.some((one) => /^(?:examples?|samples?|demos?)$/i.test(one))) return "examples";
  if (folders.some((one) => /^(?:tests?|testing_data)$/i.test(one)) || /^(?:test_.*|.*_test|conftest)\.py$/.test(file))
    return "tests";
  if (
    /\.(?:md|rst|adoc)$/i.test(file) ||
    /^(?:readme|changelog|changes|history|licen[cs]e|metadata$|pkg-info$)/i.test(file)
  )
    return "docs";
  if (/\.(?:py|pyx|pxd|pxi|c|h|cc|cpp|hpp|rs)$/.test(file)) return "source";
  if (/\.(?:so|pyd|dll|dylib|pyc)$/.test(file)) return "built";
  return "other";
}

/**
 * Distribution names of modules with a different name. Used only for modules that aren't installed, since installed distributions list
 * their modules.
 */
const distributions: Readonly<Record<string, string>> = {
  attr: "attrs",
  bs4: "beautifulsoup4",
  Crypto: "pycryptodome",
  cv2: "opencv-python",
  dateutil: "python-dateutil",
  discord: "discord.py",
  docx: "python-docx",
  dotenv: "python-dotenv",
  fitz: "PyMuPDF",
  git: "GitPython",
  "google.protobuf": "protobuf",
  grpc: "grpcio",
  jose: "python-jose",
  jwt: "PyJWT",
  magic: "python-magic",
  multipart: "python-multipart",
  MySQLdb: "mysqlclient",
  OpenSSL: "pyOpenSSL",
  PIL: "pillow",
  pkg_resources: "setuptools",
  pptx: "python-pptx",
  psycopg2: "psycopg2-binary",
  serial: "pyserial",
  skimage: "scikit-image",
  sklearn: "scikit-learn",
  slugify: "python-slugify",
  yaml: "PyYAML",
  zmq: "pyzmq",
};

/** Returns the distributions that probably contain a module, most probable first. */
function usualDistributions(module: readonly string[], given: string | undefined): readonly string[] {
  const prefixes = module.map((_, index) => module.slice(0, module.length - index));
  const known = prefixes.flatMap((parts) => distributions[parts.join(".")] ?? []);
  return [...known, ...(given === undefined ? [] : [given]), ...prefixes.map((parts) => parts.join("-"))];
}
