import { asObject, parsedObject } from "../../../base/rpc/json.js";
import { LockBuilder, type PythonLock } from "./locked-distributions.js";
import { pythonNameKey } from "../../../base/python-name-key.js";
import { isDistributionName } from "./python-name.js";

export function parsePipfileLock(text: string): PythonLock | undefined {
  const root = parsedObject(text);
  if (root === undefined || asObject(root["_meta"]) === undefined) return undefined;
  const lock = new LockBuilder();
  // Every member of Pipfile.lock except `_meta` is a group, usually `default` or `develop`.
  for (const [group, entries] of Object.entries(root)) {
    if (group === "_meta") continue;
    for (const [name, value] of Object.entries(asObject(entries) ?? {})) {
      const fields = asObject(value);
      if (!fields || !isDistributionName(name)) continue;
      const { version, markers, editable, path } = fields;
      const isLocal = editable === true || typeof path === "string";
      const pinned = typeof version === "string" ? version.replace(/^===?/, "") : "";
      const known = lock.distributions.get(pythonNameKey(name))?.some((one) => one.version === pinned) === true;
      if (known) continue;
      lock.add(pythonNameKey(name), {
        name,
        version: pinned,
        markers: typeof markers === "string" ? [markers] : [],
        ...(isLocal && { isLocal }),
      });
    }
  }
  return lock;
}

/** Parses pinned versions in requirements.txt: `name==version`, with extras, markers, hashes and line continuations. */
export function parseRequirements(text: string): PythonLock {
  const lock = new LockBuilder();
  for (const line of text.replace(/\\\r?\n/g, " ").split(/\r?\n/)) {
    const plain = line
      .replace(/\s+/g, " ")
      .replace(/(?:^| )#.*$/, "")
      .replace(/\s--hash[=\s]\S+/g, "")
      .trim();
    const [, name, version, marker] =
      /^([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?:\(\s*)?===?\s*([\w.!+]+)\s*\)?\s*(?:;(.*))?$/.exec(plain) ?? [];
    if (name === undefined || version === undefined || !isDistributionName(name)) continue;
    lock.add(pythonNameKey(name), { name, version, markers: marker === undefined ? [] : [marker.trim()] });
  }
  return lock;
}

/** Returns the files that a requirements.txt includes, relative to its folder. */
export function includedRequirements(text: string): readonly string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const file = /^\s*(?:-r|-c|--requirement|--constraint)[=\s]\s*([^\s#]+)/.exec(line)?.[1];
    return file === undefined || /^[a-z]+:|\$\{/i.test(file) ? [] : [file.replaceAll("\\", "/")];
  });
}

/** Parses conda-lock.yml, which lists packages per platform with the names of their dependencies. */
export function parseCondaLock(text: string): PythonLock | undefined {
  if (!/^package:/m.test(text)) return undefined;
  const lock = new LockBuilder();
  for (const entry of text
    .slice(text.search(/^package:/m))
    .split(/^- /m)
    .slice(1)) {
    const field = (name: string): string | undefined =>
      plainText(new RegExp(`^(?:  )?${name}:(.*)$`, "m").exec(entry)?.[1] ?? "");
    const [name, version, platform] = [field("name"), field("version"), field("platform")];
    if (name === undefined || version === undefined || !isDistributionName(name)) continue;
    lock.add(pythonNameKey(name), { name, version, markers: [], ...(platform !== undefined && { platform }) });
    const [, block = ""] = /^ {2}dependencies:[ \t]*\r?\n((?: {4,}.*(?:\r?\n|$))*)/m.exec(entry) ?? [];
    for (const [, dependency = ""] of block.matchAll(/^ {4}['"]?([\w.-]+)['"]?:/gm)) {
      // Skip virtual packages, whose names start with `__`; they stand for properties of the machine, such as its C library or processor.
      if (!dependency.startsWith("__")) lock.want(pythonNameKey(dependency), `${name}@${version}`);
    }
  }
  return lock;
}

/** Returns a text without its quotes; undefined if it's empty or has inner quotes. */
function plainText(text: string): string | undefined {
  const plain = text.trim().replace(/^['"]|['"]$/g, "");
  return plain === "" || /['"]/.test(plain) ? undefined : plain;
}

/** Parses pixi.lock. Conda packages are read from their archive names, and packages from a Python index from their fields. */
export function parsePixiLock(text: string): PythonLock | undefined {
  const start = text.search(/^packages:/m);
  if (start < 0) return undefined;
  const lock = new LockBuilder();
  for (const entry of text.slice(start).split(/^- /m).slice(1)) {
    const [, subfolder, name, version] =
      /^conda: \S*?(?:\/([\w-]+))?\/([^/\s]+)-([^-/\s]+)-[^-/\s]+\.(?:conda|tar\.bz2)/.exec(entry) ?? [];
    const own = /^ {2}name: (\S+)/m.exec(entry)?.[1];
    const version2 = /^ {2}version: ['"]?([^'"\s]+)/m.exec(entry)?.[1];
    const [distribution, got] = entry.startsWith("pypi:") ? [own, version2] : [own ?? name, version2 ?? version];
    if (distribution === undefined || got === undefined || !isDistributionName(distribution)) continue;
    const platform = subfolder === undefined || subfolder === "noarch" ? undefined : subfolder;
    lock.add(pythonNameKey(distribution), {
      name: distribution,
      version: got,
      markers: [],
      ...(platform !== undefined && { platform }),
    });
  }
  return lock;
}
