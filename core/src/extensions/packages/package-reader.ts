import { SymposiumError } from "../../base/symposium-error.js";

export interface PackageQuestion {
  /** An import as written in a file, or a package name. */
  readonly name: string;
  /** Absolute path of the importing file or folder. */
  readonly from: string;
  /** Absolute path of the session's folder, which is readable. */
  readonly workspace?: string;
}

/** Another version of the package in the project. */
export interface OtherVersion {
  readonly version: string;
  /** Dependents, as `name@version` or a project's folder. */
  readonly wantedBy: readonly string[];
}

/** A package as one importer gets it. */
export interface InstalledPackage {
  readonly kind: "installed";
  readonly ecosystem: string;
  /** Real name, which may differ from the imported one. */
  readonly name: string;
  readonly version: string;
  /** Absolute path, possibly in a zip archive. */
  readonly folder: string;
  /** Paths in the folder that belong to the package; undefined means all. */
  readonly only?: readonly string[];
  /** Path of the import within the package, for example `fp/map`; empty for the main module. */
  readonly subpath: string;
  /** Reasons for this version, one per entry. */
  readonly why: readonly string[];
  /** Sentence about a lock file that names another version for this importer. */
  readonly drift?: string;
  readonly others: readonly OtherVersion[];
  /** The separate package with the types, if any. */
  readonly types?: { readonly name: string; readonly version: string; readonly folder: string };
  /** Whether the files of this version never change; false for parts of the project. */
  readonly isFixed: boolean;
}

export interface AbsentPackage extends Pick<InstalledPackage, "ecosystem" | "name" | "why" | "others"> {
  readonly kind: "absent";
  /** The locked version that would be installed, else the requested range. */
  readonly wanted?: string;
  /** Path of the import within the package. */
  readonly subpath?: string;
}

export type PackageAnswer = InstalledPackage | AbsentPackage;

/** A declaration and its place. */
export interface PackageItem {
  /** Path of the file in the package's folder. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Documentation and declaration. */
  readonly text: string;
  /** The package that contains the item, if it's another one. */
  readonly of?: InstalledPackage;
}

/** Reader of one package ecosystem, for example npm, Python or Go. */
export interface PackageReader {
  readonly ecosystem: string;
  /** Names of files that mark a folder as part of the ecosystem. */
  readonly markers: readonly string[];
  /** Whether a file with this name can import packages of the ecosystem. */
  imports(file: string): boolean;
  /** Rejects with `package-unavailable` if `name` can't be an import. */
  resolve(question: PackageQuestion): Promise<PackageAnswer>;
  /** Returns the file that the import resolves to, as a path in the package or its types package. */
  entry(found: InstalledPackage): Promise<string | undefined>;
  /** Classifies a file by its path in the package. */
  kindOf(path: string): SourceKind;
  /** Returns the imported names, sorted. */
  names(found: InstalledPackage): Promise<readonly string[]>;
  /** Finds the declarations of a symbol, such as `Router` or `Router.use`; empty if there are none. */
  items(found: InstalledPackage, symbol: string): Promise<readonly PackageItem[]>;
  /** Returns a version's folder in the shared store of the ecosystem's client; undefined if it isn't there. */
  storedAt?(name: string, version: string): Promise<string | undefined>;
  /** Returns the command of package_fetch for display. `version` is a version or a range without shell syntax. */
  fetchCommand(name: string, version: string | undefined): string;
}

export const sourceKinds = ["types", "source", "docs", "examples", "tests", "built", "other"] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** Creates an error about a package that can't be found or read. `message` must name the package, `hint` the remedy. */
export function packageFault(message: string, hint: string): SymposiumError {
  return new SymposiumError("package-unavailable", message, hint);
}
