import type { InstallPlan } from "./start-plan.js";
import { maxSatisfying, minVersion, satisfies, validRange, valid } from "semver";
import { asObject, parsedObject, stringOf, stringsOf } from "../../base/rpc/json.js";
import { type Fault, fault } from "../../base/problem.js";

/** A package's name and what is wanted of it: an exact version, a range, a tag, or nothing. */
export interface PackageRequest {
  readonly name: string;
  readonly wanted?: string;
}

/** What npm says of one version of a package. */
export interface NpmRelease {
  readonly version: string;
  /** The Node versions it runs on; undefined when it does not say. */
  readonly node: string | undefined;
}

const npmName = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i;
/** No address, folder or alias: none of them has a `:` or a `/` in front of it. */
const npmWanted = /^[\w.^~<>=|*+ -]+$/;

/** Reads `name`, `name@1.2.3`, `@scope/name@^1`, `name@tag`. */
export function parseNpmPackage(text: string): PackageRequest | Fault {
  const at = text.indexOf("@", 1);
  const name = at === -1 ? text : text.slice(0, at);
  const wanted = at === -1 ? "" : text.slice(at + 1).trim();
  if (!npmName.test(name) || (wanted !== "" && !npmWanted.test(wanted))) {
    return fault(
      `${JSON.stringify(text)} is no package of an npm registry.`,
      'Write it as "name" or "name@version"; addresses and folders are not installed.',
    );
  }
  return wanted === "" ? { name } : { name, wanted };
}

/** The release to take from the JSON that `npm view NAME@WANTED version engines dist-tags --json` printed. */
export function pickNpmRelease(viewed: unknown): NpmRelease | undefined {
  const all = (Array.isArray(viewed) ? viewed : [viewed]).map(asObject).filter((release) => release !== undefined);
  const versions = all.map((release) => release["version"]).filter((version) => typeof version === "string");
  // Like npm itself: what the publisher calls the latest, where it will do.
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

/** The major version that a range of Node versions begins with. */
export function lowestMajor(range: string | undefined): number | undefined {
  return range === undefined || validRange(range) === null ? undefined : minVersion(range)?.major;
}

/** The newest finished version below `below` that runs on Node `own`, from what `npm view NAME@<BELOW …` printed. */
export function newestOnNode(viewed: unknown, below: string, own: string): string | undefined {
  const all = (Array.isArray(viewed) ? viewed : [viewed]).map(asObject);
  const running = all.flatMap((release) => {
    const node = asObject(release?.["engines"])?.["node"];
    const version = release?.["version"];
    return typeof version === "string" && runsOnNode(stringOf(node), own) ? [version] : [];
  });
  return maxSatisfying(running, `<${below}`) ?? undefined;
}

/** Whether Node `version` is among those that a package names; what cannot be read excludes none. */
export function runsOnNode(range: string | undefined, version: string): boolean {
  if (range === undefined || validRange(range) === null) return true;
  return satisfies(version, range, { includePrerelease: true });
}

/** Which program of a package to start, as npx chooses; its path as the package spells it. */
export function pickNpmProgram(manifest: unknown, packageName: string, program: string | undefined): string | Fault {
  const bin = asObject(manifest)?.["bin"];
  const unscoped = packageName.replace(/^@[^/]*\//, "");
  const listed = typeof bin === "string" ? { [unscoped]: bin } : (asObject(bin) ?? {});
  const programs = Object.entries(listed).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return pickProgram(programs, [program ?? unscoped], program !== undefined, packageName);
}

/** One of `programs` (name and value): the one with one of `names`, else, unless the user named it, the only one. */
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
  if (programs.length === 0) return fault(`The package "${packageName}" brings no program.`, "It cannot be started.");
  const known = programs.map(([name]) => `"${name}"`).join(", ");
  return isNamed
    ? fault(`The package "${packageName}" brings no program "${names.join('" or "')}".`, `It brings ${known}.`)
    : fault(`The package "${packageName}" brings several programs.`, `Name one of them: ${known}.`);
}

const pythonPackage =
  /^([a-z0-9](?:[\w.-]*[a-z0-9])?)(\[[\w., -]+\])?\s*((?:===|==|~=|!=|<=|>=|<|>)[\w.*+!,<>=~ -]+|@[\w.+!-]+)?$/i;

/** A package of PyPI. */
export interface PythonRequest {
  readonly name: string;
  /** The name, with the extras that are wanted. */
  readonly packageName: string;
  /** Such as `==1.2`; empty where the latest will do. */
  readonly specifier: string;
  readonly isFloating: boolean;
}

/** Reads `name`, `name[extra]`, `name==1.2`, `name>=1`, and `name@1.2` as uvx has it. */
export function parsePythonPackage(text: string): PythonRequest | Fault {
  const [, name, extras = "", version = ""] = pythonPackage.exec(text.trim()) ?? [];
  if (name === undefined) {
    return fault(
      `${JSON.stringify(text)} is no package of a Python index.`,
      'Write it as "name" or "name==version"; addresses and folders are not installed.',
    );
  }
  const isFloating = version === "" || version === "@latest";
  const specifier = isFloating ? "" : version.replace(/^@/, "==");
  return { name, packageName: `${name}${extras}`, specifier, isFloating };
}

/** A crate's version and programs, from the `.crates2.json` or `.crates.toml` that cargo leaves in its root. */
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

/** What a plan asks for, apart from how it is started. */
export interface InstallRequest {
  /** Kind, package or address, and program: with another source the same version is something else. */
  readonly source: string;
  /** The only version that will do. */
  readonly exact?: string;
  /** The range or tag that will do. With neither of the two, whatever is there will do. */
  readonly wanted?: string;
}

/** Never fails: a package that cannot be read is found out when it is installed. */
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

/** What an installed version was made of, and as which it was asked for. */
interface InstalledSource {
  readonly version: string;
  readonly source: string;
  readonly wanted?: string;
}

/** Whether `installed` is what is asked for, so that nothing has to be fetched. */
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
