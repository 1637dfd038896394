import { parse } from "smol-toml";
import { asObject, stringOf, textOf } from "../../../base/rpc/json.js";
import { LockBuilder, type PythonLock } from "./locked-distributions.js";
import { pythonNameKey } from "../../../base/python-name-key.js";
import { isDistributionName } from "./python-name.js";

type Fields = Readonly<Record<string, unknown>>;

/** Parses uv.lock, poetry.lock, pdm.lock and pylock.toml, which all have a table per version. */
export function parseTomlLock(text: string): PythonLock | undefined {
  const root = asObject(parse(text));
  const list = root?.["package"] ?? root?.["packages"];
  if (!Array.isArray(list)) return undefined;
  const lock = new LockBuilder();
  for (const one of list) {
    const fields = asObject(one);
    const name = stringOf(fields?.["name"]);
    if (!fields || name === undefined || !isDistributionName(name)) continue;
    const version = textOf(fields["version"]);
    const isLocal = isFolder(fields);
    lock.add(pythonNameKey(name), { name, version, markers: markersOf(fields), ...(isLocal && { isLocal }) });
    const by = isLocal && isRoot(fields) ? "this project" : `${name}@${version}`;
    for (const { name: dependency, version: got } of dependenciesOf(fields)) {
      // Skip dependencies of a distribution on itself: an entry with an extra depends on the entry without the extra.
      if (pythonNameKey(dependency) !== pythonNameKey(name)) lock.want(pythonNameKey(dependency), by, got);
    }
  }
  return lock;
}

/** Returns an entry's markers. uv uses `resolution-markers`; other tools use `marker` or `markers`, some with one marker per group. */
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
  if (source?.["type"] === "directory" || asObject(fields["directory"]) !== undefined) return true;
  // pdm sets `path` for local distributions; archives may have a path too.
  const path = stringOf(fields["path"]);
  return path !== undefined && (fields["editable"] === true || !/\.(?:whl|zip|tgz|tar\.\w+)$/i.test(path));
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
    // Dependencies are usually a list of tables. poetry has a table by name, and pdm a list of requirements.
    if (!Array.isArray(list)) {
      for (const name of Object.keys(asObject(list) ?? {})) yield { name, version: undefined };
      continue;
    }
    for (const one of list) {
      const table = asObject(one);
      const name = typeof one === "string" ? /^[\w.-]+/.exec(one)?.[0] : stringOf(table?.["name"]);
      if (name !== undefined) yield { name, version: stringOf(table?.["version"]) };
    }
  }
}
