import { escapedPattern } from "../../base/star-pattern.js";
import type { RunCommand } from "../../base/runs/run.js";
import { type JvmProject, jvmTestCommand } from "./jvm-runner.js";
import { runsPackageScripts } from "./package-scripts.js";
import { bunTestCommand } from "./bun-runner.js";
import { firstPositional, type LineCounter, type ScriptRunner, type TestScript, wordsFor } from "./test-script.js";

/** What a call of `run_tests` wants of one project. */
interface TestSelection {
  /** Files or folders, absolute; all tests when empty. */
  readonly paths: readonly string[];
  /** A part of a test's name. */
  readonly filter?: string;
}

/** One of several projects of TypeScript that refer to one another, and how it is checked without writing. */
export interface TypescriptProject {
  /** Absolute. */
  readonly folder: string;
  /** For the compiler; `{file}` stands for the path of `file`. */
  readonly words: readonly string[];
  /** What is written for the check, outside of the project. */
  readonly file?: RunFile;
  /** Folders from that of the run on, whose findings another one of the projects has. */
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

/** The compilers and linters that a folder is configured for, found without running anything. */
export interface CheckFacts {
  /** Tools that the folder configures and that are not installed, each with the command that installs it. */
  readonly missing: readonly { readonly name: CheckerName; readonly install: string }[];
  /** The file of this system that keeps nothing, for what tools would write. */
  readonly nowhere: string;
  /** The installed compiler of TypeScript beside a tsconfig.json; `projects` where that names others. */
  readonly tsc?: { readonly program: string; readonly projects?: readonly TypescriptProject[] };
  /** The installed linter beside a configuration of it. */
  readonly eslint?: string;
  /** The program of ruff, where the folder configures it. */
  readonly ruff?: string;
  /** Where the folder configures mypy, and whether that says which files. */
  readonly mypy?: { readonly hasFiles: boolean };
  /** Where the folder configures pyright: its program, and whether that is a script of Node. */
  readonly pyright?: { readonly program: string; readonly isScript: boolean };
  /** The installed linters beside a configuration of them. */
  readonly biome?: string;
  readonly oxlint?: string;
  /** Where the module configures golangci-lint and that is installed; `isFirst` for the configuration of its first version. */
  readonly golangci?: { readonly isFirst: boolean };
  /** How each file of C or C++ is compiled by gcc or clang, as compile_commands.json says, without writing anything. */
  readonly compiled?: readonly (RunCommand & { readonly file: string })[];
}

/** A runner, or what measures coverage around one. */
type InstalledProgram = "vitest" | "jest" | "mocha" | "playwright" | LineCounter["name"];

/** What is known of a folder that may have tests, found without running anything. */
export interface ProjectFacts {
  /** Absolute. */
  readonly folder: string;
  /** Of its package.json; undefined without one. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** It is the root of packages of npm, pnpm, Yarn or bun. */
  readonly isWorkspace?: boolean;
  /** The file by which bun keeps it: its lock or its configuration. */
  readonly bunFile?: string;
  /** How its test script starts a runner; undefined where that is not one simple command of a runner that we know. */
  readonly testScript?: ScriptCommand;
  /** Names that its package.json asks for. */
  readonly dependencies: readonly string[];
  /** The programs of installed runners, as absolute paths of their JavaScript, by name. */
  readonly installed: Readonly<Partial<Record<InstalledProgram, string>>>;
  readonly checks: CheckFacts;
  /** Absolute path of the interpreter, and why it is this one; undefined where the project has nothing of Python. */
  readonly python?: { readonly program: string; readonly why: string; readonly isGuess?: boolean };
  /** The path of its Go module; undefined where it is none. */
  readonly goModule?: string;
  /** How Maven or Gradle builds it; undefined where neither does. */
  readonly jvm?: JvmProject;
}

/** A test script whose words are as a shell gives them to programs. */
export interface ScriptCommand extends Pick<TestScript, "runner" | "env" | "counter"> {
  readonly nodeWords: readonly string[];
  readonly words: readonly string[];
}

/** How the tests of a project are run, and how its words are read. */
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
  /** For people: what runs, and why it is this one. */
  readonly why: string;
  readonly folder: string;
  /** Nothing of the project says that it is this one, or that it is run so. */
  readonly isGuess?: boolean;
  /** Nothing but the tests of the packages below, each of which may have a runner of its own. */
  readonly runsPackages?: boolean;
  /** The path of the Go module that it tests. */
  readonly goModule?: string;
  /** It leaves files of results below its folder, in place of events of a reporter of ours. */
  readonly leavesReports?: boolean;
  /** `reporters` is the folder of our reporters, `events` the file that they write. */
  command(selection: TestSelection, reporters: string, events: string): RunCommand;
}

