import type { Command } from "../../base/command.js";
import { defaultMaxLineBytes } from "../../base/line-splitter.js";
import { resolveCommand, systemLookup } from "../../base/node/resolve-command.js";
import { type Problem, Place } from "../../base/problem.js";
import { SymposiumError } from "../../base/symposium-error.js";
import { bundleFolder, copyProgram } from "../../sessions/host/node/copied-program.js";
import { askRemoteHost, type RemoteHost, remoteProcess } from "../../sessions/host/node/remote-process.js";
import {
  parsePlacement,
  placementNode,
  type Placement,
  placementShape,
  placementText,
  placementWords,
} from "../../settings/placement.js";
import { canChoose, confirms } from "./choices.js";
import { here } from "./options.js";
import { say } from "./output.js";
import type { ConductorStart } from "./servers-for-other-machine.js";

export interface MachineChoice {
  /** Value of `--on`. */
  readonly on?: string | undefined;
  /** Value of the setting `on`, not yet validated. */
  readonly configured?: unknown;
  /** Value of `--folder`. */
  readonly folder?: string | undefined;
}

/** Returns the chosen machine; undefined for this machine. Throws `invalid-arguments` or `invalid-config`. */
export function chosenMachine({ on, configured, folder }: MachineChoice): Placement | undefined {
  const isHere = on === here || (on === undefined && configured === undefined);
  if (isHere && folder !== undefined) {
    throw new SymposiumError("invalid-arguments", "--folder needs --on.", "Change to the folder instead.");
  }
  if (folder === "") throw new SymposiumError("invalid-arguments", "--folder needs a folder.");
  if (isHere) return undefined;
  if (on === undefined) return machineOfConfig(configured);
  const placement = parsePlacement(on);
  if (placement.kind === "problem") {
    throw new SymposiumError("invalid-arguments", placement.message, placement.hint);
  }
  return placement;
}

function machineOfConfig(value: unknown): Placement {
  const problems: Problem[] = [];
  const placement = placementShape.read(value, new Place(problems).child("on"));
  if (placement) return placement;
  const [problem] = problems;
  throw new SymposiumError("invalid-config", `config.jsonc: ${problem?.message ?? "invalid"}`, problem?.hint);
}

/** Returns how to reach the host on `placement`. */
export function remoteHost(placement: Placement, maxLineBytes: number): RemoteHost {
  return { name: placementText(placement), command: commandOf(placementWords(placement, start())), maxLineBytes };
}

/** Returns how to start conductors in a folder of another machine, whose agents may call the servers named in `shared`. */
export async function conductorStart(
  remote: RemoteHost,
  folder: string | undefined,
  shared: readonly string[],
): Promise<ConductorStart> {
  const start = remoteProcess(remote, folder);
  if (shared.length === 0) return { start, [Symbol.asyncDispose]: () => Promise.resolve() };
  return (await import("./servers-for-other-machine.js")).sharingServers(start, shared);
}

/** Asks the host on `placement` for its status as JSON. If Symposium isn't there, offers to copy this version in a terminal. */
export async function statusThere(placement: Placement, remote: RemoteHost): Promise<string> {
  try {
    return await askRemoteHost(remote);
  } catch (thrown) {
    const folder = bundleFolder();
    const canOffer = thrown instanceof SymposiumError && thrown.code === "not-installed" && folder !== undefined;
    if (!canOffer || !canChoose()) throw thrown;
    process.stderr.write(`${thrown.message}\n`);
    const question = `Copy this version to ~/.symposium/versions on ${remote.name}? It needs Node there.`;
    if (!(await confirms(question))) throw new SymposiumError("cancelled", "Nothing was copied.");
    await copyTo(placement, remote, folder);
    return askRemoteHost(remote);
  }
}

function copyTo(placement: Placement, remote: RemoteHost, folder: string): Promise<void> {
  return copyProgram(commandOf(placementNode(placement, start())), folder, remote.name);
}

/**
 * Prints the status of the host on another machine as JSON. If Symposium is missing there, copies this version with `mayCopy`, else prints
 * `{"missing": REASON}`.
 */
export async function printStatusThere(on: string, mayCopy: boolean): Promise<number> {
  const placement = chosenMachine({ on });
  if (!placement) throw new SymposiumError("invalid-arguments", "--on names no machine.");
  const remote = remoteHost(placement, defaultMaxLineBytes);
  const status = await askRemoteHost(remote).catch(async (thrown: unknown) => {
    const folder = bundleFolder();
    const isMissing = thrown instanceof SymposiumError && thrown.code === "not-installed" && folder !== undefined;
    if (!isMissing) throw thrown;
    if (!mayCopy) return JSON.stringify({ missing: thrown.message });
    await copyTo(placement, remote, folder);
    return askRemoteHost(remote);
  });
  return say(status.trim());
}

function commandOf([command, ...args]: readonly [string, ...string[]]): Command {
  return { command, args, env: {} };
}

function start(): { readonly engine: "podman" | "docker"; readonly folder: string } {
  const engine = isInstalled("podman") || !isInstalled("docker") ? "podman" : "docker";
  return { engine, folder: process.cwd() };
}

function isInstalled(program: string): boolean {
  return resolveCommand(program, systemLookup()) !== undefined;
}
