import { parseGoMod } from "../../base/go-mod.js";
import { pythonNameKey } from "../../base/python-name-key.js";
import { asObject, parsedValue } from "../../base/rpc/json.js";
import { fault, type Fault } from "../../base/problem.js";
import { TomlDocument } from "./toml-document.js";

/** Ecosystem of a package. Crates are missing because Cargo reports them. */
export type PackageKind = "npm" | "python" | "go" | "maven";

export interface NamedPackage {
  /** Package name, normalized by {@link packageKey}. For Maven and Gradle, `group:artifact`. */
  readonly name: string;
  /** Version or range as written. Undefined if the manifest defines it elsewhere. */
  readonly version: string | undefined;
  /** Whether only another package requires this package (`// indirect` in go.mod). */
  readonly isIndirect?: boolean;
}

export interface Manifest {
  readonly kind: PackageKind;
  readonly name?: string;
  readonly uses: readonly NamedPackage[];
  /** Value of `symposium` in package.json or `[tool.symposium]` in pyproject.toml. */
  readonly symposium?: unknown;
}

type Read = (text: string) => Manifest | Fault;

const readers: readonly (readonly [RegExp, Read])[] = [
  [/^package\.json$/, readPackageJson],
  [/^pyproject\.toml$/, readPyproject],
  [/^requirements(?:[-_.][\w-]+)?\.txt$/, readRequirements],
  [/^go\.mod$/, readGoMod],
  [/^pom\.xml$/, readPom],
  [/^build\.gradle(?:\.kts)?$/, readGradle],
  [/^libs\.versions\.toml$/, readVersionCatalogue],
];

/** Parses the manifest with this file name. Undefined if no manifest has this file name; never throws, and faults include a position. */
export function readManifest(fileName: string, text: string): Manifest | Fault | undefined {
  return readers.find(([pattern]) => pattern.test(fileName))?.[1](text);
}

export function isManifest(fileName: string): boolean {
  return readers.some(([pattern]) => pattern.test(fileName));
}

/** Normalizes a package name in the way that its package manager compares names (for Python: PEP 503). */
export function packageKey(kind: PackageKind, name: string): string {
  return kind === "python" ? pythonNameKey(name) : name;
}

const npmFields = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

function readPackageJson(text: string): Manifest | Fault {
  const value = parsedValue(text.replace(/^\uFEFF/, ""));
  if (value === undefined) return fault("it isn't valid JSON");
  const manifest = asObject(value) ?? {};
  const uses = npmFields.flatMap((field) => entriesOf("npm", manifest[field]));
  return { kind: "npm", ...namedBy(manifest["name"]), uses, ...spoken(manifest["symposium"]) };
}

function readPyproject(text: string): Manifest | Fault {
  const { value, problem } = TomlDocument.parse(text);
  if (!value) return fault(`line ${problem?.line ?? 1}: ${problem?.message ?? "it is empty"}`);
  const project = asObject(value["project"]) ?? {};
  const tool = asObject(value["tool"]) ?? {};
  const poetry = asObject(tool["poetry"]) ?? {};
  const groups = [project["optional-dependencies"], value["dependency-groups"]].flatMap((group) =>
    Object.values(asObject(group) ?? {}),
  );
  const poetryTables = [
    poetry["dependencies"],
    poetry["dev-dependencies"],
    ...Object.values(asObject(poetry["group"]) ?? {}).map((group) => asObject(group)?.["dependencies"]),
  ];
  const uses = [
    ...[project["dependencies"], ...groups].flatMap(requirementsOf),
    ...poetryTables.flatMap((table) => entriesOf("python", table)).filter(({ name }) => name !== "python"),
  ];
  return { kind: "python", ...namedBy(project["name"] ?? poetry["name"]), uses, ...spoken(tool["symposium"]) };
}

