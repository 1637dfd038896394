import { type Machine, pathVariable, programPlace } from "../machine.js";
import { insideOf, joined, type PackageFiles, parentOf, ReadOnce, upwards } from "../package-files.js";
import { compareReleases } from "./pep440-version.js";
import { OutsideEnvironments } from "./outside-environments.js";

/** Folders from which a Python interpreter imports modules. */
export interface PythonEnvironment {
  readonly prefix: string;
  /** Folders that contain distributions, in order of precedence. */
  readonly sites: readonly string[];
  /** Python version, for example `3.12` or `3.12.4`. */
  readonly version: string;
  /** Folder of the standard library's sources, if found. */
  readonly standard: string | undefined;
  readonly why: string;
  /** Whether the environment is only a guess, because nothing states that the project uses it. */
  readonly isGuess: boolean;
}

/** Names of environment folders, most common first. */
const usualNames = [".venv", "venv", "env", ".env"];

/**
 * Finds the environment that runs a Python file. Doesn't start an interpreter, but reads the same files that an interpreter reads at
 * startup.
 */
export class PythonEnvironments {
  readonly #settings: ReadOnce<ReadonlyMap<string, string>>;
  readonly #outside: OutsideEnvironments;

  constructor(
    private readonly files: PackageFiles,
    private readonly machine: Machine,
  ) {
    this.#settings = new ReadOnce(files, parseSettings, 64 * 1024, 50);
    this.#outside = new OutsideEnvironments(files, machine);
  }

  async around(from: string): Promise<PythonEnvironment | undefined> {
    const site = /^(.*?)\/(?:lib\d*\/python3\.\d+|Lib)\/(?:site|dist)-packages(?:\/|$)/.exec(from)?.[1];
    if (site !== undefined) return this.#at(site, `${from} is inside it`, true);
    const active = pathVariable(this.machine, "VIRTUAL_ENV");
    for (const folder of upwards(from)) {
      // Prefers the active environment if it is in the project's folder.
      if (active !== undefined && parentOf(active) === folder) {
        const found = await this.#at(active, `${active} is active (VIRTUAL_ENV)`);
        if (found) return found;
      }
      const own = await this.#ownOf(folder, active);
      if (own) return own;
      const outside = await this.#outside.of(folder);
      const found = outside && (await this.#at(outside.prefix, outside.why));
      if (found) return found;
      if ((await this.files.stamp(joined(folder, ".git"))) !== undefined) break;
    }
    if (active !== undefined) {
      const found = await this.#at(active, `${active} is active (VIRTUAL_ENV), and the project has no environment`);
      if (found) return found;
    }
    const conda = pathVariable(this.machine, "CONDA_PREFIX");
    const isBase = (this.machine.env["CONDA_DEFAULT_ENV"] ?? "base") === "base";
    if (conda !== undefined && !isBase) {
      const found = await this.#at(conda, `${conda} is active (CONDA_PREFIX), and the project has no environment`);
      if (found) return found;
    }
    return this.#usual();
  }

  async #ownOf(folder: string, active: string | undefined): Promise<PythonEnvironment | undefined> {
    const other = active === undefined ? "" : `, not ${active}, which is active but isn't the project's`;
    const uv = pathVariable(this.machine, "UV_PROJECT_ENVIRONMENT");
    if (uv !== undefined && (await this.files.stamp(joined(folder, "uv.lock"))) !== undefined) {
      const found = await this.#at(joined(folder, uv), `UV_PROJECT_ENVIRONMENT names ${joined(folder, uv)}`);
      if (found) return found;
    }
    for (const name of usualNames) {
      const found = await this.#at(joined(folder, name), `${joined(folder, name)} is the project's own${other}`);
      if (found) return found;
    }
    // Home and root folders don't contain project environments.
    if (folder === this.machine.home || parentOf(folder) === folder) return undefined;
    const isProject = (await this.#stamps(folder, ["pyproject.toml", "requirements.txt", "setup.py"])) > 0;
    const entries = isProject ? await this.files.list(folder) : [];
    for (const { name, kind } of entries) {
      if (kind !== "folder" || usualNames.includes(name)) continue;
      if ((await this.files.stamp(joined(folder, `${name}/pyvenv.cfg`))) === undefined) continue;
      const found = await this.#at(joined(folder, name), `${joined(folder, name)} is the project's own${other}`);
      if (found) return found;
    }
    return undefined;
  }

  /** Reads the environment in a folder; undefined if the folder isn't an environment. */
  async #at(prefix: string, why: string, isSure = false): Promise<PythonEnvironment | undefined> {
    const settings = await this.#settings.of(joined(prefix, "pyvenv.cfg"));
    const isOne = settings !== undefined || (await this.files.stamp(joined(prefix, "conda-meta"))) !== undefined;
    if (!isOne && !isSure) return undefined;
    return this.#read(prefix, settings, why);
  }

