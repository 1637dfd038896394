import {
  type CheckReport,
  type Finding,
  once,
  readEslint,
  readGoVet,
  readMypy,
  readRuff,
  readTypescript,
} from "../runs/check-report.js";
import { readGcc } from "../runs/gcc-messages.js";
import { readJavac } from "../runs/javac-messages.js";
import { readBiome, readGolangci, readOxlint, readPyright } from "../runs/linter-reports.js";
import type { RunCommand } from "../../base/runs/run.js";
import { jvmCheckCommand } from "./jvm-runner.js";
import type { CheckerName, ProjectFacts, RunFile } from "./test-runner.js";

/** A type or style check of a project. */
export interface Checker {
  readonly name: CheckerName;
  /** Explanation for users that names the program and the reason why it was chosen. */
  readonly why: string;
  readonly folder: string;
  /**
   * Returns the commands to run one after the other. `path` is an absolute file or folder in the project; undefined means the whole
   * project.
   */
  commands(path: string | undefined): readonly CheckCommand[];
  /** Other folders that this checker also checks; undefined if there are none. */
  readonly covers?: readonly string[];
  /** Returns a sentence about the part of `path` that isn't checked; undefined if everything is checked, as far as known. */
  leftOut?(path: string | undefined): string | undefined;
}

export interface CheckCommand extends RunCommand {
  /** File written outside the project before the run. Its path replaces `{file}` in the arguments. */
  readonly file?: RunFile;
  /** Folders, relative to the run's folder, whose findings another command reports. */
  readonly leavesOut?: readonly string[];
}

/** Output and exit of one command. */
export interface CheckPart {
  readonly output: string;
  readonly errors: string;
  readonly exitCode: number | null;
  readonly leavesOut?: readonly string[];
}

type Commands = Checker["commands"];

/** Maximum number of files per check if the compiler handles one at a time. */
const maxCompiled = 200;

/** Returns the compilers and linters that a project configures and Symposium supports. */
export function checkersOf(facts: ProjectFacts): readonly Checker[] {
  const checkers: Checker[] = [];
  const { folder } = facts;
  const add: Add = (name, why, commands, covers) => {
    checkers.push({ name, why, folder, commands, ...(covers && { covers }) });
  };
  addJavascript(facts, add);
  addPython(facts, add);
  addGo(facts, add);
  const [compiled] = facts.checks.compiled ?? [];
  if (compiled) {
    const name = /clang/.test(compiled.command) ? "clang" : "gcc";
    const all = facts.checks.compiled ?? [];
    const wanted = (path: string | undefined): readonly RunCommand[] => {
      const own = all.filter(({ file }) => path !== undefined && (file === path || file.startsWith(`${path}/`)));
      // A header is compiled through the files that include it.
      return own.length > 0 ? own : all;
    };
    checkers.push({
      ...{ name, folder, why: `${name} with compile_commands.json, without writing` },
      commands: (path) => wanted(path).slice(0, maxCompiled),
      leftOut: (path) => {
        const files = wanted(path).length;
        return files > maxCompiled ? `${files - maxCompiled} of ${files} files were not compiled` : undefined;
      },
    });
  }
  const { jvm } = facts;
  if (jvm) {
    const why = `javac by ${jvm.program}${jvm.module === "" ? "" : `, for ${jvm.module} and what it needs`}, into the build's own folder`;
    checkers.push({ name: "javac", folder: jvm.root, why, commands: () => [jvmCheckCommand(jvm)] });
  }
  return checkers;
}

type Add = (name: CheckerName, why: string, commands: Commands, covers?: readonly string[]) => void;

function addJavascript({ folder, checks }: ProjectFacts, add: Add): void {
  const node = (...args: readonly string[]): readonly RunCommand[] => [{ command: "node", args, cwd: folder, env: {} }];
  if (checks.tsc) {
    const { program, projects } = checks.tsc;
    const why = `tsc from ${program}, because there is a tsconfig.json`;
    // tsc checks projects, not single files.
    if (projects === undefined) add("tsc", why, () => node(program, "--noEmit", "--pretty", "false"));
    else {
      const commands = projects.map(({ words, file, leavesOut }): CheckCommand => {
        const args = [program, ...words, "--pretty", "false"];
        return { ...{ command: "node", args, cwd: folder, env: {}, leavesOut }, ...(file && { file }) };
      });
      const covers = projects.map((one) => one.folder).filter((one) => one !== folder);
      const whyAll = `${why}, with the ${projects.length} projects that it references`;
      add("tsc", whyAll, () => commands, covers);
    }
  }
  const { eslint, biome, oxlint } = checks;
  if (eslint !== undefined) {
    const why = `eslint from ${eslint}, as configured in the folder`;
    add("eslint", why, (path = ".") => node(eslint, "--format", "json", path));
  }
  if (biome !== undefined) {
    const why = `biome from ${biome}, as configured in the folder`;
    // Biome shows only the first 20 findings by default.
    add("biome", why, (path = ".") => node(biome, "check", "--reporter=json", "--max-diagnostics=none", path));
  }
  if (oxlint !== undefined) {
    add("oxlint", `oxlint from ${oxlint}, because the folder requires it`, (path = ".") =>
      node(oxlint, "--format", "json", path),
    );
  }
}

