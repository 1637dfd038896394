import { pythonNameKey } from "../../base/python-name-key.js";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SymposiumError } from "../../base/symposium-error.js";
import { parsePythonPackage, pickProgram, type PythonRequest } from "../registry/package-request.js";
import type { PipPlan } from "../registry/start-plan.js";
import type { InstallState, Launch } from "./install-state.js";
import { asObject, stringsOf } from "../../base/rpc/json.js";
import { resolveCommand, systemLookup } from "../../base/node/resolve-command.js";
import { installFailed, usable } from "../../base/node/install-failure.js";
import type { InstallContext } from "../../base/node/archives/install-progress.js";
import type { Built, InstallSource, InstallTools, Release } from "./install-source.js";
import { runnerOf } from "./installed.js";
import { runTool, toolFailed, type ToolRun } from "./run-package-tool.js";

const isWindows = process.platform === "win32";
const interpreter = isWindows ? "venv/Scripts/python.exe" : "venv/bin/python";
const scripts = isWindows ? "venv/Scripts" : "venv/bin";
/** Name of the launcher script. No Python module name can contain a hyphen, so the script can't shadow a module. */
const launcher = "symposium-start.py";

const describe = `
import importlib.metadata as m, json, os, sys
d = m.distribution(sys.argv[1])
bin = os.path.dirname(os.path.abspath(sys.executable))
files = [os.path.basename(str(f)) for f in d.files or [] if os.path.dirname(os.path.abspath(str(d.locate_file(f)))) == bin]
points = {e.name: [e.module, e.attr] for e in d.entry_points if e.group == "console_scripts"}
print(json.dumps({"version": d.version, "points": points, "files": files}))
`;

/**
 * Installs PyPI packages in a separate virtual environment, with uv or with Python's venv and pip. Generated programs contain the
 * environment's path and break when the environment is moved, so Symposium's launcher calls their entry points instead.
 */
export class PipSource implements InstallSource {
  readonly #package: PythonRequest;

  constructor(
    private readonly plan: PipPlan,
    private readonly tools: InstallTools,
  ) {
    this.#package = usable(parsePythonPackage(plan.package));
  }

  /**
   * Finds the newest release regardless of the installed Python. Without an exact version, pip silently installs the newest release that
   * supports its Python, so an outdated Python wouldn't cause an error.
   */
  async resolve(folder: string, { signal, onProgress }: InstallContext): Promise<Release> {
    const { name, isFloating, specifier } = this.#package;
    if (!isFloating) return { version: /^===?\s*([^*,\s]+)$/.exec(specifier)?.[1] };
    if (this.#uv !== undefined) return { version: undefined };
    onProgress({ step: "resolve", text: `Asking pip for ${name}` });
    const args = ["-m", "pip", "index", "versions", name, "--ignore-requires-python", "--no-input", ...quiet];
    const run = await this.#run("pip", this.#python, args, folder, signal);
    return { version: run.isSuccess ? /^[^\n(]*\(([^)\s]+)\)/.exec(run.stdout)?.[1] : undefined };
  }

  async build(root: string, release: Release, _state: InstallState, context: InstallContext): Promise<Built> {
    const { packageName, specifier, name } = this.#package;
    const version = release.version ?? (await this.#newestByUv(root, context.signal));
    const requirement = version === undefined ? `${packageName}${specifier}` : `${packageName}==${version}`;
    const { signal, onProgress } = context;
    const uv = this.#uv;
    onProgress({
      step: "download",
      text: `Installing ${requirement} with ${uv === undefined ? "pip" : "uv"} (size unknown)`,
    });
    await this.#createEnvironment(root, uv, signal);
    const python = join(root, interpreter);
    const run =
      uv === undefined
        ? await this.#run("pip", python, ["-m", "pip", "install", "--no-input", ...quiet, requirement], root, signal)
        : await this.#run("uv", uv, ["pip", "install", "--python", python, requirement], root, signal);
    if (!run.isSuccess) throw installFailure(requirement, run);
    const described = await this.#run("python", python, ["-I", "-c", describe, name], root, signal);
    if (!described.isSuccess) throw toolFailed(`"${requirement}" cannot be read`, described);
    return this.#built(root, JSON.parse(described.stdout));
  }

  /** Like pip, uv silently picks older releases for an old Python. This query therefore assumes the newest Python. */
  async #newestByUv(root: string, signal: AbortSignal): Promise<string | undefined> {
    const { name, isFloating } = this.#package;
    if (this.#uv === undefined || !isFloating) return undefined;
    const file = join(root, "requirements.in");
    await writeFile(file, `${name}\n`);
    const options = ["--no-deps", "--no-header", "--no-annotate", "--quiet", "--python-version", newestPython];
    const run = await this.#run("uv", this.#uv, ["pip", "compile", ...options, file], root, signal);
    await rm(file);
    return run.isSuccess ? /==([^\s;]+)/.exec(run.stdout)?.[1] : undefined;
  }

  async #built(root: string, described: unknown): Promise<Built> {
    const { version, points, files } = asObject(described) ?? {};
    const { name } = this.#package;
    if (typeof version !== "string") throw installFailed(`"${name}" cannot be read`, "it has no version");
    const calls = Object.entries(asObject(points) ?? {}).map(
      ([program, call]) => [program, JSON.stringify(call)] as const,
    );
    const programs = stringsOf(files);
    const generated = new Set(calls.flatMap(([program]) => [program, `${program}.exe`, `${program}-script.py`]));
    const others = programs
      .filter((file) => !generated.has(file))
      .map((file) => [file.replace(/\.exe$/i, ""), file] as const);
    const wanted = this.plan.program === undefined ? namesLike(name, [...calls, ...others]) : [this.plan.program];
    const choice = usable(pickProgram([...calls, ...others], wanted, this.plan.program !== undefined, name));
    return { version, launch: await launchOf(root, choice) };
  }

  async #createEnvironment(root: string, uv: string | undefined, signal: AbortSignal): Promise<void> {
    const folder = join(root, "venv");
    const run =
      uv === undefined
        ? await this.#run("venv", this.#python, ["-m", "venv", folder], root, signal)
        : await this.#run("uv", uv, ["venv", "--no-project", folder], root, signal);
    if (run.isSuccess) return;
    const isMissing = /ensurepip|No module named '?venv/.test(run.exit.stderrTail + run.stdout);
    const hint =
      "Install Python's venv module (on Debian and Ubuntu: apt install python3-venv), or uv (https://docs.astral.sh/uv).";
    throw toolFailed("The virtual environment could not be created", run, isMissing ? hint : undefined);
  }

