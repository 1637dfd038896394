import type { Command } from "../../base/command.js";
import { commandOf } from "../../settings/distribution-command.js";
import type {
  CargoDistribution,
  PackageDistribution,
  BinaryArchive,
  Distribution,
} from "../../settings/distribution.js";
import { fault, type Fault } from "../../base/problem.js";
import { isNpmPackage, toPythonRequirement } from "./package-spec.js";
import type { RegistryEntry } from "./registry-entry.js";
import { isSafeAddress } from "../../settings/address.js";

type StartPlan =
  | { readonly kind: "command"; readonly command: Command }
  /** Symposium subcommand; the caller locates the program. */
  | { readonly kind: "symposium"; readonly subcommand: string; readonly args: readonly string[] }
  | { readonly kind: "install"; readonly plan: InstallPlan };

const folderName = /^[a-z0-9][a-z0-9._-]{0,99}$/;
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;
const crateName = /^[A-Za-z0-9][\w-]*$/;
const programName = /^[A-Za-z0-9_][\w.+-]*$/;
const crateVersion = /^[0-9A-Za-z^~=<>*][\w.*^~=<>,+ -]*$/;

export function isInstallableId(id: string): boolean {
  return folderName.test(id) && !deviceName.test(id) && !id.endsWith(".");
}

/**
 * Plans how to start `entry` on `platform`. Uses the first available kind: executable, symposium, npx, pipx, uvx, cargo, binary. Installs
 * and starts nothing; the fault explains why the entry can't start.
 */
export function planOf(entry: RegistryEntry, platform: Platform): StartPlan | Fault {
  const { executable, symposium, npx, pipx, uvx, cargo, binary } = entry.distribution;
  if (executable ?? symposium) return commandOf(entry.distribution);
  if (!isInstallableId(entry.id)) {
    return fault(
      `"${entry.id}" cannot be installed: its id isn't a valid folder name.`,
      "An id may contain lower-case letters, digits, dots, hyphens and underscores.",
    );
  }
  if (npx) return npmPlan(entry, npx);
  if (pipx) return pipPlan(entry, pipx, false);
  if (uvx) return pipPlan(entry, uvx, true);
  if (cargo) return cargoPlan(entry, cargo);
  if (binary) return archivePlanOf(entry, binary, platform);
  return fault(`"${entry.id}" has no supported way to start.`);
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
  if (!crateName.test(crate)) return fault(`"${entry.id}" cannot be installed: "${crate}" isn't a valid crate name.`);
  if (version !== undefined && !crateVersion.test(version)) {
    return fault(`"${entry.id}" cannot be installed: "${version}" isn't a valid crate version.`);
  }
  if (binary !== undefined && !programName.test(binary)) return badProgram(entry, binary);
  const wanted = version === undefined ? {} : { version };
  return install({ kind: "cargo", ...shared(entry, start), crate, ...wanted, ...program(binary) });
}

/** Plans a package that only the runner supports, such as a folder or git URL. Users may name such packages, registries may not. */
function otherPackage(entry: RegistryEntry, name: string, kind: string): StartPlan | Fault {
  if (entry.origin === "custom" && !name.startsWith("-")) return commandOf(entry.distribution);
  return fault(`"${entry.id}" cannot be installed: "${name}" is not ${kind}.`);
}