type Command = TestRunner["command"];

/** The runners of a project, by what it has installed and asks for; none where it has no tests that we know of. */
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
    const pretest =
      before === undefined ? "" : `; its script "pretest" was not run, which is ${JSON.stringify(before)}`;
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
    const why = `bun test, as it has a ${bunFile} and no other runner`;
    const command: Command = (selection) => bunTestCommand({ folder, words: [], env: {} }, selection);
    return { name: "bun", folder, why, isGuess: true, runsPackages, command };
  }
  if (isPlaceholder) return undefined;
  // Its shell says no more than that there is no such program.
  const missing = testScript && !ofPath(testScript.runner) ? testScript.runner : undefined;
  const why =
    missing === undefined
      ? `its test script is ${shown}, of which no reporter of ours tells`
      : `its test script is ${shown}, and ${missing} is not installed there: install the packages of ${folder} first`;
  const command: Command = () => ({ command: "npm", args: ["test"], cwd: folder, env: {} });
  return { name: "script", folder, why, runsPackages, command };
}

/** Whether it is a program that nothing installs in a project. */
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
    // Node reads no option behind the first file.
    const files = name === "node" ? firstPositional(name, nodeWords) : nodeWords.length;
    const verbs = name === "vitest" ? ["run"] : name === "playwright" ? ["test"] : [];
    const program = name === "node" ? ["--test"] : [installed[name] ?? name, ...verbs];
    // A part of the tests covers less than all of them have to.
    const counter = chosen.files || chosen.names ? undefined : script.counter;
    const counting = counter && installed[counter.name];
    return {
      command: "node",
      args: [
        ...(counter && counting !== undefined ? [counting, ...counter.words, "node"] : []),
        // It writes sources anew, in few lines: the places of failures would be those.
        ...(counter?.name === "nyc" && counting !== undefined ? ["--enable-source-maps"] : []),
        ...[...nodeWords.slice(0, files), ...program, ...words, ...ours, ...nodeWords.slice(files)],
      ],
      cwd: folder,
      env: { ...script.env, ...eventEnvironment(events) },
    };
  };
}

type Words = (selection: TestSelection, reporters: string, events: string) => readonly string[];

/** What we add to each runner's own words. */
const javascriptWords: Readonly<Record<Exclude<ScriptRunner, "bun">, Words>> = {
  vitest: ({ paths, filter }, reporters) => [
    ...["--reporter=default", `--reporter=${reporters}/vitest.mjs`],
    ...(filter === undefined ? [] : ["--testNamePattern", escapedPattern(filter)]),
    ...paths,
  ],
  jest: ({ paths, filter }, reporters) => [
    // Options that take many words stand before one that takes none: they would take the paths, too.
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
    // It takes patterns of paths.
    ...paths.map(escapedPattern),
  ],
  node: ({ paths, filter }, reporters, events) => [
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    // Node imports it: a path of Windows would be an address of the scheme `c:`.
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
        // Else pytest cuts its own differences.
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
      // A line of go.mod would otherwise download a compiler.
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

/** Go runs packages, which are folders. */
function goPackages(paths: readonly string[], folder: string): readonly string[] {
  const packages = paths.map((path) => {
    const below = path.startsWith(folder) ? path.slice(folder.length).replaceAll("\\", "/") : path;
    // Files that failed are known from the folder on.
    const from = below === "" || below.startsWith("/") ? below : `/${below}`;
    const of = from.endsWith(".go") ? from.slice(0, from.lastIndexOf("/")) : `${from}/...`;
    return `.${of}`;
  });
  return [...new Set(packages)];
}

function eventEnvironment(events: string): Readonly<Record<string, string>> {
  return { SYMPOSIUM_TEST_EVENTS: events };
}