function addPython({ folder, checks, python }: ProjectFacts, add: Add): void {
  const run = (command: string, ...args: readonly string[]): readonly RunCommand[] => [
    { command, args, cwd: folder, env: {} },
  ];
  const { ruff, mypy, pyright } = checks;
  if (ruff !== undefined) {
    add("ruff", `${ruff}, as configured in the folder`, (path = ".") =>
      run(ruff, "check", "--output-format", "json", path),
    );
  }
  if (mypy && python) {
    const all = mypy.hasFiles ? [] : ["."];
    add("mypy", `mypy from ${python.why}, as configured in the folder`, (path) =>
      run(python.program, "-m", "mypy", "--output", "json", ...(path === undefined ? all : [path])),
    );
  }
  if (pyright) {
    const { program, isScript } = pyright;
    // Pyright uses the interpreter on the PATH by default.
    const interpreter = python && !python.isGuess ? ["--pythonpath", python.program] : [];
    const words = ["--outputjson", ...interpreter];
    add("pyright", `pyright from ${program}, as configured in the folder`, (path) => {
      const paths = path === undefined ? [] : [path];
      return isScript ? run("node", program, ...words, ...paths) : run(program, ...words, ...paths);
    });
  }
}

function addGo({ folder, checks, goModule }: ProjectFacts, add: Add): void {
  if (goModule === undefined) return;
  // Prevents `go` from downloading the toolchain that a go.mod requires.
  const run = (command: string, ...args: readonly string[]): RunCommand => ({
    ...{ command, args, cwd: folder },
    env: { GOTOOLCHAIN: "local" },
  });
  if (checks.golangci) {
    // By default, golangci-lint silently shows only 3 equal findings and 50 per linter.
    const limits = ["--max-same-issues", "0", "--max-issues-per-linter", "0"];
    const words = checks.golangci.isFirst
      ? ["--out-format", "json"]
      : ["--output.json.path", "stdout", "--show-stats=false"];
    add("golangci-lint", "golangci-lint, as configured in the module, instead of go vet", () => [
      run("golangci-lint", "run", ...words, ...limits),
    ]);
    return;
  }
  // `go vet` stops at a package's first error. `go build` stops at the tenth error unless run with `-e`.
  add("go vet", `go build and go vet in the module ${goModule}`, () => [
    run("go", "build", "-gcflags=-e", "-o", checks.nowhere, "./..."),
    run("go", "vet", "./..."),
  ]);
}

/**
 * Combines the reports and exit codes of several commands; the report is undefined if the output has an unknown format. A command is
 * treated as successful if other commands are responsible for the folders of all its findings.
 */
export function readParts(
  name: CheckerName,
  parts: readonly CheckPart[],
): { readonly report: CheckReport | undefined; readonly exitCode: number | null } {
  const firstFailed = (all: readonly CheckPart[]): number | null =>
    (all.find(({ exitCode }) => exitCode !== 0) ?? { exitCode: 0 }).exitCode;
  const exitCode = firstFailed(parts);
  if (parts.every(({ leavesOut }) => leavesOut === undefined)) {
    const [output, errors] = [parts.map((one) => one.output).join(""), parts.map((one) => one.errors).join("")];
    return { report: readCheck(name, output, errors, exitCode), exitCode };
  }
  const reports = parts.map((part) => {
    const { findings, notices } = readCheck(name, part.output, part.errors, part.exitCode) ?? noFindings;
    const isOther = ({ file }: Finding): boolean =>
      part.leavesOut?.some((folder) => file?.startsWith(`${folder}/`) === true) === true;
    const own = findings.filter((finding) => !isOther(finding));
    const isOthersAlone = own.length === 0 && findings.length > 0 && notices.length === 0;
    return { findings: own, notices, part: isOthersAlone ? { ...part, exitCode: 0 } : part };
  });
  const report = {
    findings: once(reports.flatMap(({ findings }) => findings)),
    notices: [...new Set(reports.flatMap(({ notices }) => notices))],
  };
  return { report, exitCode: firstFailed(reports.map(({ part }) => part)) };
}

const noFindings: CheckReport = { findings: [], notices: [] };

/** Parses a checker's stdout (`output`) and stderr (`errors`). */
function readCheck(
  name: CheckerName,
  output: string,
  errors: string,
  exitCode: number | null = null,
): CheckReport | undefined {
  switch (name) {
    case "tsc":
      return readTypescript(`${output}\n${errors}`);
    case "mypy":
      return readMypy(`${output}\n${errors}`, exitCode);
    case "go vet":
      return readGoVet(`${output}\n${errors}`);
    case "gcc":
    case "clang":
      return readGcc(`${output}\n${errors}`);
    case "javac":
      return readJavac(`${output}\n${errors}`);
    case "eslint":
      return readEslint(output);
    case "ruff":
      return readRuff(output, errors);
    case "biome":
      return readBiome(output);
    case "oxlint":
      return readOxlint(output);
    case "pyright":
      return readPyright(output);
    case "golangci-lint":
      return readGolangci(output, errors);
  }
}