function readRequirements(text: string): Manifest {
  // In requirements.txt, a trailing backslash continues the line; a leading dash marks an option or another file.
  const lines = text.replace(/\\\r?\n/g, " ").split(/\r?\n/);
  return { kind: "python", uses: requirementsOf(lines.map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())) };
}

/** Parses PEP 508 requirements such as `httpx[http2]>=0.27; python_version > "3.8"`. */
function requirementsOf(list: unknown): NamedPackage[] {
  return (Array.isArray(list) ? list : []).flatMap((one: unknown) => {
    if (typeof one !== "string") return [];
    const [, name, rest = ""] = /^([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*([^;]*)/.exec(one) ?? [];
    if (name === undefined || /^[/\\:]/.test(rest)) return [];
    const version = rest
      .replace(/^\(|\)\s*$/g, "")
      .split(/\s--/, 1)[0]
      ?.trim();
    return [{ name: packageKey("python", name), version: version || undefined }];
  });
}

function readGoMod(text: string): Manifest {
  const { module, requires } = parseGoMod(text);
  const uses = requires.map(({ path, version, isIndirect }) => ({
    name: path,
    version,
    ...(isIndirect && { isIndirect }),
  }));
  return { kind: "go", ...namedBy(module || undefined), uses };
}

function readPom(text: string): Manifest {
  const plain = text.replace(/<!--[\s\S]*?-->/g, "");
  const uses = [...plain.matchAll(/<dependency>([\s\S]*?)<\/dependency>/g)].flatMap(([, block = ""]) => {
    const dependency = block.replace(/<exclusions>[\s\S]*?<\/exclusions>/g, "");
    const [group, artifact] = [elementOf(dependency, "groupId"), elementOf(dependency, "artifactId")];
    if (group === undefined || artifact === undefined) return [];
    return [{ name: `${group}:${artifact}`, version: elementOf(dependency, "version") }];
  });
  return { kind: "maven", uses };
}

function elementOf(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>\\s*([^<\\s]+)\\s*</${name}>`).exec(xml)?.[1];
}

/** Reads the packages in a Gradle build script. Build scripts are programs, so only literal coordinates are found. */
function readGradle(text: string): Manifest {
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
  const uses = [...plain.matchAll(/["']([\w.-]+):([\w.-]+)(?::([^"'@:]+))?[^"']*["']/g)].map(
    ([, group = "", artifact = "", version]) => ({ name: `${group}:${artifact}`, version }),
  );
  return { kind: "maven", uses };
}

function readVersionCatalogue(text: string): Manifest | Fault {
  const { value, problem } = TomlDocument.parse(text);
  if (!value) return fault(`line ${problem?.line ?? 1}: ${problem?.message ?? "it is empty"}`);
  const versions = asObject(value["versions"]) ?? {};
  const uses = Object.values(asObject(value["libraries"]) ?? {}).flatMap((library) => {
    if (typeof library === "string") {
      const [group, artifact, version] = library.split(":");
      return group && artifact ? [{ name: `${group}:${artifact}`, version }] : [];
    }
    const { module, group, name, version } = asObject(library) ?? {};
    const coordinates = typeof module === "string" ? module : `${textOf(group) ?? ""}:${textOf(name) ?? ""}`;
    if (!/^[^:]+:[^:]+$/.test(coordinates)) return [];
    const reference = textOf(asObject(version)?.["ref"]);
    return [{ name: coordinates, version: textOf(version) ?? (reference && textOf(versions[reference])) }];
  });
  return { kind: "maven", uses };
}

function entriesOf(kind: PackageKind, table: unknown): NamedPackage[] {
  return Object.entries(asObject(table) ?? {}).map(([name, given]) => ({
    name: packageKey(kind, name),
    version: textOf(given) ?? textOf(asObject(given)?.["version"]),
  }));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function namedBy(name: unknown): { readonly name?: string } {
  return typeof name === "string" ? { name } : {};
}

function spoken(symposium: unknown): { readonly symposium?: unknown } {
  return symposium === undefined ? {} : { symposium };
}
