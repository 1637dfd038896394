import { escapedPattern } from "../../base/star-pattern.js";
import type { RunCommand } from "../../base/runs/run.js";
import { type JvmProject, jvmTestCommand } from "./jvm-runner.js";
import { runsPackageScripts } from "./package-scripts.js";
import { bunTestCommand } from "./bun-runner.js";
import { firstPositional, type LineCounter, type ScriptRunner, type TestScript, wordsFor } from "./test-script.js";

interface TestSelection {
  /** Absolute files or folders to test; empty for all tests. */
  readonly paths: readonly string[];
  /** Text that the names of the selected tests contain. */
  readonly filter?: string;
}

/** One of several TypeScript projects with references, and the compiler arguments that check it without writing output. */
export interface TypescriptProject {
  readonly folder: string;
  /** Compiler arguments. `{file}` is replaced by the path of `file`. */
  readonly words: readonly string[];
  /** File written outside the project for the check. */
  readonly file?: RunFile;
  /** Folders, relative to the run's folder, whose findings are reported by the check of another project. */
  readonly leavesOut: readonly string[];
}

export interface RunFile {
  readonly name: string;
  readonly text: string;
}

export type CheckerName =
  | ("tsc" | "eslint" | "biome" | "oxlint")
  | ("ruff" | "mypy" | "pyright")
  | ("go vet" | "golangci-lint")
  | ("gcc" | "clang" | "javac");

/** The compilers and linters that a folder configures, detected without running anything. */
export interface CheckFacts {
  /** Tools that are configured but not installed, each with the command that installs it. */
  readonly missing: readonly { readonly name: CheckerName; readonly install: string }[];
  /** Path of the system's null device, to which tools write output files that aren't needed. */
  readonly nowhere: string;
  /** The installed TypeScript compiler, if the folder has a tsconfig.json. `projects` is set if the tsconfig.json has references. */
  readonly tsc?: { readonly program: string; readonly projects?: readonly TypescriptProject[] };
  /** Program of the linter, if it is installed and configured. */
  readonly eslint?: string;
  /** Program of ruff, if ruff is configured. */
  readonly ruff?: string;
  /** Set if mypy is configured. `hasFiles` is true if mypy's configuration lists files. */
  readonly mypy?: { readonly hasFiles: boolean };
  /** Program of pyright, if pyright is configured. `isScript` is true if the program is a Node script. */
  readonly pyright?: { readonly program: string; readonly isScript: boolean };
  /** Programs of the linters that are installed and configured. */
  readonly biome?: string;
  readonly oxlint?: string;
  /** Set if golangci-lint is installed and configured. `isFirst` is true if its configuration has the format of version 1. */
  readonly golangci?: { readonly isFirst: boolean };
  /**
   * Compile commands for C and C++ files from compile_commands.json. The compiler is gcc or clang, and options that write output files are
   * removed.
   */
  readonly compiled?: readonly (RunCommand & { readonly file: string })[];
}

type InstalledProgram = "vitest" | "jest" | "mocha" | "playwright" | LineCounter["name"];

/** Facts about a folder that may have tests, detected without running anything. */
export interface ProjectFacts {
  readonly folder: string;
  /** Scripts in the folder's package.json; undefined if there is no package.json. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** Whether the folder is the root of an npm, pnpm, Yarn or Bun workspace. */
  readonly isWorkspace?: boolean;
  /** Name of Bun's lock file or configuration file in the folder, if any. */
  readonly bunFile?: string;
  /** Parsed test script; undefined unless the script is a simple command of a supported test runner. */
  readonly testScript?: ScriptCommand;
  /** Names of the dependencies in package.json. */
  readonly dependencies: readonly string[];
  /** Absolute paths of the JavaScript files that start installed test runners and coverage tools, by name. */
  readonly installed: Readonly<Partial<Record<InstalledProgram, string>>>;
  readonly checks: CheckFacts;
  /** Absolute path of the Python interpreter, and the reason for choosing it; undefined if the folder isn't a Python project. */
  readonly python?: { readonly program: string; readonly why: string; readonly isGuess?: boolean };
  /** Path of the folder's Go module; undefined if there is none. */
  readonly goModule?: string;
  /** The folder's Maven or Gradle build; undefined if there is none. */
  readonly jvm?: JvmProject;
}

