import type { BinaryArchive, Distribution } from "../settings/distribution.js";
import { fault } from "../settings/fault.js";
import type { Fault } from "../settings/fault.js";
import { isSafeAddress } from "../settings/address.js";
import type { ArchivePlan } from "./install-plan.js";
import type { Platform } from "./platform.js";
import type { RegistryEntry } from "./registry-entry.js";

/** Programs to run by hand, which nothing can be unpacked from. */
const installer = /\.(?:dmg|pkg|deb|rpm|msi|msix|appimage)$/i;
const checksum = /^[a-f0-9]{64}$/i;
const folderName = /^[A-Za-z0-9][\w.+-]{0,99}$/;
/** Without `./` these are the system's, and the archive holds only their script. */
const interpreters = new Set(["node", "python", "python3", "java"]);

/** The archive of `platform`; a platform without one is a fault that lists the platforms that have one. */
export function archivePlanOf(
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

/** Whether a path of an archive stays in it, on every system: no root, drive, `..` or name of a stream. */
export function staysInside(path: string): boolean {
  const parts = path.split(/[\\/]/);
  return !/^[\\/]|[:\0]/.test(path) && !parts.includes("..") && !/^[.]?$/.test(parts.at(-1) ?? "");
}

function refusalOf({ archive, cmd, sha256 }: BinaryArchive, version: string): string | undefined {
  if (!isSafeAddress(archive)) return `"${archive}" is not an https address.`;
  if (installer.test(archive.split(/[?#]/)[0] ?? "")) return `"${archive}" is an installer, not an archive.`;
  if (interpreters.has(cmd.toLowerCase())) return `it wants to be run by the system's "${cmd}".`;
  if (!staysInside(cmd)) return `its program "${cmd}" is outside of its archive.`;
  if (sha256 !== undefined && !checksum.test(sha256)) return `its checksum "${sha256}" is not a SHA-256.`;
  if (!folderName.test(version) || version.endsWith(".")) return `its version "${version}" is no name for a folder.`;
  return undefined;
}

function noBuild(id: string, keys: readonly string[], wanted: string): Fault {
  const message = `${id} has no build for ${wanted}; it has: ${keys.length > 0 ? keys.join(", ") : "none"}.`;
  const plain = wanted.replace(/-musl$/, "");
  if (plain !== wanted && keys.includes(plain)) {
    return fault(message, `Its ${plain} build needs glibc, and this system has musl.`);
  }
  return fault(message, "Install it in another way and configure its command instead.");
}
