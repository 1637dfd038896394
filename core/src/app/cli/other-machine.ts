import { resolveCommand, systemLookup } from "../../base/node/resolve-command.js";
import { type Problem, Place } from "../../base/problem.js";
import { SymposiumError } from "../../base/symposium-error.js";
import type { RemoteHost } from "../../sessions/host/node/remote-process.js";
import {
  parsePlacement,
  type Placement,
  placementShape,
  placementText,
  placementWords,
} from "../../settings/placement.js";
import { here } from "./options.js";

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
  const engine = isInstalled("podman") || !isInstalled("docker") ? "podman" : "docker";
  const [command, ...args] = placementWords(placement, { engine, folder: process.cwd() });
  return { name: placementText(placement), command: { command, args, env: {} }, maxLineBytes };
}

function isInstalled(program: string): boolean {
  return resolveCommand(program, systemLookup()) !== undefined;
}