  get #uv(): string | undefined {
    return this.plan.prefersUv ? resolveCommand("uv", systemLookup(this.tools.env)) : undefined;
  }

  get #python(): string {
    const lookup = systemLookup(this.tools.env);
    const found = (isWindows ? ["py", "python"] : ["python3", "python"]).find((name) => resolveCommand(name, lookup));
    if (found !== undefined) return found;
    throw installFailed(
      `"${this.plan.package}" cannot be installed`,
      "there is no Python on PATH",
      "Install Python 3 (https://www.python.org), or uv (https://docs.astral.sh/uv).",
    );
  }

  #run(name: string, command: string, args: readonly string[], cwd: string, signal: AbortSignal): Promise<ToolRun> {
    return runTool(this.tools.startProcess, name, { command, args, env: { PYTHONUTF8: "1" }, cwd }, signal);
  }
}

const newestPython = "3.14";
const quiet = ["--disable-pip-version-check"];

function namesLike(name: string, programs: readonly (readonly [string, string])[]): string[] {
  return programs.map(([program]) => program).filter((program) => pythonNameKey(program) === pythonNameKey(name));
}

/** `choice` is the module and name of an entry point as JSON, or the file name of a program in the environment. */
async function launchOf(root: string, choice: string): Promise<Launch> {
  if (!choice.startsWith("[")) {
    const file = `${scripts}/${choice}`;
    const runner = await runnerOf(join(root, file), "self");
    return runner === "python" ? { runner: "own", interpreter, file } : { runner: "self", file };
  }
  const point: unknown = JSON.parse(choice);
  const [module, attribute] = Array.isArray(point) ? point.map(String) : [];
  if (!/^[\w.]+$/.test(module ?? "") || !/^[\w.]+$/.test(attribute ?? "")) {
    throw installFailed("The package cannot be started", `its entry point ${choice} has an unknown form`);
  }
  await writeFile(join(root, launcher), launcherText(module ?? "", attribute ?? ""));
  await chmod(join(root, launcher), 0o644);
  return { runner: "own", interpreter, file: launcher };
}

function launcherText(module: string, attribute: string): string {
  return `import importlib, operator, sys
sys.path.pop(0)
sys.exit(operator.attrgetter("${attribute}")(importlib.import_module("${module}"))())
`;
}

function installFailure(requirement: string, run: ToolRun): SymposiumError {
  const said = `${run.exit.stderrTail}\n${run.stdout}`;
  const needed =
    /requires? a different Python[^\n]*?not in '([^']+)'/i.exec(said)?.[1] ??
    /Requires-Python (>=[^\s;]+)/.exec(said)?.[1] ??
    /does not satisfy Python\s*(>=[\d.]+)/.exec(said)?.[1];
  if (needed === undefined) return toolFailed(`"${requirement}" cannot be installed`, run);
  return new SymposiumError(
    "unsupported-engine",
    `"${requirement}" needs Python ${needed}, but the Python on PATH has a different version.`,
    `Install a Python that satisfies "${needed}" (https://www.python.org), or uv (https://docs.astral.sh/uv).`,
  );
}
