import { asObject } from "../../base/rpc/json.js";
import { isNpmPackage, toPythonRequirement } from "../registry/package-spec.js";
import { plainText } from "../registry/registry-entry.js";
import { readPublishedDistribution } from "../registry/published-entry.js";
import { isInstallableId } from "../registry/start-plan.js";
import { isSafeAddress } from "../../settings/address.js";
import type { Distribution } from "../../settings/distribution.js";
import type { Place } from "../../base/problem.js";
import { describeValue } from "../../settings/shape.js";

export interface ExtensionSource {
  /** Key of the extension, such as `crate:foo`, which is identical in all recommendations of the extension. */
  readonly key: string;
  readonly id: string;
  readonly written: Readonly<Record<string, string>>;
  /** Absent if only the registry (`acp`) or a URL (`url`) defines the start command. */
  readonly distribution?: Distribution;
}

type ReadSource = (value: unknown, place: Place) => Omit<ExtensionSource, "written"> | null;

const crateName = /^[A-Za-z][\w-]{0,63}$/;

const kinds: Readonly<Record<string, ReadSource>> = {
  crate: readCrate,
  cargo: readCrate,
  acp: readNamed("acp", "an id of the ACP registry", isInstallableId),
  registry: readNamed("acp", "an id of the ACP registry", isInstallableId),
  url: readNamed("url", "an https address", (text) => isSafeAddress(text) && text === plainText(text, 2_000)),
  builtin: readBuiltIn,
  npx: readPackage("npx", isNpmPackage),
  pipx: readPackage("pipx", (text) => toPythonRequirement(text) !== undefined),
  uvx: readPackage("uvx", (text) => toPythonRequirement(text) !== undefined),
  local: readProgram,
  executable: readProgram,
  binary: readArchives,
};

/** Types of remote MCP servers. Nothing starts such a server, so no configuration entry can represent it. */
const remoteKinds: ReadonlySet<string> = new Set(["http", "sse"]);

/** Parses the `source` table, which must name exactly one source kind. Reports a problem and returns null otherwise. */
export function readSource(value: unknown, place: Place): ExtensionSource | null {
  const table = asObject(value);
  const known = Object.keys(kinds).join(", ");
  if (!table) return place.report(`${place.label} must be a table, got ${describeValue(value)}.`, `Known: ${known}.`);
  const names = Object.keys(table);
  const unknown = names.find((name) => !Object.hasOwn(kinds, name));
  if (unknown !== undefined) {
    const child = place.child(unknown);
    if (remoteKinds.has(unknown)) {
      return child.report(
        `${child.label} names a server by its address, but an extension must be a program that can be started.`,
        "Users add such servers to their editor or agent. You can recommend an extension that provides the server.",
      );
    }
    return child.report(`${child.label} is not known.`, `Known here: ${known}.`);
  }
  const [name = ""] = names;
  if (names.length !== 1) {
    const count = names.length === 0 ? "no extension" : `${names.length} extensions`;
    return place.report(`${place.label} names ${count}.`, `Write one of ${known}.`);
  }
  const read = kinds[name]?.(table[name], place.child(name)) ?? null;
  return read && named(read, table[name]);
}

/** Source for a shorthand entry such as `recommended = ["foo"]`. */
export function namedSource(kind: "crate" | "npx" | "uvx", value: unknown, place: Place): ExtensionSource | null {
  const read = kinds[kind]?.(value, place) ?? null;
  return read && named(read, value);
}

/** Strips version, extras and range from an npm or Python requirement. */
export function packageName(text: string): string {
  return /^@?[^@\s[=~!<>]+/.exec(text)?.[0] ?? text;
}

function named(read: Omit<ExtensionSource, "written">, value: unknown): ExtensionSource {
  const kind = read.key.slice(0, read.key.indexOf(":"));
  return { ...read, written: { [kind]: typeof value === "string" ? value : read.id } };
}

function readCrate(value: unknown, place: Place): Omit<ExtensionSource, "written"> | null {
  const crate = asObject(value)?.["crate"] ?? value;
  if (typeof crate !== "string" || !crateName.test(crate)) {
    return place.report(`${place.label} must be the name of a crate, got ${describeValue(crate)}.`);
  }
  const distribution = readPublishedDistribution({ cargo: asObject(value) ?? { crate } }, place);
  return distribution && { key: `crate:${crate}`, id: crate, distribution };
}

function readNamed(kind: string, wanted: string, isValid: (text: string) => boolean): ReadSource {
  return (value, place) => {
    if (typeof value === "string" && isValid(value)) return { key: `${kind}:${value}`, id: value };
    return place.report(`${place.label} must be ${wanted}, got ${describeValue(value)}.`);
  };
}

function readBuiltIn(value: unknown, place: Place): Omit<ExtensionSource, "written"> | null {
  if (typeof value !== "string" || !isInstallableId(value)) {
    return place.report(`${place.label} must be the name of a built-in extension, got ${describeValue(value)}.`);
  }
  const distribution = { symposium: { subcommand: "run-with", args: ["--proxy", value] } };
  return { key: `builtin:${value}`, id: value, distribution };
}

function readPackage(kind: "npx" | "pipx" | "uvx", isValid: (text: string) => boolean): ReadSource {
  return (value, place) => {
    const name = asObject(value)?.["package"] ?? value;
    if (typeof name !== "string" || !isValid(name)) {
      return place.report(`${place.label} must be the name of a package, got ${describeValue(name)}.`);
    }
    const distribution = readPublishedDistribution({ [kind]: asObject(value) ?? { package: name } }, place);
    return distribution && { key: `${kind}:${packageName(name)}`, id: packageName(name), distribution };
  };
}

function readProgram(value: unknown, place: Place): Omit<ExtensionSource, "written"> | null {
  const distribution = readPublishedDistribution({ executable: asObject(value) ?? { command: value } }, place);
  const program = distribution?.executable;
  if (!distribution || !program) return null;
  const words = [program.command, ...(program.args ?? [])];
  return { key: `executable:${JSON.stringify(words)}`, id: fileName(program.command), distribution };
}

function readArchives(value: unknown, place: Place): Omit<ExtensionSource, "written"> | null {
  const distribution = readPublishedDistribution({ binary: value }, place);
  const archives = Object.values(distribution?.binary ?? {});
  const [first] = archives;
  if (!distribution || !first) return null;
  return { key: `binary:${archives.map(({ archive }) => archive).join(" ")}`, id: fileName(first.cmd), distribution };
}

/** Returns the last segment of a POSIX or Windows path, without a Windows program extension. */
function fileName(path: string): string {
  const last = path.split(/[\\/]/).at(-1) ?? path;
  return plainText(last.replace(/\.(?:exe|cmd)$/i, "") || path, 100);
}
