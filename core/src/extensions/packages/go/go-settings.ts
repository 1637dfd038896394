import { type Machine, pathVariable, programPlace } from "../machine.js";
import { joined, type PackageFiles, parentOf, ReadOnce } from "../package-files.js";
import { compareVersions } from "./module-path.js";

/** Sources of the standard library. */
interface GoRoot {
  /** Package folder: `GOROOT/src`. */
  readonly folder: string;
  /** For example `go1.26.8`. */
  readonly version: string;
}

/** Reads the values of `go env` as `go` does: environment variables first, then the file written by `go env -w`. */
export class GoSettings {
  readonly #written: ReadOnce<ReadonlyMap<string, string>>;
  readonly #versions: ReadOnce<string>;

  constructor(
    private readonly files: PackageFiles,
    private readonly machine: Machine,
  ) {
    this.#written = new ReadOnce(files, parseEnvironment, 1024 * 1024, 2);
    this.#versions = new ReadOnce(files, (text) => /^go[\w.-]+/.exec(text)?.[0], 64 * 1024, 8);
  }

  async value(name: string): Promise<string> {
    const own = this.machine.env[name];
    if (own !== undefined && own !== "") return own;
    const file = pathVariable(this.machine, "GOENV") ?? joined(this.#configFolder(), "go/env");
    return (file.endsWith("/off") || file === "off" ? undefined : await this.#written.of(file))?.get(name) ?? "";
  }

  /** Returns the folder of downloaded modules. */
  async moduleCache(): Promise<string> {
    const own = slashes(await this.value("GOMODCACHE"));
    if (own !== "") return own;
    const separator = this.machine.platform === "win32" ? ";" : ":";
    const [first = ""] = (await this.value("GOPATH")).split(separator);
    return joined(first === "" ? joined(this.machine.home, "go") : slashes(first), "pkg/mod");
  }

  /** Returns the standard library for a module that requests the toolchain `wanted`, for example `go1.26.1`. */
  async root(wanted: string | undefined): Promise<GoRoot | undefined> {
    const local = await this.#localRoot();
    const isOlder = local === undefined || compareVersions(dotted(local.version), dotted(wanted ?? "")) < 0;
    if (wanted !== undefined && isOlder && (await this.value("GOTOOLCHAIN")) !== "local") {
      const { platform, arch } = this.machine;
      const system = `${platform === "win32" ? "windows" : platform}-${arch === "x64" ? "amd64" : arch}`;
      const place = `golang.org/toolchain@v0.0.1-${wanted}.${system}`;
      const switched = await this.#rootAt(joined(await this.moduleCache(), place));
      if (switched) return switched;
    }
    return local;
  }

  async #localRoot(): Promise<GoRoot | undefined> {
    const own = await this.value("GOROOT");
    if (own !== "") return this.#rootAt(slashes(own));
    const program = await programPlace(this.files, this.machine, "go");
    const real = program && (await this.files.realPath(program));
    const places = [...(real === undefined ? [] : [parentOf(parentOf(real))]), ...usualRoots];
    for (const place of places) {
      const root = await this.#rootAt(place);
      if (root) return root;
    }
    return undefined;
  }

  async #rootAt(place: string): Promise<GoRoot | undefined> {
    const version = await this.#versions.of(joined(place, "VERSION"));
    const folder = version && (await this.files.realPath(joined(place, "src")));
    return version !== undefined && folder !== undefined && folder !== "" ? { folder, version } : undefined;
  }

  #configFolder(): string {
    const { platform, home } = this.machine;
    if (platform === "win32") return pathVariable(this.machine, "AppData") ?? joined(home, "AppData/Roaming");
    if (platform === "darwin") return joined(home, "Library/Application Support");
    return pathVariable(this.machine, "XDG_CONFIG_HOME") ?? joined(home, ".config");
  }
}

const usualRoots = [
  "/usr/local/go",
  "/usr/lib/go",
  "/usr/lib/golang",
  "/opt/homebrew/opt/go/libexec",
  "/usr/local/opt/go/libexec",
  "C:/Program Files/Go",
];

/** Converts `go1.26rc1` and `go1.26` to comparable versions. */
function dotted(version: string): string {
  const [, major = "0", minor = "0", patch = "0", rest = ""] =
    /^go(\d+)\.(\d+)(?:\.(\d+))?((?:rc|beta)\d+)?/.exec(version) ?? [];
  return `v${major}.${minor}.${patch}${rest === "" ? "" : `-${rest}`}`;
}

function parseEnvironment(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^([A-Z]\w*)=(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return new Map(pairs);
}

function slashes(path: string): string {
  return path.replaceAll("\\", "/");
}
