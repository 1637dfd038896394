import type { RunCommand } from "../../base/runs/run.js";

/** How a project of Java, Kotlin or another language of the JVM is built, found without running anything. */
export interface JvmProject {
  readonly tool: "maven" | "gradle";
  /** The wrapper that the project has, absolute, else the tool's name. */
  readonly program: string;
  /** The folder that is built: the project's own, or the one above that names it as a module. Absolute. */
  readonly root: string;
  /** The project's folder from the root on, with "/" between its parts; empty for the root itself. */
  readonly module: string;
}

interface JvmSelection {
  /** Absolute, or from the root on; all tests when empty. */
  readonly paths: readonly string[];
  readonly filter?: string;
}

/** What runs tests of a project: all modules to their end, and nothing that waits for an answer. */
export function jvmTestCommand(project: JvmProject, { paths, filter }: JvmSelection, reporters: string): RunCommand {
  const chosen = paths.flatMap((path) => testsAt(path, project));
  if (project.tool === "maven") {
    const patterns = [...chosen, ...(filter === undefined ? [] : namePatterns(filter, chosen))];
    // With a name, only tests of that name in the chosen classes.
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

/** What compiles a project and its tests, and runs none. */
export function jvmCheckCommand(project: JvmProject): RunCommand {
  return project.tool === "maven"
    ? mavenCommand(project, ["test-compile"])
    : gradleCommand(project, [], ["testClasses"]);
}

function mavenCommand({ program, root, module }: JvmProject, words: readonly string[]): RunCommand {
  // Older ones have no option that keeps what is downloaded out of the output.
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
  // A process of Gradle's that stays would outlive its owner.
  const args = ["--console=plain", "--no-daemon", "--continue", ...options, path, ...words];
  return { command: program, args, cwd: root, env: {} };
}

/** The classes of tests that a path means, as patterns that both tools read; none for a folder that has them all. */
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

/** Tests whose class or own name has the text; of a class that is chosen already, those whose own name has it. */
function namePatterns(filter: string, classes: readonly string[]): readonly string[] {
  // What can stand in no name of a method would be read as part of the pattern.
  const text = `*${filter.replace(/[^\w$]+/g, "*")}*`.replace(/\*+/g, "*");
  return classes.length === 0 ? [text, `*#${text}`] : classes.map((name) => `${name}#${text}`);
}
