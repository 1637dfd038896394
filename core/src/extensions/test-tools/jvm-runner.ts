import type { RunCommand } from "../../base/runs/run.js";

/** Build of a JVM project, detected without running the build tool. */
export interface JvmProject {
  readonly tool: "maven" | "gradle";
  /** Absolute path of the project's wrapper script, or the build tool's name if there is no wrapper. */
  readonly program: string;
  /** Absolute path of the build's folder: the project's own folder, or the parent that lists the project as a module. */
  readonly root: string;
  /** Project folder relative to the build's root, with `/`; empty for the root itself. */
  readonly module: string;
}

interface JvmSelection {
  /** Paths to test, absolute or relative to the root; empty for all tests. */
  readonly paths: readonly string[];
  readonly filter?: string;
}

/** Returns the command that runs a project's tests without asking questions. If tests in a module fail, the other modules still run. */
export function jvmTestCommand(project: JvmProject, { paths, filter }: JvmSelection, reporters: string): RunCommand {
  const chosen = paths.flatMap((path) => testsAt(path, project));
  if (project.tool === "maven") {
    const patterns = [...chosen, ...(filter === undefined ? [] : namePatterns(filter, chosen))];
    // With a filter, selects only matching tests in the chosen classes.
    const wanted = filter === undefined || chosen.length === 0 ? patterns : namePatterns(filter, chosen);
    const words = wanted.length === 0 ? [] : [`-Dtest=${wanted.join(",")}`, "-Dsurefire.failIfNoSpecifiedTests=false"];
    return mavenCommand(project, [...words, "test"]);
  }
  const names = filter === undefined ? chosen : namePatterns(filter, chosen).map((name) => name.replace("#", "."));
  return gradleCommand(
    project,
    ["--init-script", `${reporters}/symposium.gradle`],
    ["test", ...names.flatMap((name) => ["--tests", name])],
  );
}

/** Returns the command that compiles a project and its tests without running them. */
export function jvmCheckCommand(project: JvmProject): RunCommand {
  return project.tool === "maven"
    ? mavenCommand(project, ["test-compile"])
    : gradleCommand(project, [], ["testClasses"]);
}

function mavenCommand({ program, root, module }: JvmProject, words: readonly string[]): RunCommand {
  // Older Maven versions have no option to hide downloads in the output.
  const quiet = "-Dorg.slf4j.simpleLogger.log.org.apache.maven.cli.transfer.Slf4jMavenTransferListener=warn";
  const ofModule = module === "" ? [] : ["-pl", module, "-am"];
  return { command: program, args: ["-B", "--fail-at-end", quiet, ...ofModule, ...words], cwd: root, env: {} };
}

function gradleCommand(
  { program, root, module }: JvmProject,
  options: readonly string[],
  [task = "", ...words]: readonly string[],
): RunCommand {
  const path = module === "" ? task : `:${module.split("/").join(":")}:${task}`;
  // A Gradle daemon would keep running after Symposium ends.
  const args = ["--console=plain", "--no-daemon", "--continue", ...options, path, ...words];
  return { command: program, args, cwd: root, env: {} };
}

/** Returns the test classes in a path, as patterns for Maven and Gradle; empty if the path is a folder with all tests. */
function testsAt(path: string, { root, tool }: JvmProject): readonly string[] {
  const plain = path.replaceAll("\\", "/");
  const prefix = `${root.replaceAll("\\", "/")}/`;
  const below = plain.startsWith(prefix) ? plain.slice(prefix.length) : plain;
  const [, inPackage] = /(?:^|\/)src\/[^/]+\/(?:java|kotlin|groovy|scala)\/(.+)$/.exec(below) ?? [];
  if (inPackage === undefined || /(?:^|\/)src\/main\//.test(below)) return [];
  const [, name] = /^(.+)\.(?:java|kts?|groovy|scala)$/.exec(inPackage) ?? [];
  const dotted = (name ?? inPackage).replace(/\/+$/, "").replaceAll("/", ".");
  if (!/^[\w$.]+$/.test(dotted)) return [];
  if (name !== undefined) return [dotted];
  return [tool === "maven" ? `${dotted.replaceAll(".", "/")}/**/*` : `${dotted}.*`];
}

/** Returns patterns for tests whose class or name contains the filter's text. If classes were chosen, only the test's name must match. */
function namePatterns(filter: string, classes: readonly string[]): readonly string[] {
  // Replace other characters, which would act as pattern syntax.
  const text = `*${filter.replace(/[^\w$]+/g, "*")}*`.replace(/\*+/g, "*");
  return classes.length === 0 ? [text, `*#${text}`] : classes.map((name) => `${name}#${text}`);
}
