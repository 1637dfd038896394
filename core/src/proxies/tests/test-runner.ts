import type { RunCommand } from "../../runs/run.js";

/** What a call of `run_tests` wants of one project. */
interface TestSelection {
  /** Files or folders, absolute; all tests when empty. */
  readonly paths: readonly string[];
  /** A part of a test's name. */
  readonly filter?: string;
}

/** What is known of a folder that may have tests, found without running anything. */
export interface ProjectFacts {
  /** Absolute. */
  readonly folder: string;
  /** Of its package.json; undefined without one. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** Names that its package.json asks for. */
  readonly dependencies: readonly string[];
  /** The programs of installed runners, as absolute paths of their JavaScript, by name. */
  readonly installed: Readonly<Partial<Record<"vitest" | "jest" | "mocha", string>>>;
  /** Absolute path of the interpreter, and why it is this one; undefined where the project has nothing of Python. */
  readonly python?: { readonly program: string; readonly why: string; readonly isGuess?: boolean };
  /** The path of its Go module; undefined where it is none. */
  readonly goModule?: string;
}

/** How the tests of a project are run, and how its words are read. */
export interface TestRunner {
  readonly name: "vitest" | "jest" | "mocha" | "node" | "pytest" | "go" | "script";
  /** For people: what runs, and why it is this one. */
  readonly why: string;
  readonly folder: string;
  /** Nothing of the project says that it is this one. */
  readonly isGuess?: boolean;
  /** `reporters` is the folder of our reporters, `events` the file that they write. */
  command(selection: TestSelection, reporters: string, events: string): RunCommand;
}

type Command = TestRunner["command"];

/** The runners of a project, by what it has installed and asks for; none where it has no tests that we know of. */
export function runnersOf(facts: ProjectFacts): readonly TestRunner[] {
  const found = [javascriptRunner(facts), pythonRunner(facts), goRunner(facts)];
  return found.filter((runner) => runner !== undefined);
}

function javascriptRunner(facts: ProjectFacts): TestRunner | undefined {
  const { folder, scripts, dependencies, installed } = facts;
  const script = scripts?.["test"] ?? "";
  const asked = (name: string): boolean => dependencies.includes(name) || new RegExp(`\\b${name}\\b`).test(script);
  for (const name of ["vitest", "jest", "mocha"] as const) {
    const program = installed[name];
    if (program === undefined || !asked(name)) continue;
    return { name, folder, why: `${name} of ${program}`, command: javascriptCommands[name](folder, program) };
  }
  if (/\bnode\b.*\s--test\b/.test(script)) {
    return { name: "node", folder, why: `its test script is ${JSON.stringify(script)}`, command: nodeCommand(folder) };
  }
  const isPlaceholder = /no test specified/.test(script);
  if (script === "" || isPlaceholder) return undefined;
  const why = `its test script is ${JSON.stringify(script)}, of which no reporter of ours tells`;
  return { name: "script", folder, why, command: () => ({ command: "npm", args: ["test"], cwd: folder, env: {} }) };
}

const javascriptCommands: Readonly<Record<"vitest" | "jest" | "mocha", (folder: string, program: string) => Command>> =
  {
    vitest: (folder, program) => (selection, reporters, events) => ({
      command: "node",
      args: [
        ...[program, "run", "--reporter=default", `--reporter=${reporters}/vitest.mjs`],
        ...(selection.filter === undefined ? [] : ["--testNamePattern", escaped(selection.filter)]),
        ...selection.paths,
      ],
      cwd: folder,
      env: eventEnvironment(events),
    }),
    jest: (folder, program) => (selection, reporters, events) => ({
      command: "node",
      args: [
        ...[program, "--testLocationInResults", "--reporters=default", `--reporters=${reporters}/jest.cjs`],
        ...(selection.filter === undefined ? [] : ["--testNamePattern", escaped(selection.filter)]),
        ...(selection.paths.every((path) => /\.[cm]?[jt]sx?$/.test(path))
          ? selection.paths.flatMap((path, index) => (index === 0 ? ["--runTestsByPath", path] : [path]))
          : selection.paths.map(escaped)),
      ],
      cwd: folder,
      env: eventEnvironment(events),
    }),
    mocha: (folder, program) => (selection, reporters, events) => ({
      command: "node",
      args: [
        ...[program, "--reporter", `${reporters}/mocha.cjs`],
        ...(selection.filter === undefined ? [] : ["--fgrep", selection.filter]),
        ...selection.paths,
      ],
      cwd: folder,
      env: eventEnvironment(events),
    }),
  };

function nodeCommand(folder: string): Command {
  return (selection, reporters, events) => ({
    command: "node",
    args: [
      ...["--test", "--test-reporter=spec", "--test-reporter-destination=stdout"],
      // Node imports it: a path of Windows would be an address of the scheme `c:`.
      `--test-reporter=${encodeURI(`file://${reporters.startsWith("/") ? "" : "/"}${reporters}/node-test.mjs`)}`,
      `--test-reporter-destination=${events}.node`,
      ...(selection.filter === undefined ? [] : [`--test-name-pattern=${escaped(selection.filter)}`]),
      ...selection.paths,
    ],
    cwd: folder,
    env: eventEnvironment(events),
  });
}

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
    why: `go test of the module ${goModule}`,
    command: (selection) => ({
      command: "go",
      args: [
        ...["test", "-json"],
        ...(selection.filter === undefined ? [] : ["-run", escaped(selection.filter)]),
        ...(selection.paths.length === 0 ? ["./..."] : goPackages(selection.paths, folder)),
      ],
      cwd: folder,
      // A line of go.mod would otherwise download a compiler.
      env: { GOTOOLCHAIN: "local" },
    }),
  };
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

/** Runners take a pattern where people mean a part of a name. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
