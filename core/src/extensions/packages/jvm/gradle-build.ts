import { parse } from "smol-toml";
import { asObject, stringsOf } from "../../../base/rpc/json.js";
import type { ModelDependency } from "./maven-models.js";

/** Dependencies of a Gradle build, as far as its files reveal them without being run. */
export interface GradleWishes {
  readonly dependencies: readonly ModelDependency[];
  /** Imported version lists: `platform(…)`. */
  readonly platforms: readonly ModelDependency[];
}

/** Libraries of a version catalog by accessor without `libs.`, and bundles of accessors. */
interface VersionCatalog {
  readonly libraries: ReadonlyMap<string, string>;
  readonly bundles: ReadonlyMap<string, readonly string[]>;
}

export const noCatalog: VersionCatalog = { libraries: new Map(), bundles: new Map() };

/** Parses a gradle.lockfile to versions by `group:artifact`. */
export function parseGradleLock(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, module, version] = /^([\w.-]+:[\w.-]+):([\w.+-]+)(?:=|$)/.exec(line.trim()) ?? [];
    if (module !== undefined && version !== undefined) found.set(module, version);
  }
  return found;
}

/** Parses gradle/libs.versions.toml. Throws if it isn't valid TOML. */
export function parseCatalog(text: string): VersionCatalog {
  const { versions, libraries, bundles } = parse(text);
  const named = asObject(versions) ?? {};
  const found = new Map<string, string>();
  for (const [alias, entry] of Object.entries(asObject(libraries) ?? {})) {
    const notation = typeof entry === "string" ? entry : notationOf(asObject(entry) ?? {}, named);
    if (notation !== undefined) found.set(accessorOf(alias), notation);
  }
  const lists = Object.entries(asObject(bundles) ?? {}).map(([alias, list]) => {
    const members = stringsOf(list);
    return [accessorOf(alias), members.map(accessorOf)] as const;
  });
  return { libraries: found, bundles: new Map(lists) };
}

function notationOf(entry: Readonly<Record<string, unknown>>, versions: Readonly<Record<string, unknown>>) {
  const { module, group, name, version } = entry;
  const ref = asObject(version)?.["ref"];
  const said = typeof ref === "string" ? versions[ref] : version;
  const rich = asObject(said);
  const plain = rich ? (rich["strictly"] ?? rich["require"] ?? rich["prefer"]) : said;
  const path = typeof module === "string" ? module : typeof group === "string" ? `${group}:${String(name)}` : undefined;
  return path === undefined ? undefined : typeof plain === "string" ? `${path}:${plain}` : path;
}

/** Scripts write the catalog names `foo-bar` and `foo_bar` as `foo.bar`. */
function accessorOf(alias: string): string {
  return alias.replace(/[-_]/g, ".");
}

/** Limit of dependencies, more than any real build script has. */
const maxWishes = 5_000;
const configuration =
  /\b(\w*(?:[iI]mplementation|[aA]pi|[cC]ompile|[rR]untime|[cC]ompileOnly|[rR]untimeOnly|[pP]rocessor|kapt|ksp))\b[ \t]*\(?[ \t]*((?:enforcedP|p)latform[ \t]*\(?[ \t]*)?/g;
const quoted = /^["']([\w.-]+):([\w.-]+)(?::([\w.+$ {}-]+))?(?::[\w.-]+)?(?:@\w+)?["']/;
const mapped =
  /^group[ \t]*[:=][ \t]*["']([\w.-]+)["'][ \t]*,[ \t]*name[ \t]*[:=][ \t]*["']([\w.-]+)["'](?:[ \t]*,[ \t]*version[ \t]*[:=][ \t]*["']([\w.+$ {}-]+)["'])?/;
const accessor = /^libs\.([\w.]+)/;

/** Parses a build script without running it, so computed values are missing. `properties` come from gradle.properties. */
export function parseGradleScript(
  text: string,
  file: string,
  catalog: VersionCatalog,
  properties: ReadonlyMap<string, string>,
): GradleWishes {
  const plain = withoutComments(text).replace(/(^|[\s;{}(])\/\/[^\n]*/g, "$1");
  const known = new Map([...properties, ...variablesIn(plain)]);
  const dependencies: ModelDependency[] = [];
  const platforms: ModelDependency[] = [];
  for (const found of plain.matchAll(configuration)) {
    if (dependencies.length + platforms.length > maxWishes) break;
    const [all, name = "", platform] = found;
    const rest = plain.slice(found.index + all.length, found.index + all.length + 400);
    const list = platform === undefined ? dependencies : platforms;
    for (const [group = "", artifact = "", said] of notationsAt(rest, catalog)) {
      const version = said?.replace(/\$\{?([\w.]+)\}?/g, (text, variable: string) => known.get(variable) ?? text);
      const isKnown = version !== undefined && /^[\w.+-]+$/.test(version) && !version.endsWith("+");
      const scope = /^(?:test|androidTest)/.test(name) ? "test" : "compile";
      const one = { group, artifact, scope, isOptional: false, exclusions: [], saidBy: file };
      list.push({ ...one, ...(isKnown && { version }) });
    }
  }
  return { dependencies, platforms };
}

/** Removes comments in one pass, even if many are unclosed. */
function withoutComments(text: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (let open = text.indexOf("/*"); open !== -1; open = text.indexOf("/*", at)) {
    const close = text.indexOf("*/", open + 2);
    if (close === -1) break;
    pieces.push(text.slice(at, open), " ");
    at = close + 2;
  }
  return pieces.join("") + text.slice(at);
}

function notationsAt(
  text: string,
  { libraries, bundles }: VersionCatalog,
): readonly (readonly (string | undefined)[])[] {
  const direct = quoted.exec(text) ?? mapped.exec(text);
  if (direct) return [direct.slice(1)];
  const path = accessor.exec(text)?.[1]?.replace(/\.get$|\.asProvider.*$/, "");
  if (path === undefined) return [];
  const members = path.startsWith("bundles.") ? (bundles.get(path.slice("bundles.".length)) ?? []) : [path];
  return members.flatMap((member) => {
    const parts = libraries.get(member)?.split(":");
    return parts ? [parts] : [];
  });
}

function variablesIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", value = ""] of text.matchAll(/\b(?:ext\.)?(\w+)[ \t]*=[ \t]*["']([\w.+-]{1,100})["']/g))
    found.set(name, value);
  for (const [, name = "", value = ""] of text.matchAll(
    /\bextra\[["'](\w+)["']\][ \t]*=[ \t]*["']([\w.+-]{1,100})["']/g,
  ))
    found.set(name, value);
  return found;
}

/** Parses the `name=value` lines of a properties file. */
export function parseProperties(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/^[ \t]*([\w.-]+)[ \t]*[=:](.*)$/gm)].map(([, name = "", value = ""]) => [name, value.trim()]),
  );
}
