import semver from "semver";
import { isImportPath } from "../../../base/go-mod.js";
import { packageFault } from "../package-reader.js";

/** Parses an import path as written in a file. Throws if it isn't valid. */
export function parseImportPath(text: string): string {
  const path = text.replace(/^["`](.*)["`]$/, "$1").replace(/\/$/, "");
  const shown = JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
  if (/^\.{0,2}\/|^\.{1,2}$/.test(path)) {
    throw packageFault(
      `${shown} is a folder, not a package.`,
      "Read the folder itself; packages are imported by path.",
    );
  }
  if (path === "C")
    throw packageFault(`"C" is cgo: no package has its sources.`, "Read the C headers that it includes.");
  if (!isImportPath(path)) {
    const hint = 'Give an import as in code, such as "net/http" or "golang.org/x/net/http2".';
    throw packageFault(`${shown} isn't a Go import path.`, hint);
  }
  return path;
}

/** Escapes a path or version as folders in the module cache do, for case-insensitive file systems. */
export function escapedName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

/** Returns a negative number if `left` is older. Versions are `v1.2.3` with the suffixes of semver and Go. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [semver.parse(left.replace(/^v/, "")), semver.parse(right.replace(/^v/, ""))];
  if (a && b) return a.compare(b);
  return (a ? 1 : 0) - (b ? 1 : 0);
}

/** Returns the part of `path` after the module's path, `""` for the module itself; undefined if `path` isn't in the module. */
export function inModule(path: string, module: string): string | undefined {
  if (path === module) return "";
  return path.startsWith(`${module}/`) ? path.slice(module.length + 1) : undefined;
}

/** Maximum elements of an import path, more than Go accepts. */
const maxParts = 150;

/** Returns an import path and its parents, longest first, as candidates for the module path. */
export function prefixesOf(path: string): readonly string[] {
  const prefixes: string[] = [];
  for (let end = path.length; end > 0 && prefixes.length < maxParts; end = path.lastIndexOf("/", end - 1))
    prefixes.push(path.slice(0, end));
  return prefixes;
}

/** Whether the first element has no dot, as in the standard library, but also in some unpublished modules. */
export function mayBeStandard(path: string): boolean {
  return !(path.split("/", 1)[0] ?? "").includes(".");
}
