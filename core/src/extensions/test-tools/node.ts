import { writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { realPlace } from "../../base/node/folders.js";
import { hasEntryNear } from "../../base/node/project-folders.js";
import { temporaryFolder } from "../../base/node/temporary-folder.js";
import type { Confined } from "../../base/node/confinement.js";
import type { Watchdog } from "../../base/node/orphan-watchdog.js";
import { createRunLog } from "../runs/node/run-log.js";
import { runProgram } from "../../base/runs/node/run-program.js";
import type { RunCommand } from "../../base/runs/run.js";
import { createEventFile } from "./node/event-file.js";
import { markers } from "./node/markers.js";
import type { ReporterFolder } from "./node/reporter-folder.js";
import type { TestServices } from "./project-runs.js";
import type { RunFile } from "./test-runner.js";

interface TestServicesOptions {
  /** Ends the started processes if this process is killed. */
  readonly watchdog: Watchdog;
  /** Sandbox in which test runners and checks run; by default, none. */
  readonly confined?: Confined | undefined;
  /** Environment that test runners inherit; by default, this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Symposium's test reporters by file name; by default, those bundled with the command. */
  readonly reporters?: Readonly<Record<string, string>>;
}

const terminationMs = 2_000;
const maxOutputBytes = 64 * 1024 * 1024;

/** Creates the services that run tests and checks on this machine. Project detection and reporters are loaded on the first tool call. */
export function testServices({ watchdog, confined, env = process.env, reporters }: TestServicesOptions): TestServices {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => name !== "NODE_TEST_CONTEXT"));
  let folder: Promise<ReporterFolder> | undefined;
  return {
    resolve: async (base, path) => realPlace(resolve(base, path)),
    projects: async (...asked) => (await import("./node/projects.js")).projects(...asked),
    hasProject: (folder) => hasEntryNear(folder, markers),
    nodeTests: async (path) => (await import("./node/projects.js")).nodeTests(path),
    run: ({ file, ...command }, limits) =>
      withFile(file, (path) => {
        const args = path === undefined ? command.args : command.args.map((word) => word.replace("{file}", path));
        const program = withOwnPath({ ...command, args }, own);
        return runProgram(program, limits, { watchdog, confined, env: own, terminationMs, maxOutputBytes });
      }),
    createLog: createRunLog,
    reporters: async () => {
      folder ??= import("./node/reporter-folder.js").then(({ ReporterFolder }) => new ReporterFolder(reporters));
      return (await folder).path();
    },
    eventFile: () => createEventFile(),
    newReports: async (below) => (await import("./node/jvm-projects.js")).newReports(below),
    [Symbol.asyncDispose]: async () => (await folder)?.[Symbol.asyncDispose](),
  };
}

/** Writes a file to a temporary folder, calls `use` with its path and then deletes the folder. */
async function withFile<T>(file: RunFile | undefined, use: (path: string | undefined) => Promise<T>): Promise<T> {
  if (file === undefined) return use(undefined);
  await using folder = await temporaryFolder("symposium-check-");
  await writeFile(join(folder.path, file.name), file.text);
  return await use(join(folder.path, file.name));
}

/** Appends the folder of Symposium's pytest plugin to the user's PYTHONPATH. */
function withOwnPath(command: RunCommand, env: NodeJS.ProcessEnv): RunCommand {
  const [ours, own] = [command.env["PYTHONPATH"], env["PYTHONPATH"]];
  if (ours === undefined || own === undefined || own === "") return command;
  return { ...command, env: { ...command.env, PYTHONPATH: `${own}${delimiter}${ours}` } };
}
