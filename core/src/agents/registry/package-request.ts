import type { InstallPlan } from "./start-plan.js";
import { maxSatisfying, minVersion, satisfies, validRange, valid } from "semver";
import { asObject, parsedObject, stringOf, stringsOf } from "../../base/rpc/json.js";
import { type Fault, fault } from "../../base/problem.js";

export interface PackageRequest {
  readonly name: string;
  readonly wanted?: string;
}

export interface NpmRelease {
  readonly version: string;
  readonly node: string | undefined;
}

const npmName = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i;
/** Valid version, range or tag of an npm package. Excludes URLs, folders and aliases, all of which contain `:` or `/`. */
const npmWanted = /^[\w.^~<>=|*+ -]+$/;

/** Parses `name`, `name@1.2.3`, `@scope/name@^1` or `name@tag`. */
export function parseNpmPackage(text: string): PackageRequest | Fault {
  const at = text.indexOf("@", 1);
  const name = at === -1 ? text : text.slice(0, at);
  const wanted = at === -1 ? "" : text.slice(at + 1).trim();
  if (!npmName.test(name) || (wanted !== "" && !npmWanted.test(wanted))) {
    return fault(
      `${JSON.stringify(text)} isn't a package in an npm registry.`,
      'Write it as "name" or "name@version"; addresses and folders can\'t be installed.',
    );
  }
  return wanted === "" ? { name } : { name, wanted };
}

/** Selects a release from the JSON output of `npm view NAME@WANTED version engines dist-tags --json`. */
export function pickNpmRelease(viewed: unknown): NpmRelease | undefined {
  const all = (Array.isArray(viewed) ? viewed : [viewed]).map(asObject).filter((release) => release !== undefined);
  const versions = all.map((release) => release["version"]).filter((version) => typeof version === "string");
  // Prefers the `latest` tag if it matches, as npm does.
  const latest = asObject(all[0]?.["dist-tags"])?.["latest"];
  const version =
    typeof latest === "string" && versions.includes(latest)
      ? latest
      : (maxSatisfying(versions, "*") ?? maxSatisfying(versions, "*", { includePrerelease: true }) ?? versions.at(-1));
  const picked = all.find((release) => release["version"] === version);
  if (version === undefined || picked === undefined) return undefined;
  const node = asObject(picked["engines"])?.["node"];
  return { version, node: stringOf(node) };
}

/** Returns the lowest major version in a Node version range. Undefined if the range is missing or invalid. */
export function lowestMajor(range: string | undefined): number | undefined {
  return range === undefined || validRange(range) === null ? undefined : minVersion(range)?.major;
}

/** Returns the newest stable version below `below` that runs on Node `own`, from the output of `npm view NAME@<BELOW …`. */
export function newestOnNode(viewed: unknown, below: string, own: string): string | undefined {
  const all = (Array.isArray(viewed) ? viewed : [viewed]).map(asObject);
  const running = all.flatMap((release) => {
    const node = asObject(release?.["engines"])?.["node"];
    const version = release?.["version"];
    return typeof version === "string" && runsOnNode(stringOf(node), own) ? [version] : [];
  });
  return maxSatisfying(running, `<${below}`) ?? undefined;
}

/** Whether Node `version` is in `range`. A missing or invalid range accepts every version. */
export function runsOnNode(range: string | undefined, version: string): boolean {
  if (range === undefined || validRange(range) === null) return true;
  return satisfies(version, range, { includePrerelease: true });
}

