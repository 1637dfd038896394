import { parse } from "jsonc-parser";
import { asObject, textOf } from "../../../base/rpc/json.js";
import { textsOf } from "./manifest.js";
import { type LockedPackage, type LockImporter, type NpmLock, splitAt, Wanted } from "./npm-lock.js";

interface BunEntry {
  readonly name: string;
  readonly version: string;
  readonly wanted: readonly string[];
}

/** Parses bun.lock. The binary bun.lockb of old versions isn't supported. */
export function parseBunLock(text: string): NpmLock | undefined {
  const root = asObject(parse(text, [], { allowTrailingComma: true }));
  const packages = asObject(root?.["packages"]);
  if (packages === undefined) return undefined;
  const entries = new Map<string, BunEntry>();
  for (const [key, value] of Object.entries(packages)) {
    const parts: readonly unknown[] = Array.isArray(value) ? value : [];
    const [name, version] = splitAt(textOf(parts[0]));
    const facts = parts.map(asObject).find((one) => one !== undefined);
    const wanted = ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((field) =>
      textsOf(facts?.[field]).map(([dependency]) => dependency),
    );
    entries.set(key, { name, version, wanted });
  }
  const workspaces = Object.entries(asObject(root?.["workspaces"]) ?? {}).map(([path, value]) => {
    const manifest = asObject(value);
    const fields = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
    const name = manifest?.["name"];
    return {
      path,
      key: path === "" || typeof name !== "string" ? "" : name,
      wanted: fields.flatMap((field) => textsOf(manifest?.[field]).map(([dependency]) => dependency)),
    };
  });
  return new BunLock(entries, workspaces);
}

class BunLock implements NpmLock {
  constructor(
    private readonly entries: ReadonlyMap<string, BunEntry>,
    private readonly workspaces: readonly {
      readonly path: string;
      readonly key: string;
      readonly wanted: readonly string[];
    }[],
  ) {}

  lockedFor(name: string, { path }: LockImporter): LockedPackage | undefined {
    const workspace = this.workspaces.find((one) => one.path === path);
    return this.#entryFor(name, workspace ? workspace.key : nestedKey(path));
  }

  versionsOf(name: string) {
    const wanted = new Wanted();
    const add = (dependencies: readonly string[], key: string, label: string): void => {
      for (const dependency of dependencies) {
        const found = this.#entryFor(dependency, key);
        if (found?.name === name) wanted.add(found.version, label);
      }
    };
    for (const { path, key, wanted: asked } of this.workspaces) add(asked, key, path === "" ? "this project" : path);
    for (const [key, entry] of this.entries) {
      if (entry.name === name) wanted.add(entry.version);
      add(entry.wanted, key, `${entry.name}@${entry.version}`);
    }
    return wanted.list();
  }

  /** Keys are package names. The key of a nested package starts with its parents' names. */
  #entryFor(name: string, key: string): BunEntry | undefined {
    for (let names = namesOf(key); ; names = names.slice(0, -1)) {
      const found = this.entries.get([...names, name].join("/"));
      if (found || names.length === 0) return found;
    }
  }
}

function nestedKey(path: string): string {
  const [, ...names] = `/${path}`.split("/node_modules/");
  return names.join("/");
}

/** Splits a key into package names. Keeps a scope and its name together, as in `@scope/name`. */
function namesOf(key: string): readonly string[] {
  return key === "" ? [] : (key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? []);
}