/** A test script, split into the words that a shell would pass to programs. */
export interface ScriptCommand extends Pick<TestScript, "runner" | "env" | "counter"> {
  readonly nodeWords: readonly string[];
  readonly words: readonly string[];
}

/** Runs a project's tests and parses the output. */
export interface TestRunner {
  readonly name:
    | "vitest"
    | "jest"
    | "mocha"
    | "playwright"
    | "node"
    | "bun"
    | "pytest"
    | "go"
    | "maven"
    | "gradle"
    | "script";
  /** Explanation for users that names the program and the reason why it was chosen. */
  readonly why: string;
  readonly folder: string;
  /** Whether the choice of this test runner or its command is a guess that nothing in the project confirms. */
  readonly isGuess?: boolean;
  /** Whether the command only runs the tests of packages in subfolders, which may have test runners of their own. */
  readonly runsPackages?: boolean;
  /** Module path of the Go module that is tested. */
  readonly goModule?: string;
  /** Whether the runner writes result files below its folder instead of using a reporter of Symposium. */
  readonly leavesReports?: boolean;
  /**
   * Returns the command that runs the selected tests. `reporters` is the folder of Symposium's reporters; `events` is the file that they
   * write.
   */
  command(selection: TestSelection, reporters: string, events: string): RunCommand;
}

type Command = TestRunner["command"];

/** Returns a project's test runners, based on installed packages and configuration; empty if the project has no known tests. */
export function runnersOf(facts: ProjectFacts): readonly TestRunner[] {
  const found = [javascriptRunner(facts), pythonRunner(facts), goRunner(facts), jvmRunner(facts)];
  return found.filter((runner) => runner !== undefined);
}

function javascriptRunner(facts: ProjectFacts): TestRunner | undefined {
  const { folder, scripts, dependencies, installed, testScript } = facts;
  const script = scripts?.["test"] ?? "";
  const isPlaceholder = script === "" || /no test specified/.test(script);
  const shown = JSON.stringify(script);
  if (testScript && (ofPath(testScript.runner) || installed[testScript.runner] !== undefined)) {
    const { runner: name, counter } = testScript;
    const before = scripts?.["pretest"];
    const isUncounted = counter !== undefined && installed[counter.name] === undefined;
    const unsaid = before === undefined && !isUncounted ? {} : { isGuess: true };
    const uncounted = isUncounted ? ` without ${counter.name}, which is not installed: no coverage was checked` : "";
    const pretest = before === undefined ? "" : `; its script "pretest" was not run: ${JSON.stringify(before)}`;
    const why = `${name} as in its test script ${shown}${uncounted}${pretest}`;
    return { name, folder, why, ...unsaid, command: commandOf(name, facts, testScript) };
  }
  const runsPackages = runsPackageScripts(script) || (isPlaceholder && facts.isWorkspace === true);
  const asked = (name: string): boolean =>
    dependencies.includes(name === "playwright" ? "@playwright/test" : name) ||
    new RegExp(`\\b${name}\\b`).test(script);
  const isAsked = /\bnode\b.*\s--test\b/.test(script);
  const found = (["vitest", "jest", "mocha", "playwright"] as const).find(
    (one) => installed[one] !== undefined && asked(one),
  );
  const name = found ?? (isAsked ? "node" : undefined);
  if (name !== undefined) {
    const command = commandOf(name, facts, { runner: name, nodeWords: [], words: [], env: {} });
    const program = name === "node" ? "node --test" : `${name} of ${installed[name] ?? ""}`;
    if (isPlaceholder) return { name, folder, why: program, runsPackages, command };
    const why = `${program} without arguments, which is a guess: its test script is ${shown}`;
    return { name, folder, why, isGuess: true, runsPackages, command };
  }
  const { bunFile } = facts;
  if (isPlaceholder && bunFile !== undefined) {
    const why = `bun test, because it has a ${bunFile} and no other runner`;
    const command: Command = (selection) => bunTestCommand({ folder, words: [], env: {} }, selection);
    return { name: "bun", folder, why, isGuess: true, runsPackages, command };
  }
  if (isPlaceholder) return undefined;
  // Explain that the program is missing, since running the script would only show the shell's error.
  const missing = testScript && !ofPath(testScript.runner) ? testScript.runner : undefined;
  const why =
    missing === undefined
      ? `its test script is ${shown}, for which there is no reporter`
      : `its test script is ${shown}, but ${missing} is not installed there: install the packages of ${folder} first`;
  const command: Command = () => ({ command: "npm", args: ["test"], cwd: folder, env: {} });
  return { name: "script", folder, why, runsPackages, command };
}

