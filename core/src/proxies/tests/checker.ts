import {
  type CheckReport,
  readEslint,
  readGoVet,
  readMypy,
  readRuff,
  readTypescript,
} from "../../runs/check-report.js";
import { readJavac } from "../../runs/javac-messages.js";
import type { RunCommand } from "../../runs/run.js";
import { jvmCheckCommand } from "./jvm-runner.js";
import type { ProjectFacts } from "./test-runner.js";

/** How types or style of a project are checked, and how what that says is read. */
export interface Checker {
  readonly name: "tsc" | "eslint" | "ruff" | "mypy" | "go vet" | "javac";
  /** For people: what runs, and why it is this one. */
  readonly why: string;
  readonly folder: string;
  /** `path` is a file or folder of the project, absolute; undefined for all of it. */
  command(path: string | undefined): RunCommand;
}

/** The compilers and linters of a project; none where it configures none that we know. */
export function checkersOf(facts: ProjectFacts): readonly Checker[] {
  const { folder, checks, python, goModule, jvm } = facts;
  const run = (command: string, args: readonly string[]): RunCommand => ({ command, args, cwd: folder, env: {} });
  const checkers: Checker[] = [];
  if (checks.tsc) {
    const { program, isBuild } = checks.tsc;
    const why = `tsc of ${program}, as there is a tsconfig.json`;
    // The compiler checks projects, not files.
    const words = [...(isBuild ? ["--build"] : []), "--noEmit", "--pretty", "false"];
    checkers.push({ name: "tsc", folder, why, command: () => run("node", [program, ...words]) });
  }
  if (checks.eslint !== undefined) {
    const program = checks.eslint;
    const why = `eslint of ${program}, as the folder configures it`;
    const command: Checker["command"] = (path = ".") => run("node", [program, "--format", "json", path]);
    checkers.push({ name: "eslint", folder, why, command });
  }
  if (checks.ruff !== undefined) {
    const program = checks.ruff;
    const command: Checker["command"] = (path = ".") => run(program, ["check", "--output-format", "json", path]);
    checkers.push({ name: "ruff", folder, why: `${program}, as the folder configures it`, command });
  }
  if (checks.mypy && python) {
    const { hasFiles } = checks.mypy;
    const command: Checker["command"] = (path) =>
      run(python.program, ["-m", "mypy", "--output", "json", ...(path !== undefined ? [path] : hasFiles ? [] : ["."])]);
    checkers.push({ name: "mypy", folder, why: `mypy of ${python.why}, as the folder configures it`, command });
  }
  if (goModule !== undefined) {
    // A line of go.mod would otherwise download a compiler.
    const env = { GOTOOLCHAIN: "local" };
    const command: Checker["command"] = () => ({ ...run("go", ["vet", "./..."]), env });
    checkers.push({ name: "go vet", folder, why: `go vet of the module ${goModule}`, command });
  }
  if (jvm) {
    const why = `javac by ${jvm.program}${jvm.module === "" ? "" : `, for ${jvm.module} and what it needs`}, into the build's own folder`;
    checkers.push({ name: "javac", folder: jvm.root, why, command: () => jvmCheckCommand(jvm) });
  }
  return checkers;
}

/** What a checker told: `output` is its stdout, `errors` its stderr. */
export function readCheck(name: Checker["name"], output: string, errors: string): CheckReport | undefined {
  if (name === "tsc") return readTypescript(`${output}\n${errors}`);
  if (name === "mypy") return readMypy(`${output}\n${errors}`);
  if (name === "javac") return readJavac(`${output}\n${errors}`);
  if (name === "go vet") return readGoVet(`${output}\n${errors}`);
  return name === "eslint" ? readEslint(output) : readRuff(output, errors);
}
