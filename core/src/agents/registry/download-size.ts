import { asObject } from "../../base/rpc/json.js";
import { agentTable } from "./agent-table.js";
import type { InstallPlan } from "./start-plan.js";
import { parseNpmPackage } from "./package-request.js";

export type DownloadSize =
  | { readonly kind: "file"; readonly bytes: number }
  /** Approximate size including dependencies, from a list shipped with Symposium. */
  | { readonly kind: "about"; readonly bytes: number }
  /** Unpacked size of the package's own files, without dependencies. */
  | { readonly kind: "unpacked"; readonly bytes: number; readonly hasDependencies: boolean }
  | { readonly kind: "unknown" };

/** Returns the download size from Symposium's shipped list for a plan, without network requests. */
export function shippedSize(plan: InstallPlan): DownloadSize {
  if (plan.kind !== "npm") return { kind: "unknown" };
  const request = parseNpmPackage(plan.package);
  return "name" in request ? shippedPackageSize(request.name) : { kind: "unknown" };
}

export function shippedPackageSize(name: string): DownloadSize {
  const megabytes = agentTable.find(({ npmPackage }) => npmPackage === name)?.downloadMegabytes;
  return megabytes === undefined ? { kind: "unknown" } : { kind: "about", bytes: megabytes * 1_000_000 };
}

/** Extracts the size of `version` from the JSON output of `npm view NAME version dist.unpackedSize dependencies … --json`. */
export function viewedSize(viewed: unknown, version: string): DownloadSize {
  const all = (Array.isArray(viewed) ? viewed : [viewed]).map(asObject);
  const release = all.find((one) => one?.["version"] === version);
  const bytes = release?.["dist.unpackedSize"];
  if (typeof bytes !== "number") return { kind: "unknown" };
  const groups = [release?.["dependencies"], release?.["optionalDependencies"]];
  return {
    kind: "unpacked",
    bytes,
    hasDependencies: groups.some((group) => Object.keys(asObject(group) ?? {}).length > 0),
  };
}

export function sizeWords(size: DownloadSize): string {
  switch (size.kind) {
    case "file":
      return byteCount(size.bytes);
    case "about":
      return `about ${Math.round(size.bytes / 1_000_000)} MB with dependencies`;
    case "unpacked": {
      const own = `${byteCount(size.bytes)} unpacked`;
      return size.hasDependencies ? `${own}, plus dependencies of unknown size` : own;
    }
    case "unknown":
      return "of unknown size";
  }
}

const units = ["kB", "MB", "GB", "TB"] as const;

/** Formats a size with decimal units, such as `34.2 MB`. */
export function byteCount(bytes: number): string {
  let amount = bytes / 1000;
  let unit: string = units[0];
  for (const larger of units.slice(1)) {
    if (amount < 999.95) break;
    amount /= 1000;
    unit = larger;
  }
  return `${amount.toFixed(1)} ${unit}`;
}
