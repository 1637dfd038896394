import { isThere } from "../../../base/node/folders.js";
import { readdir } from "node:fs/promises";
import { devNull } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { installedPackage } from "../../../base/node/project-folders.js";
import { resolveCommand, systemLookup } from "../../../base/node/resolve-command.js";
import { asObject, objectsOf, parsedValue } from "../../../base/rpc/json.js";
import { parseShellWords } from "../../../base/shell-words.js";
import type { CheckerName, CheckFacts } from "../test-runner.js";
import { typescriptProjects } from "./typescript-projects.js";
import { loadUntrustedText } from "../../../base/node/read-untrusted-file.js";

/**
 * Returns the checks that are configured and installed in a folder, without running anything. `python` is the folder's interpreter; `asked`
 * lists the packages in its package.json.
 */
export async function checksOf(
  folder: string,
  python: string | undefined,
  asked: readonly string[],
): Promise<CheckFacts> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  const read = (name: string): Promise<string> => loadUntrustedText(join(folder, name)).catch(() => "");
  const missing: CheckFacts["missing"][number][] = [];
  const absent: Absent = (name, install) => void missing.push({ name, install });
  const [javascript, ofPython, golangci, compiled] = await Promise.all([
    javascriptChecks(folder, names, asked, read, absent),
    pythonChecks(folder, names, python, read, absent),
    golangciOf(names, read, absent),
    names.includes(compileCommands)
      ? read(compileCommands).then((text) => compiledOf(text, folder))
      : Promise.resolve(undefined),
  ]);
  return {
    ...{ ...javascript, ...ofPython, missing, nowhere: devNull },
    ...(golangci && { golangci }),
    ...(compiled && { compiled }),
  };
}

type ReadManifest = (name: string) => Promise<string>;

/** Called with a tool that is configured but missing, and the command that installs it. */
type Absent = (name: CheckerName, install: string) => void;

async function javascriptChecks(
  folder: string,
  names: readonly string[],
  asked: readonly string[],
  read: ReadManifest,
  absent: Absent,
): Promise<Partial<CheckFacts>> {
  const has = (pattern: RegExp): boolean => names.some((name) => pattern.test(name));
  const installed = async (isWanted: boolean, name: string, program?: string): Promise<string | undefined> =>
    isWanted ? installedProgram(folder, name, program) : undefined;
  const linter = async (isWanted: boolean, tool: CheckerName, name: string = tool): Promise<string | undefined> => {
    const program = await installed(isWanted, name, tool);
    if (isWanted && program === undefined) absent(tool, installs(name));
    return program;
  };
  const installs = (name: string): string => (asked.includes(name) ? "npm install" : `npm install --save-dev ${name}`);
  const hasTypes = names.includes("tsconfig.json");
  const refers = hasTypes && /"references"\s*:/.test(await read("tsconfig.json"));
  const projects = refers ? await typescriptProjects(folder) : undefined;
  // Version 7 was a separate package before it became part of `typescript`.
  const native = "@typescript/native-preview";
  const tsc =
    (await installed(hasTypes && !asked.includes(native), "typescript", "tsc")) ??
    (await installed(hasTypes, native, "tsgo")) ??
    (await installed(hasTypes, "typescript", "tsc"));
  if (hasTypes && tsc === undefined) absent("tsc", installs(asked.includes(native) ? native : "typescript"));
  const eslint = await linter(has(/^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?)$/), "eslint");
  const biome = await linter(has(/^\.?biome\.jsonc?$/), "biome", "@biomejs/biome");
  const oxlint = await linter(has(/^(?:\.oxlintrc\.jsonc?|oxlint\.config\.ts)$/) || asked.includes("oxlint"), "oxlint");
  return {
    ...(tsc !== undefined && { tsc: { program: tsc, ...(projects && { projects }) } }),
    ...(eslint !== undefined && { eslint }),
    ...(biome !== undefined && { biome }),
    ...(oxlint !== undefined && { oxlint }),
  };
}

