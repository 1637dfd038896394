import semver from "semver";
import { isImportPath } from "../../../base/go-mod.js";
import { packageFault } from "../package-reader.js";

/** Reads an import path as it stands in a file. Throws for what is none. */
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
    throw packageFault(`${shown} is no import path of Go.`, hint);
  }
  return path;
}

/** A path or version as folders of the module cache spell it, where file systems may not tell capitals from others. */
export function escapedName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

/** Below zero when `left` is older. Versions are `v1.2.3`, with what semver and Go append. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [semver.parse(left.replace(/^v/, "")), semver.parse(right.replace(/^v/, ""))];
  if (a && b) return a.compare(b);
  return (a ? 1 : 0) - (b ? 1 : 0);
}

/** What is left of `path` behind the module's, `""` for that itself; undefined when it is not in the module. */
export function inModule(path: string, module: string): string | undefined {
  if (path === module) return "";
  return path.startsWith(`${module}/`) ? path.slice(module.length + 1) : undefined;
}

/** Of an import path: no path that Go takes has more elements. */
const maxParts = 150;

/** An import path and those that it is in, the longest first: each may be that of its module. */
export function prefixesOf(path: string): readonly string[] {
  const prefixes: string[] = [];
  for (let end = path.length; end > 0 && prefixes.length < maxParts; end = path.lastIndexOf("/", end - 1))
    prefixes.push(path.slice(0, end));
  return prefixes;
}

/** The standard library's paths have no dot in their first element; neither have some modules of no registry. */
export function mayBeStandard(path: string): boolean {
  return !(path.split("/", 1)[0] ?? "").includes(".");
}
