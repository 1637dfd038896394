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