  async #read(
    prefix: string,
    settings: ReadonlyMap<string, string> | undefined,
    why: string,
    isGuess = false,
  ): Promise<PythonEnvironment | undefined> {
    const found = await this.#siteOf(prefix);
    if (!found) return undefined;
    const { site, library } = found;
    const told = settings?.get("version_info") ?? settings?.get("version");
    const version = /^\d+\.\d+(?:\.\d+)?/.exec(told ?? "")?.[0] ?? /python(3\.\d+)/.exec(site)?.[1] ?? "3";
    const home = settings?.get("home")?.replaceAll("\\", "/");
    const standard = home === undefined ? await this.#libraryIn(library) : await this.#standardOf(home, version);
    const seesSystem = settings?.get("include-system-site-packages")?.toLowerCase() === "true";
    const system = seesSystem && home !== undefined ? await this.#siteOf(parentOf(home)) : undefined;
    const debian = settings === undefined || seesSystem ? await this.#debianSites(version) : [];
    const sites = [site, ...(system ? [system.site] : []), ...debian];
    return { prefix, sites: [...new Set(sites)], version, standard, why, isGuess };
  }

  async #siteOf(prefix: string): Promise<{ readonly site: string; readonly library: string } | undefined> {
    if (this.machine.platform === "win32") {
      const site = joined(prefix, "Lib/site-packages");
      return (await this.files.stamp(site)) === undefined ? undefined : { site, library: joined(prefix, "Lib") };
    }
    for (const lib of ["lib", "lib64"]) {
      const names = (await this.files.list(joined(prefix, lib))).map(({ name }) => name);
      const versions = names.filter((name) => /^python3\.\d+$/.test(name));
      for (const name of versions.toSorted((left, right) => compareReleases(right.slice(6), left.slice(6)))) {
        const library = joined(prefix, `${lib}/${name}`);
        const site = joined(library, "site-packages");
        if ((await this.files.stamp(site)) !== undefined) return { site, library };
      }
    }
    return undefined;
  }

  /** Returns the standard library's folder. `home` is the folder of the interpreter that created the environment. */
  async #standardOf(home: string, version: string): Promise<string | undefined> {
    const short = version.split(".").slice(0, 2).join(".");
    const real =
      (await this.files.realPath(joined(home, `python${short}`))) ?? (await this.files.realPath(home)) ?? home;
    for (const base of new Set([parentOf(real), home, real].map((one) => (/\/bin$/.test(one) ? parentOf(one) : one)))) {
      for (const lib of [`lib/python${short}`, `lib64/python${short}`, "Lib"]) {
        const found = await this.#libraryIn(joined(base, lib));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  async #libraryIn(folder: string): Promise<string | undefined> {
    return (await this.files.isFile(joined(folder, "os.py"))) ? folder : undefined;
  }

  async #debianSites(version: string): Promise<readonly string[]> {
    if (this.machine.platform !== "linux") return [];
    const short = version.split(".").slice(0, 2).join(".");
    const sites = [`/usr/local/lib/python${short}/dist-packages`, "/usr/lib/python3/dist-packages"];
    const stamps = await Promise.all(sites.map((site) => this.files.stamp(site)));
    return sites.filter((_, index) => stamps[index] !== undefined);
  }

  /** Guesses the environment to be that of `python3` on the PATH. */
  async #usual(): Promise<PythonEnvironment | undefined> {
    const name = this.machine.platform === "win32" ? "python" : "python3";
    const program = await programPlace(this.files, this.machine, name);
    if (program === undefined) return undefined;
    const real = /\/shims\/[^/]*$/.test(program)
      ? await this.#outside.pyenv(parentOf(parentOf(program)))
      : await this.files.realPath(program);
    if (real === undefined) return undefined;
    const inside = insideOf(real, parentOf(parentOf(program)));
    const prefix = /\/bin\/[^/]*$/.test(real) ? parentOf(parentOf(real)) : parentOf(real);
    const why = `the project has no environment: guessed from ${name} on the PATH (${prefix}${inside === undefined ? `, by ${program}` : ""})`;
    return this.#read(prefix, await this.#settings.of(joined(prefix, "pyvenv.cfg")), why, true);
  }

  async #stamps(folder: string, names: readonly string[]): Promise<number> {
    const stamps = await Promise.all(names.map((name) => this.files.stamp(joined(folder, name))));
    return stamps.filter((stamp) => stamp !== undefined).length;
  }
}

function parseSettings(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(/\r?\n/).flatMap((line) => {
    const at = line.indexOf("=");
    return at < 0 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()] as const];
  });
  return new Map(pairs);
}