export function pickNpmProgram(manifest: unknown, packageName: string, program: string | undefined): string | Fault {
  const bin = asObject(manifest)?.["bin"];
  const unscoped = packageName.replace(/^@[^/]*\//, "");
  const listed = typeof bin === "string" ? { [unscoped]: bin } : (asObject(bin) ?? {});
  const programs = Object.entries(listed).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return pickProgram(programs, [program ?? unscoped], program !== undefined, packageName);
}

/** Selects the program with one of `names`. Otherwise returns the only program, unless the user requested a name. */
export function pickProgram(
  programs: readonly (readonly [name: string, value: string])[],
  names: readonly string[],
  isNamed: boolean,
  packageName: string,
): string | Fault {
  const chosen = programs.find(([name]) => names.includes(name));
  if (chosen) return chosen[1];
  const different = new Set(programs.map(([, value]) => value));
  const [only] = different;
  if (!isNamed && only !== undefined && different.size === 1) return only;
  if (programs.length === 0) return fault(`The package "${packageName}" contains no program.`, "It cannot be started.");
  const known = programs.map(([name]) => `"${name}"`).join(", ");
  return isNamed
    ? fault(`The package "${packageName}" contains no program "${names.join('" or "')}".`, `It contains ${known}.`)
    : fault(`The package "${packageName}" contains several programs.`, `Name one of them: ${known}.`);
}

const pythonPackage =
  /^([a-z0-9](?:[\w.-]*[a-z0-9])?)(\[[\w., -]+\])?\s*((?:===|==|~=|!=|<=|>=|<|>)[\w.*+!,<>=~ -]+|@[\w.+!-]+)?$/i;

export interface PythonRequest {
  readonly name: string;
  readonly packageName: string;
  /** Version specifier such as `==1.2`; empty for the latest version. */
  readonly specifier: string;
  readonly isFloating: boolean;
}

/** Parses `name`, `name[extra]`, `name==1.2`, `name>=1`, and uvx's `name@1.2`. */
export function parsePythonPackage(text: string): PythonRequest | Fault {
  const [, name, extras = "", version = ""] = pythonPackage.exec(text.trim()) ?? [];
  if (name === undefined) {
    return fault(
      `${JSON.stringify(text)} isn't a package in a Python index.`,
      'Write it as "name" or "name==version"; addresses and folders can\'t be installed.',
    );
  }
  const isFloating = version === "" || version === "@latest";
  const specifier = isFloating ? "" : version.replace(/^@/, "==");
  return { name, packageName: `${name}${extras}`, specifier, isFloating };
}

/** Reads a crate's version and programs from cargo's `.crates2.json` or `.crates.toml`. */
export function readCrateRecord(text: string, crate: string): { version: string; programs: string[] } | undefined {
  const entries = text.trimStart().startsWith("{") ? crates2Entries(text) : cratesTomlEntries(text);
  for (const [key, programs] of entries) {
    const [name, version] = key.split(" ");
    if (name === crate && version !== undefined) return { version, programs: [...programs] };
  }
  return undefined;
}

function crates2Entries(text: string): [string, string[]][] {
  return Object.entries(asObject(parsedObject(text)?.["installs"]) ?? {}).map(([key, value]) => {
    const bins = asObject(value)?.["bins"];
    return [key, stringsOf(bins)];
  });
}

function cratesTomlEntries(text: string): [string, string[]][] {
  return [...text.matchAll(/^"([^"]+)"\s*=\s*\[([^\]]*)\]/gm)].map(([, key = "", list = ""]) => [
    key,
    [...list.matchAll(/"([^"]*)"/g)].map(([, bin = ""]) => bin),
  ]);
}

export interface InstallRequest {
  /** Source of the installation: kind, package or URL, and program. A version from another source doesn't satisfy the request. */
  readonly source: string;
  readonly exact?: string;
  /** Required range or tag. Without `exact` and `wanted`, every version satisfies the request. */
  readonly wanted?: string;
}

/** Converts a plan to an install request. Never fails; the installation itself reports an invalid package. */
export function installRequest(plan: InstallPlan): InstallRequest {
  switch (plan.kind) {
    case "npm": {
      const request = parseNpmPackage(plan.package);
      if ("kind" in request) return { source: sourceText("npm", plan.package, plan.program) };
      return { source: sourceText("npm", request.name, plan.program), ...asked(request.wanted) };
    }
    case "pip": {
      const request = parsePythonPackage(plan.package);
      if ("kind" in request) return { source: sourceText("pip", plan.package, plan.program) };
      const source = sourceText("pip", request.packageName, plan.program);
      const exact = /^===?\s*([^*,\s]+)$/.exec(request.specifier)?.[1];
      if (exact !== undefined) return { source, exact };
      return request.isFloating ? { source } : { source, wanted: request.specifier };
    }
    case "cargo":
      return { source: sourceText("cargo", plan.crate, plan.program), ...asked(plan.version) };
    case "archive":
      return { source: sourceText("archive", plan.url, plan.program), exact: plan.version };
  }
}

interface InstalledSource {
  readonly version: string;
  readonly source: string;
  readonly wanted?: string;
}

/** Whether `installed` satisfies the request without network access. */
export function isSatisfied({ source, exact, wanted }: InstallRequest, installed: InstalledSource): boolean {
  if (installed.source !== source) return false;
  return exact === undefined ? wanted === installed.wanted : exact === installed.version;
}

function sourceText(kind: InstallPlan["kind"], name: string, program: string | undefined): string {
  return program === undefined ? `${kind} ${name}` : `${kind} ${name} ${program}`;
}

function asked(wanted: string | undefined): { readonly exact?: string; readonly wanted?: string } {
  if (wanted === undefined) return {};
  const exact = valid(wanted);
  return exact === null ? { wanted } : { exact };
}
