import { asObject, Json, type Members, stringOf, stringsOf, textOf, objectsOf } from "../../../base/rpc/json.js";

/** A package as `cargo metadata` describes it. */
export interface CargoPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Such as `registry+https://…` or `git+https://…#commit`; undefined for packages in local folders. */
  readonly source: string | undefined;
  readonly manifestPath: string;
  /** The library's root file, else that of the first program; undefined when it has neither. */
  readonly rootFile: string | undefined;
  readonly dependencies: readonly DeclaredDependency[];
}

/** A dependency as a manifest declares it. */
export interface DeclaredDependency {
  readonly name: string;
  /** The name it goes by in the manifest, when that is another. */
  readonly rename: string | undefined;
  /** A version requirement, such as `^1.0`. */
  readonly requirement: string;
  /** As of {@link CargoPackage}. */
  readonly source: string | undefined;
}

/** What `cargo metadata` says of a workspace. */
export interface CargoMetadata {
  readonly workspaceRoot: string;
  readonly packages: readonly CargoPackage[];
  /** Ids of the packages that belong to the workspace. */
  readonly members: ReadonlySet<string>;
  /** By package id, what it depends on: the name it goes by in code, and the id. Empty for `--no-deps`. */
  readonly edges: ReadonlyMap<string, readonly { readonly name: string; readonly id: string }[]>;
}

/** Reads `cargo metadata --format-version 1`; undefined when the text is nothing of the kind. */
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
