import { asObject, Json, type Members, stringOf, stringsOf, textOf, objectsOf } from "../../../base/rpc/json.js";

export interface CargoPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** For example `registry+https://…` or `git+https://…#commit`; undefined for packages in local folders. */
  readonly source: string | undefined;
  readonly manifestPath: string;
  /** Root file of the library, else of the first program; undefined if there is neither. */
  readonly rootFile: string | undefined;
  readonly dependencies: readonly DeclaredDependency[];
}

export interface DeclaredDependency {
  readonly name: string;
  /** Name in the manifest, if it differs from the package name. */
  readonly rename: string | undefined;
  /** Version requirement, for example `^1.0`. */
  readonly requirement: string;
  /** Same format as {@link CargoPackage}. */
  readonly source: string | undefined;
}

export interface CargoMetadata {
  readonly workspaceRoot: string;
  readonly packages: readonly CargoPackage[];
  /** Ids of the workspace members. */
  readonly members: ReadonlySet<string>;
  /** Dependencies by package id, with their name in code and their id. Empty for `--no-deps`. */
  readonly edges: ReadonlyMap<string, readonly { readonly name: string; readonly id: string }[]>;
}

/** Parses `cargo metadata --format-version 1`; undefined if the text has another format. */
export function parseMetadata(text: string): CargoMetadata | undefined {
  const root = Json.ofText(text).object;
  const workspaceRoot = root?.["workspace_root"];
  if (root === undefined || typeof workspaceRoot !== "string") return undefined;
  const nodes = objectsOf(asObject(root["resolve"])?.["nodes"]);
  return {
    workspaceRoot,
    packages: objectsOf(root["packages"]).map(toPackage),
    members: new Set(stringsOf(root["workspace_members"])),
    edges: new Map(nodes.map((node) => [textOf(node["id"]), objectsOf(node["deps"]).map(toEdge)])),
  };
}

function toPackage(entry: Members): CargoPackage {
  return {
    id: textOf(entry["id"]),
    name: textOf(entry["name"]),
    version: textOf(entry["version"]),
    source: stringOf(entry["source"]),
    manifestPath: textOf(entry["manifest_path"]),
    rootFile: rootFileOf(objectsOf(entry["targets"])),
    dependencies: objectsOf(entry["dependencies"]).map((one) => ({
      name: textOf(one["name"]),
      rename: stringOf(one["rename"]),
      requirement: textOf(one["req"]),
      source: stringOf(one["source"]),
    })),
  };
}

function toEdge(entry: Members): { name: string; id: string } {
  return { name: textOf(entry["name"]), id: textOf(entry["pkg"]) };
}

const libraryKinds = new Set(["lib", "rlib", "dylib", "cdylib", "staticlib", "proc-macro"]);

function rootFileOf(targets: readonly Members[]): string | undefined {
  const library = targets.find((target) => stringsOf(target["kind"]).some((kind) => libraryKinds.has(kind)));
  const program = targets.find((target) => stringsOf(target["kind"]).includes("bin"));
  return stringOf((library ?? program)?.["src_path"]);
}