function badProgram({ id }: RegistryEntry, name: string): Fault {
  return fault(`"${id}" cannot be installed: "${name}" isn't a valid program name.`);
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

/** Installers that the user must run; they can't be unpacked. */
const installer = /\.(?:dmg|pkg|deb|rpm|msi|msix|appimage)$/i;
const checksum = /^[a-f0-9]{64}$/i;
const versionFolderName = /^[A-Za-z0-9][\w.+-]{0,99}$/;
/** Names of interpreters. Without `./`, these names refer to system programs, and the archive contains only a script. */
const interpreters = new Set(["node", "python", "python3", "java"]);

function archivePlanOf(
  { id, name, version = "unversioned" }: RegistryEntry,
  archives: NonNullable<Distribution["binary"]>,
  { key }: Platform,
): { readonly kind: "install"; readonly plan: ArchivePlan } | Fault {
  const given = Object.hasOwn(archives, key) ? archives[key] : undefined;
  if (!given) return noBuild(id, Object.keys(archives), key);
  const refusal = refusalOf(given, version);
  if (refusal !== undefined) return fault(`${name} (${id}) cannot be installed: ${refusal}`);
  const { archive: url, cmd: program, args = [], env = {}, sha256 } = given;
  const pinned = sha256 === undefined ? {} : { sha256: sha256.toLowerCase() };
  return { kind: "install", plan: { kind: "archive", id, version, url, program, args, env, ...pinned } };
}

/** Whether an archive path stays inside the archive on every system: no root, drive, `..` or stream name. */
function staysInside(path: string): boolean {
  const parts = path.split(/[\\/]/);
  return !/^[\\/]|[:\0]/.test(path) && !parts.includes("..") && !/^[.]?$/.test(parts.at(-1) ?? "");
}

function refusalOf({ archive, cmd, sha256 }: BinaryArchive, version: string): string | undefined {
  if (!isSafeAddress(archive)) return `"${archive}" is not an https address.`;
  if (installer.test(archive.split(/[?#]/)[0] ?? "")) return `"${archive}" is an installer, not an archive.`;
  if (interpreters.has(cmd.toLowerCase()))
    return `its command is the system's "${cmd}" instead of a program in its archive.`;
  if (!staysInside(cmd)) return `its program "${cmd}" is outside its archive.`;
  if (sha256 !== undefined && !checksum.test(sha256)) return `its checksum "${sha256}" is not a SHA-256.`;
  if (!versionFolderName.test(version) || version.endsWith("."))
    return `its version "${version}" isn't a valid folder name.`;
  return undefined;
}

function noBuild(id: string, keys: readonly string[], wanted: string): Fault {
  const message = `${id} has no build for ${wanted}. Available: ${keys.length > 0 ? keys.join(", ") : "none"}.`;
  const plain = wanted.replace(/-musl$/, "");
  if (plain !== wanted && keys.includes(plain)) {
    return fault(message, `Its ${plain} build needs glibc, and this system has musl.`);
  }
  return fault(message, "Install it in another way and configure its command instead.");
}

/** Package to install before an agent or extension can start. Each id and version has its own folder. */
export type InstallPlan = NpmPlan | PipPlan | CargoPlan | ArchivePlan;

interface PlanBase {
  /** Id of the registry entry, matching `^[a-z0-9][a-z0-9._-]*$`; used as folder name. */
  readonly id: string;
  readonly args: readonly string[];
  /** Environment variables of the program, without variables that could hijack a process. */
  readonly env: Readonly<Record<string, string>>;
}

export interface NpmPlan extends PlanBase {
  readonly kind: "npm";
  /** Package name, optionally with `@` and an exact version, range or tag. */
  readonly package: string;
  /** Program to run from the package. If absent, its only program, or the program with the package's name. */
  readonly program?: string;
}

export interface PipPlan extends PlanBase {
  readonly kind: "pip";
  readonly package: string;
  readonly program?: string;
  /** Whether to use `uv` if available, because the entry specifies uvx; otherwise pip. */
  readonly prefersUv: boolean;
}

/** Crate, installed by `cargo binstall` if available, otherwise by `cargo install`. */
export interface CargoPlan extends PlanBase {
  readonly kind: "cargo";
  readonly crate: string;
  readonly version?: string;
  readonly program?: string;
}

export interface ArchivePlan extends PlanBase {
  readonly kind: "archive";
  readonly version: string;
  readonly url: string;
  /** Path of the program relative to the extraction root, as the registry writes it. */
  readonly program: string;
  /** SHA-256 in lower-case hexadecimal. If absent, the first download's digest is pinned. */
  readonly sha256?: string;
}

const systems: Readonly<Record<string, string>> = { darwin: "darwin", linux: "linux", win32: "windows" };
const architectures: Readonly<Record<string, string>> = { arm64: "aarch64", x64: "x86_64" };

export interface Platform {
  /** Platform name, such as `darwin-aarch64` or `linux-x86_64`, with the suffix `-musl` on musl. */
  readonly key: string;
}

/**
 * Converts Node's `process.platform` and `process.arch`. Musl has a separate key because glibc builds don't run there; unknown systems use
 * Node's names, which match no build.
 */
export function platformOf(system: string, architecture: string, isMusl = false): Platform {
  const key = `${systems[system] ?? system}-${architectures[architecture] ?? architecture}`;
  return { key: system === "linux" && isMusl ? `${key}-musl` : key };
}