/** Whether the test runner is a program on the PATH rather than a package installed in a project. */
function ofPath(runner: ScriptRunner): runner is "node" | "bun" {
  return runner === "node" || runner === "bun";
}

function commandOf(name: ScriptRunner, { folder, installed }: ProjectFacts, script: ScriptCommand): Command {
  if (name === "bun") return (selection) => bunTestCommand({ folder, words: script.words, env: script.env }, selection);
  return (selection, reporters, events) => {
    const chosen = { files: selection.paths.length > 0, names: selection.filter !== undefined };
    const words = wordsFor(name, script.words, chosen);
    const nodeWords = wordsFor("node", script.nodeWords, chosen);
    const ours = javascriptWords[name](selection, reporters, events);
    // Node ignores options after the first file.
    const files = name === "node" ? firstPositional(name, nodeWords) : nodeWords.length;
    const verbs = name === "vitest" ? ["run"] : name === "playwright" ? ["test"] : [];
    const program = name === "node" ? ["--test"] : [installed[name] ?? name, ...verbs];
    // Don't measure coverage for selected tests, since they can't reach thresholds meant for all tests.
    const counter = chosen.files || chosen.names ? undefined : script.counter;
    const counting = counter && installed[counter.name];
    return {
      command: "node",
      args: [
        ...(counter && counting !== undefined ? [counting, ...counter.words, "node"] : []),
        // nyc rewrites sources into few lines, so failures would have wrong lines without source maps.
        ...(counter?.name === "nyc" && counting !== undefined ? ["--enable-source-maps"] : []),
        ...[...nodeWords.slice(0, files), ...program, ...words, ...ours, ...nodeWords.slice(files)],
      ],
      cwd: folder,
      env: { ...script.env, ...eventEnvironment(events) },
    };
  };
}

type Words = (selection: TestSelection, reporters: string, events: string) => readonly string[];

