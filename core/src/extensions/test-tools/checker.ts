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

/** How types or style of a project are checked, and how what that says is read. */
export interface Checker {
  readonly name: CheckerName;
  /** For people: what runs, and why it is this one. */
  readonly why: string;
  readonly folder: string;
  /** What runs, one after the other. `path` is a file or folder of the project, absolute; undefined for all of it. */
  commands(path: string | undefined): readonly CheckCommand[];
  /** Other folders that are checked with this one; none when absent. */
  readonly covers?: readonly string[];
  /** For people: what of `path` is not checked; absent where nothing is known of it. */
  leftOut?(path: string | undefined): string | undefined;
}

/** A run of a checker. */
export interface CheckCommand extends RunCommand {
  /** Written before it, outside of the project; its path replaces `{file}` in the arguments. */
  readonly file?: RunFile;
  /** Folders from that of the run on, whose findings another command tells. */
  readonly leavesOut?: readonly string[];
}

/** What one command of a checker wrote, and how it ended. */
export interface CheckPart {
  readonly output: string;
  readonly errors: string;
  readonly exitCode: number | null;
  readonly leavesOut?: readonly string[];
}

type Commands = Checker["commands"];

/** The most files that one check compiles, where a compiler takes one at a time. */
const maxCompiled = 200;

/** The compilers and linters of a project; none where it configures none that we know. */
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
      // A header is compiled with what includes it.
      return own.length > 0 ? own : all;
    };
    checkers.push({
      ...{ name, folder, why: `${name} of compile_commands.json without writing` },
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
    const why = `tsc of ${program}, as there is a tsconfig.json`;
    // The compiler checks projects, not files.
    if (projects === undefined) add("tsc", why, () => node(program, "--noEmit", "--pretty", "false"));
    else {
      const commands = projects.map(({ words, file, leavesOut }): CheckCommand => {
        const args = [program, ...words, "--pretty", "false"];
        return { ...{ command: "node", args, cwd: folder, env: {}, leavesOut }, ...(file && { file }) };
      });
      const covers = projects.map((one) => one.folder).filter((one) => one !== folder);
      const whyAll = `${why}, with the ${projects.length} projects that it leads to`;
      add("tsc", whyAll, () => commands, covers);
    }
  }
  const { eslint, biome, oxlint } = checks;
  if (eslint !== undefined) {
    const why = `eslint of ${eslint}, as the folder configures it`;
    add("eslint", why, (path = ".") => node(eslint, "--format", "json", path));
  }
  if (biome !== undefined) {
    const why = `biome of ${biome}, as the folder configures it`;
    // It would show the first 20 alone.
    add("biome", why, (path = ".") => node(biome, "check", "--reporter=json", "--max-diagnostics=none", path));
  }
  if (oxlint !== undefined) {
    add("oxlint", `oxlint of ${oxlint}, as the folder asks for it`, (path = ".") =>
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
    add("ruff", `${ruff}, as the folder configures it`, (path = ".") =>
      run(ruff, "check", "--output-format", "json", path),
    );
  }
  if (mypy && python) {
    const all = mypy.hasFiles ? [] : ["."];
    add("mypy", `mypy of ${python.why}, as the folder configures it`, (path) =>
      run(python.program, "-m", "mypy", "--output", "json", ...(path === undefined ? all : [path])),
    );
  }
  if (pyright) {
    const { program, isScript } = pyright;
    // It looks for the interpreter on the PATH.
    const interpreter = python && !python.isGuess ? ["--pythonpath", python.program] : [];
    const words = ["--outputjson", ...interpreter];
    add("pyright", `pyright of ${program}, as the folder configures it`, (path) => {
      const paths = path === undefined ? [] : [path];
      return isScript ? run("node", program, ...words, ...paths) : run(program, ...words, ...paths);
    });
  }
}

function addGo({ folder, checks, goModule }: ProjectFacts, add: Add): void {
  if (goModule === undefined) return;
  // A line of go.mod would otherwise download a compiler.
  const run = (command: string, ...args: readonly string[]): RunCommand => ({
    ...{ command, args, cwd: folder },
    env: { GOTOOLCHAIN: "local" },
  });
  if (checks.golangci) {
    // It would show three of the same and 50 of each linter, and not say that there are more.
    const limits = ["--max-same-issues", "0", "--max-issues-per-linter", "0"];
    const words = checks.golangci.isFirst
      ? ["--out-format", "json"]
      : ["--output.json.path", "stdout", "--show-stats=false"];
    add("golangci-lint", "golangci-lint, as the module configures it, in place of go vet", () => [
      run("golangci-lint", "run", ...words, ...limits),
    ]);
    return;
  }
  // Vet stops at the first error of a package, and a build at the tenth.
  add("go vet", `go build and go vet of the module ${goModule}`, () => [
    run("go", "build", "-gcflags=-e", "-o", checks.nowhere, "./..."),
    run("go", "vet", "./..."),
  ]);
}

/**
 * What the commands of a checker told together, and the exit code that says whether it is well; undefined for a report in a form
 * that is not known. What a command says of the folders of others alone does not count.
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

/** What a checker told: `output` is its stdout, `errors` its stderr. */
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
