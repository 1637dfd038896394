import { attempt } from "../../../base/attempt.js";
import { parse } from "smol-toml";
import { asObject } from "../../../base/rpc/json.js";
import { type Machine, pathVariable } from "../machine.js";
import { joined, type PackageFiles, parentOf } from "../package-files.js";

interface OutsideEnvironment {
  readonly prefix: string;
  readonly why: string;
}

/** Finds environments of poetry, pipenv, pdm, conda and pixi that aren't in the project's folder. */
export class OutsideEnvironments {
  constructor(
    private readonly files: PackageFiles,
    private readonly machine: Machine,
  ) {}

  async of(folder: string): Promise<OutsideEnvironment | undefined> {
    return (
      (await this.#named(folder)) ??
      (await this.#pdm(folder)) ??
      (await this.#pixi(folder)) ??
      (await this.#poetry(folder)) ??
      (await this.#pipenv(folder)) ??
      (await this.#conda(folder))
    );
  }

  /** Returns the path of pyenv's default interpreter. */
  async pyenv(root: string): Promise<string | undefined> {
    const chosen = this.machine.env["PYENV_VERSION"] ?? (await this.files.read(joined(root, "version"), 4_096)) ?? "";
    const [version = ""] = chosen.trim().split(/[\s:]/);
    const program = joined(root, `versions/${version}/bin/python3`);
    return /^[\w.-]+$/.test(version) && (await this.files.isFile(program)) ? program : undefined;
  }

  /** Returns the environment named by a `.venv` file, which pipenv and some editors use. */
  async #named(folder: string): Promise<OutsideEnvironment | undefined> {
    const file = joined(folder, ".venv");
    if (!(await this.files.isFile(file))) return undefined;
    const name = ((await this.files.read(file, 4_096)) ?? "").trim();
    if (name === "" || name.includes("\n")) return undefined;
    const prefix = name.includes("/") ? joined(folder, name) : joined(this.#pipenvHome(), name);
    return { prefix, why: `${file} names ${prefix}` };
  }

  async #pdm(folder: string): Promise<OutsideEnvironment | undefined> {
    const file = joined(folder, ".pdm-python");
    const program = (await this.files.read(file, 4_096))?.trim().replaceAll("\\", "/");
    if (program === undefined || !/^(?:\/|[A-Za-z]:)/.test(program)) return undefined;
    return { prefix: parentOf(parentOf(program)), why: `${file} names its interpreter` };
  }

  async #pixi(folder: string): Promise<OutsideEnvironment | undefined> {
    const prefix = joined(folder, ".pixi/envs/default");
    return (await this.files.stamp(prefix)) === undefined
      ? undefined
      : { prefix, why: `${prefix} is the project's pixi environment` };
  }

  /** Returns poetry's environment, whose name consists of the project's name and a hash of its folder. */
  async #poetry(folder: string): Promise<OutsideEnvironment | undefined> {
    const text = await this.files.read(joined(folder, "pyproject.toml"), 1024 * 1024);
    if (text === undefined || !/\bpoetry\b/.test(text)) return undefined;
    const root = asObject(toml(text));
    const tool = asObject(asObject(root?.["tool"])?.["poetry"]);
    const name = asObject(root?.["project"])?.["name"] ?? tool?.["name"] ?? "non-package-mode";
    if (typeof name !== "string") return undefined;
    const plain = name
      .toLowerCase()
      .replace(/[ $`!*@"\\\r\n\t]/g, "_")
      .slice(0, 42);
    const real = (await this.files.realPath(folder)) ?? folder;
    const start = `${plain}-${this.machine.sha256(real).slice(0, 8)}-py`;
    const home = this.#poetryHome();
    const entries = await this.files.list(home);
    const names = entries.map((entry) => entry.name).filter((one) => one.startsWith(start));
    const newest = names.toSorted((left, right) => minorOf(right) - minorOf(left))[0];
    return newest === undefined
      ? undefined
      : { prefix: joined(home, newest), why: `${newest} is the poetry environment for ${folder}` };
  }

  #poetryHome(): string {
    const own = pathVariable(this.machine, "POETRY_VIRTUALENVS_PATH");
    if (own !== undefined) return own;
    const cache = pathVariable(this.machine, "POETRY_CACHE_DIR") ?? this.#cacheFolder("pypoetry", "pypoetry/Cache");
    return joined(cache, "virtualenvs");
  }

  /** Returns pipenv's environment, whose name consists of the folder's name and a hash of the Pipfile's path. */
  async #pipenv(folder: string): Promise<OutsideEnvironment | undefined> {
    const file = joined(folder, "Pipfile");
    if (!(await this.files.isFile(file))) return undefined;
    const own = this.machine.env["PIPENV_CUSTOM_VENV_NAME"];
    const plain = folder
      .slice(folder.lastIndexOf("/") + 1)
      .replace(/[ &$`!*@"()[\]\\\r\n\t]/g, "_")
      .slice(0, 42);
    const name = own !== undefined && own !== "" ? own : `${plain}-${this.machine.sha256(file).slice(0, 8)}`;
    const prefix = joined(this.#pipenvHome(), name);
    return (await this.files.stamp(prefix)) === undefined
      ? undefined
      : { prefix, why: `${prefix} is the pipenv environment for ${file}` };
  }

  #pipenvHome(): string {
    const { platform, home } = this.machine;
    const usual = platform === "win32" ? ".virtualenvs" : ".local/share/virtualenvs";
    return pathVariable(this.machine, "WORKON_HOME") ?? joined(home, usual);
  }

  /** Returns the project's conda environment, which environment.yml names, from conda's list of environments. */
  async #conda(folder: string): Promise<OutsideEnvironment | undefined> {
    for (const file of ["environment.yml", "environment.yaml"]) {
      const text = await this.files.read(joined(folder, file), 1024 * 1024);
      const name = /^name:\s*["']?([\w.-]+)/m.exec(text ?? "")?.[1];
      if (name === undefined) continue;
      const list = (await this.files.read(joined(this.machine.home, ".conda/environments.txt"), 1024 * 1024)) ?? "";
      const prefix = list
        .split(/\r?\n/)
        .map((line) => line.trim().replaceAll("\\", "/"))
        .find((line) => line.endsWith(`/${name}`));
      if (prefix !== undefined) return { prefix, why: `${joined(folder, file)} names the environment ${name}` };
    }
    return undefined;
  }

  #cacheFolder(name: string, windows: string): string {
    const { platform, home } = this.machine;
    if (platform === "win32")
      return joined(pathVariable(this.machine, "LOCALAPPDATA") ?? joined(home, "AppData/Local"), windows);
    if (platform === "darwin") return joined(home, `Library/Caches/${name}`);
    return joined(pathVariable(this.machine, "XDG_CACHE_HOME") ?? joined(home, ".cache"), name);
  }
}

function minorOf(name: string): number {
  return Number(/-py3\.(\d+)$/.exec(name)?.[1] ?? 0);
}

function toml(text: string): unknown {
  return attempt(() => parse(text));
}
