import { access, constants } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runToEnd } from "../support/child.js";
import { conductorWords, shellWords, throughConductor } from "../support/conductor-command.js";
import { pathWith } from "../support/repository.js";
import { createRunFolder } from "../support/run-folder.js";

/** The conductor of the ACP project, in Rust: measured too where it is on PATH. */
const rustCommand = "agent-client-protocol-conductor";

/** One command line that is measured. */
export type Lane = readonly string[];

/** The command lines of every measure, before an agent with `agentArguments`. */
export interface Lanes {
  /** The agent alone. */
  direct(...agentArguments: readonly string[]): Lane;
  /** The command as it is released, with `proxies` programs. */
  ours(proxies?: number, ...agentArguments: readonly string[]): Lane;
  /** The command with `guard` set to one of its values. */
  guarded(guard: "rules" | "sandbox"): Lane;
  /** The command with all of its built-in proxies. */
  builtIn(...agentArguments: readonly string[]): Lane;
  /** The agent in the host, to which the command forwards messages. */
  hosted(): Lane;
  /** The same conductor, with `proxies` proxies in its process. */
  inProcess(proxies: number): Lane;
  /** The conductor in Rust, with `proxies` of its own pass-through programs; undefined where it is not on PATH. */
  readonly rust: ((proxies?: number, ...agentArguments: readonly string[]) => Lane) | undefined;
  /** Version that the Rust conductor reports. */
  readonly rustVersion: string | undefined;
}

/** Words by which a process is known to be the agent. */
export const agentProgram = programAt("bench-agent.js");

/** A program of the bench. */
export function programAt(name: string): string {
  return fileURLToPath(new URL(`programs/${name}`, import.meta.url));
}

/** PATH for everything that is measured: the Node that runs the bench comes first. */
export const benchPath = pathWithRunningNode();

function pathWithRunningNode(): string {
  return [dirname(process.execPath), pathWith()].join(delimiter);
}

export async function findLanes(): Promise<Lanes> {
  const agent = (agentArguments: readonly string[]): Lane => ["node", agentProgram, ...agentArguments];
  const proxy = shellWords(["node", programAt("bench-proxy.js")]);
  const rustVersion = await versionOfRust();
  return {
    direct: (...agentArguments) => agent(agentArguments),
    ours: (proxies = 0, ...agentArguments) => throughConductor(agent(agentArguments), repeated(proxy, proxies)),
    guarded: (guard) => [...conductorWords, "run-with", "--guard", guard, "--agent", shellWords(agent([]))],
    builtIn: (...agentArguments) => throughConductor(agent(agentArguments), ["defaults"]),
    hosted: () => [...conductorWords, "run-with", "--host", "--agent", shellWords(agent([]))],
    inProcess: (proxies) => ["node", programAt("conductor-with-proxies.js"), String(proxies), ...agent([])],
    rustVersion,
    rust:
      rustVersion === undefined
        ? undefined
        : (proxies = 0, ...agentArguments) => {
            const chain = repeated(shellWords([rustCommand, "proxy"]), proxies);
            return [rustCommand, "agent", ...chain, shellWords(agent(agentArguments))];
          },
  };
}

async function versionOfRust(): Promise<string | undefined> {
  if (!(await isOnPath(rustCommand))) return undefined;
  await using folder = await createRunFolder("bench");
  const options = { words: [rustCommand, "--version"], env: { ...folder.env, PATH: benchPath }, cwd: folder.workspace };
  const { stdout } = await runToEnd(options, 10_000);
  return stdout.trim();
}

async function isOnPath(name: string): Promise<boolean> {
  for (const folder of benchPath.split(delimiter)) {
    const isHere = await access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isHere) return true;
  }
  return false;
}

function repeated(word: string, count: number): readonly string[] {
  return Array.from({ length: count }, () => word);
}