async function pythonChecks(
  folder: string,
  names: readonly string[],
  python: string | undefined,
  read: ReadManifest,
  absent: Absent,
): Promise<Partial<CheckFacts>> {
  const has = (pattern: RegExp): boolean => names.some((name) => pattern.test(name));
  const [pyproject = "", setup = ""] = await Promise.all(["pyproject.toml", "setup.cfg"].map(read));
  const hasRuff = has(/^\.?ruff\.toml$/) || /^\[tool\.ruff\b/m.test(pyproject);
  const mypy = [/^\[tool\.mypy\]/m.test(pyproject) ? pyproject : "", /^\[mypy\]/m.test(setup) ? setup : ""];
  const hasMypy = has(/^\.?mypy\.ini$/) || mypy.some((text) => text !== "");
  const mypyText = [...mypy, await read("mypy.ini"), await read(".mypy.ini")].join("\n");
  const hasPyright = names.includes("pyrightconfig.json") || /^\[tool\.(?:based)?pyright\]/m.test(pyproject);
  const beside = async (isWanted: boolean, name: "ruff" | "pyright"): Promise<string | undefined> => {
    const program = isWanted ? await besidePython(python, name) : undefined;
    if (program === undefined || resolveCommand(program, systemLookup()) !== undefined) return program;
    absent(name, `${python ?? "python3"} -m pip install ${name}`);
    return undefined;
  };
  const ruff = await beside(hasRuff, "ruff");
  const script = hasPyright ? await installedProgram(folder, "pyright") : undefined;
  const pyright = script ?? (await beside(hasPyright, "pyright"));
  return {
    ...(ruff !== undefined && { ruff }),
    ...(hasMypy && { mypy: { hasFiles: /^\s*(?:files|packages|modules)\s*=/m.test(mypyText) } }),
    ...(pyright !== undefined && { pyright: { program: pyright, isScript: script !== undefined } }),
  };
}

/** If golangci-lint is configured but missing, `go vet` is used. */
async function golangciOf(
  names: readonly string[],
  read: ReadManifest,
  absent: Absent,
): Promise<CheckFacts["golangci"]> {
  const name = names.find((one) => /^\.golangci\.(?:ya?ml|toml|json)$/.test(one));
  if (name === undefined) return undefined;
  if (resolveCommand("golangci-lint", systemLookup()) === undefined) {
    absent("golangci-lint", "go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest");
    return undefined;
  }
  return { isFirst: !/^\s*"?version"?\s*[:=]\s*["']?2/m.test(await read(name)) };
}

const compileCommands = "compile_commands.json";
const compiler = /^(?:.*-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-[\d.]+)?(?:\.exe)?$/;

/** Returns the compile commands without the options that write object or dependency files. Skips commands of unknown compilers. */
function compiledOf(text: string, folder: string): CheckFacts["compiled"] {
  const entries = objectsOf(parsedValue(text)).flatMap((entry) => {
    const { directory, file, command, arguments: given } = entry;
    const words = Array.isArray(given) ? given.filter((word) => typeof word === "string") : wordsIn(command);
    const [program, ...args] = words;
    if (typeof directory !== "string" || typeof file !== "string" || program === undefined) return [];
    if (!compiler.test(basename(program))) return [];
    const kept = args.filter(
      (word, index) =>
        !/^-(?:c|o.*|M[MDGP]{0,2}|M[FTQJ].*|Wp,-M.*|-?save-temps.*)$/.test(word) &&
        !/^-(?:o|M[FTQJ])$/.test(args[index - 1] ?? ""),
    );
    const cwd = resolve(folder, directory);
    return [{ command: program, args: ["-fsyntax-only", ...kept], cwd, env: {}, file: resolve(cwd, file) }];
  });
  return entries.length === 0 ? undefined : entries;
}

function wordsIn(command: unknown): readonly string[] {
  if (typeof command !== "string") return [];
  const parsed = parseShellWords(command);
  return parsed.kind === "command" ? [parsed.command.command, ...parsed.command.args] : [];
}

/** Returns a program in the environment of the Python interpreter, or the program's name, to be found on the PATH. */
async function besidePython(python: string | undefined, name: string): Promise<string> {
  if (python === undefined || basename(python) === python) return name;
  const program = join(dirname(python), process.platform === "win32" ? `${name}.exe` : name);
  return (await isThere(program)) ? program : name;
}

/** Returns the path of the JavaScript file that a package's program runs. Finds the package as Node does for an import in the folder. */
export async function installedProgram(importer: string, name: string, program = name): Promise<string | undefined> {
  const { folder, manifest } = (await installedPackage(importer, name)) ?? {};
  const bin = manifest?.["bin"];
  const path = typeof bin === "string" ? bin : asObject(bin)?.[program];
  return folder !== undefined && typeof path === "string" ? join(folder, path) : undefined;
}