/** Arguments that Symposium adds for each runner. */
const javascriptWords: Readonly<Record<Exclude<ScriptRunner, "bun">, Words>> = {
  vitest: ({ paths, filter }, reporters) => [
    ...["--reporter=default", `--reporter=${reporters}/vitest.mjs`],
    ...(filter === undefined ? [] : ["--testNamePattern", escapedPattern(filter)]),
    ...paths,
  ],
  jest: ({ paths, filter }, reporters) => [
    // Put options that take several values before one that takes none, since they would otherwise take the paths too.
    ...["--reporters=default", `--reporters=${reporters}/jest.cjs`, "--testLocationInResults"],
    ...(filter === undefined ? [] : ["--testNamePattern", escapedPattern(filter)]),
    ...(paths.every((path) => /\.[cm]?[jt]sx?$/.test(path))
      ? paths.flatMap((path, index) => (index === 0 ? ["--runTestsByPath", path] : [path]))
      : paths.map(escapedPattern)),
  ],
  mocha: ({ paths, filter }, reporters) => [
    ...["--reporter", `${reporters}/mocha.cjs`],
    ...(filter === undefined ? [] : ["--fgrep", filter]),
    ...paths,
  ],
  playwright: ({ paths, filter }, reporters) => [
    `--reporter=list,${reporters}/playwright.cjs`,
    ...(filter === undefined ? [] : ["--grep", escapedPattern(filter)]),
    // Escape the paths, since Jest treats them as patterns.
    ...paths.map(escapedPattern),
  ],
  node: ({ paths, filter }, reporters, events) => [
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    // Pass the path as a file URL: Node imports the reporter as a URL and would read the drive letter of a Windows path as the scheme `c:`.
    `--test-reporter=${encodeURI(`file://${reporters.startsWith("/") ? "" : "/"}${reporters}/node-test.mjs`)}`,
    `--test-reporter-destination=${events}.node`,
    ...(filter === undefined ? [] : [`--test-name-pattern=${escapedPattern(filter)}`]),
    ...paths,
  ],
};

function pythonRunner({ folder, python }: ProjectFacts): TestRunner | undefined {
  if (!python) return undefined;
  return {
    name: "pytest",
    folder,
    why: `pytest of ${python.why}`,
    ...(python.isGuess === true && { isGuess: true }),
    command: (selection, reporters, events) => ({
      command: python.program,
      args: [
        ...["-m", "pytest", "-p", "symposium_pytest"],
        // Stop pytest from shortening its diffs.
        ...["-o", "truncation_limit_lines=0", "-o", "truncation_limit_chars=0", "-o", "verbosity_assertions=2"],
        ...(selection.filter === undefined ? [] : ["-k", selection.filter]),
        ...selection.paths,
      ],
      cwd: folder,
      env: { ...eventEnvironment(events), PYTHONPATH: reporters },
    }),
  };
}

function goRunner({ folder, goModule }: ProjectFacts): TestRunner | undefined {
  if (goModule === undefined) return undefined;
  return {
    name: "go",
    folder,
    goModule,
    why: `go test of the module ${goModule}`,
    command: (selection) => ({
      command: "go",
      args: [
        ...["test", "-json"],
        ...(selection.filter === undefined ? [] : ["-run", escapedPattern(selection.filter)]),
        ...(selection.paths.length === 0 ? ["./..."] : goPackages(selection.paths, folder)),
      ],
      cwd: folder,
      // Prevents `go` from downloading the toolchain that a go.mod requires.
      env: { GOTOOLCHAIN: "local" },
    }),
  };
}

function jvmRunner({ jvm }: ProjectFacts): TestRunner | undefined {
  if (!jvm) return undefined;
  const { tool: name, root, module, program } = jvm;
  const why = `${program} test of ${module === "" ? root : `the module ${module} of ${root}`}`;
  const command: Command = (selection, reporters) => jvmTestCommand(jvm, selection, reporters);
  return { name, folder: root, why, leavesReports: true, command };
}

/** Returns the packages to test. Go runs whole packages, which are folders. */
function goPackages(paths: readonly string[], folder: string): readonly string[] {
  const packages = paths.map((path) => {
    const below = path.startsWith(folder) ? path.slice(folder.length).replaceAll("\\", "/") : path;
    // Paths of failed files are relative to the project's folder.
    const from = below === "" || below.startsWith("/") ? below : `/${below}`;
    const of = from.endsWith(".go") ? from.slice(0, from.lastIndexOf("/")) : `${from}/...`;
    return `.${of}`;
  });
  return [...new Set(packages)];
}

function eventEnvironment(events: string): Readonly<Record<string, string>> {
  return { SYMPOSIUM_TEST_EVENTS: events };
}
