import type { Command } from "../settings/command.js";
import { commandOf } from "../settings/distribution-command.js";
import type { CargoDistribution, PackageDistribution } from "../settings/distribution.js";
import { fault } from "../settings/fault.js";
import type { Fault } from "../settings/fault.js";
import { archivePlanOf } from "./archive-plan.js";
import type { InstallPlan } from "./install-plan.js";
import { isNpmPackage, toPythonRequirement } from "./package-spec.js";
import type { Platform } from "./platform.js";
import type { RegistryEntry } from "./registry-entry.js";

/** What starting an entry takes: a program that can be started now, or one to install before. */
export type StartPlan =
  | { readonly kind: "command"; readonly command: Command }
  /** A subcommand of this product, which the caller finds. */
  | { readonly kind: "symposium"; readonly subcommand: string; readonly args: readonly string[] }
  | { readonly kind: "install"; readonly plan: InstallPlan };

const folderName = /^[a-z0-9][a-z0-9._-]{0,99}$/;
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;
const crateName = /^[A-Za-z0-9][\w-]*$/;
const programName = /^[A-Za-z0-9_][\w.+-]*$/;
const crateVersion = /^[0-9A-Za-z^~=<>*][\w.*^~=<>,+ -]*$/;

/** Whether a folder may be named after the id, on every system. */
export function isInstallableId(id: string): boolean {
  return folderName.test(id) && !deviceName.test(id) && !id.endsWith(".");
}

/**
 * How `entry` starts on `platform`: by the first of executable, symposium, npx, pipx, uvx, cargo and binary that its
 * distribution has. Installs and starts nothing. The fault says plainly why it cannot.
 */
export function planOf(entry: RegistryEntry, platform: Platform): StartPlan | Fault {
  const { executable, symposium, npx, pipx, uvx, cargo, binary } = entry.distribution;
  if (executable ?? symposium) return commandOf(entry.distribution);
  if (!isInstallableId(entry.id)) {
    return fault(
      `"${entry.id}" cannot be installed: its id is no name for a folder.`,
      "An id has lower-case letters, digits, dots, hyphens and underscores.",
    );
  }
  if (npx) return npmPlan(entry, npx);
  if (pipx) return pipPlan(entry, pipx, false);
  if (uvx) return pipPlan(entry, uvx, true);
  if (cargo) return cargoPlan(entry, cargo);
  if (binary) return archivePlanOf(entry, binary, platform);
  return fault(`"${entry.id}" names no way to start it.`);
}

function npmPlan(entry: RegistryEntry, { package: name, cmd, ...start }: PackageDistribution): StartPlan | Fault {
  if (!isNpmPackage(name)) return otherPackage(entry, name, "an npm package");
  if (cmd !== undefined && !programName.test(cmd)) return badProgram(entry, cmd);
  return install({ kind: "npm", ...shared(entry, start), package: name, ...program(cmd) });
}

function pipPlan(
  entry: RegistryEntry,
  { package: name, cmd, ...start }: PackageDistribution,
  prefersUv: boolean,
): StartPlan | Fault {
  const requirement = toPythonRequirement(name);
  if (requirement === undefined) return otherPackage(entry, name, "a Python package");
  if (cmd !== undefined && !programName.test(cmd)) return badProgram(entry, cmd);
  return install({ kind: "pip", ...shared(entry, start), package: requirement, ...program(cmd), prefersUv });
}

function cargoPlan(entry: RegistryEntry, { crate, version, binary, ...start }: CargoDistribution): StartPlan | Fault {
  if (!crateName.test(crate)) return fault(`"${entry.id}" cannot be installed: "${crate}" is not a crate's name.`);
  if (version !== undefined && !crateVersion.test(version)) {
    return fault(`"${entry.id}" cannot be installed: "${version}" is not a crate's version.`);
  }
  if (binary !== undefined && !programName.test(binary)) return badProgram(entry, binary);
  const wanted = version === undefined ? {} : { version };
  return install({ kind: "cargo", ...shared(entry, start), crate, ...wanted, ...program(binary) });
}

/** What its runner may still understand, such as a folder or a git address: for users to write, not for registries. */
function otherPackage(entry: RegistryEntry, name: string, kind: string): StartPlan | Fault {
  if (entry.origin === "custom" && !name.startsWith("-")) return commandOf(entry.distribution);
  return fault(`"${entry.id}" cannot be installed: "${name}" is not ${kind}.`);
}

function badProgram({ id }: RegistryEntry, name: string): Fault {
  return fault(`"${id}" cannot be installed: "${name}" is not a program's name.`);
}

interface Start {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function shared({ id }: RegistryEntry, { args = [], env = {} }: Start): Pick<InstallPlan, "id" | "args" | "env"> {
  return { id, args, env };
}

function program(name: string | undefined): { readonly program?: string } {
  return name === undefined ? {} : { program: name };
}

function install(plan: InstallPlan): StartPlan {
  return { kind: "install", plan };
}
