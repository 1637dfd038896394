import { parse } from "smol-toml";
import { asObject } from "../../rpc/json.js";
import { LockBuilder, type PythonLock } from "./python-lock.js";
import { isDistributionName, normalName } from "./python-name.js";

type Fields = Readonly<Record<string, unknown>>;

/** Reads uv.lock, poetry.lock, pdm.lock and pylock.toml: all of them have a table for each version of a distribution. */
export function parseTomlLock(text: string): PythonLock | undefined {
  const root = asObject(parse(text));
  const list = root?.["package"] ?? root?.["packages"];
  if (!Array.isArray(list)) return undefined;
  const lock = new LockBuilder();
  for (const one of list) {
    const fields = asObject(one);
    const name = textOf(fields?.["name"]);
    if (!fields || name === undefined || !isDistributionName(name)) continue;
    const version = textOf(fields["version"]) ?? "";
    const isLocal = isFolder(fields);
    lock.add(normalName(name), { name, version, markers: markersOf(fields), ...(isLocal && { isLocal }) });
    const by = isLocal && isRoot(fields) ? "this project" : `${name}@${version}`;
    for (const { name: dependency, version: got } of dependenciesOf(fields)) lock.want(normalName(dependency), by, got);
  }
  return lock;
}

/** Of uv `resolution-markers`, of the others `marker` or `markers`, which may be one for each group. */
function markersOf(fields: Fields): readonly string[] {
  const forks: unknown = fields["resolution-markers"];
  if (Array.isArray(forks)) return forks.filter((one) => typeof one === "string");
  const marker = fields["marker"] ?? fields["markers"];
  if (typeof marker === "string") return [marker];
  return Object.values(asObject(marker) ?? {}).filter((one) => typeof one === "string");
}

function isFolder(fields: Fields): boolean {
  const source = asObject(fields["source"]);
  if (source && ["editable", "virtual", "directory", "workspace"].some((kind) => kind in source)) return true;
  return source?.["type"] === "directory" || asObject(fields["directory"]) !== undefined;
}

function isRoot(fields: Fields): boolean {
  const source = asObject(fields["source"]);
  return source?.["editable"] === "." || source?.["virtual"] === ".";
}

function* dependenciesOf(fields: Fields): Generator<{ readonly name: string; readonly version: string | undefined }> {
  const { dependencies } = fields;
  const groups = [asObject(fields["optional-dependencies"]), asObject(fields["dev-dependencies"])];
  const lists = [dependencies, ...groups.flatMap((group) => Object.values(group ?? {}))];
  for (const list of lists) {
    // A list of tables, of poetry a table by name, of pdm a list of requirements.
    if (!Array.isArray(list)) {
      for (const name of Object.keys(asObject(list) ?? {})) yield { name, version: undefined };
      continue;
    }
    for (const one of list) {
      const table = asObject(one);
      const name = typeof one === "string" ? /^[\w.-]+/.exec(one)?.[0] : textOf(table?.["name"]);
      if (name !== undefined) yield { name, version: textOf(table?.["version"]) };
    }
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
