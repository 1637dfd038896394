import { SymposiumError } from "../../base/symposium-error.js";

export interface PackageQuestion {
  /** An import as written in a file, or a package name. */
  readonly name: string;
  /** Absolute path of the importing file or folder. */
  readonly from: string;
  /** Absolute path of the session's folder, whose files may be read. */
  readonly workspace?: string;
}

/** Another version of the package that the project also uses. */
export interface OtherVersion {
  readonly version: string;
  /** Dependents of this version, as `name@version` or a project's folder. */
  readonly wantedBy: readonly string[];
}

/** The package that an importer's import resolves to. */
export interface InstalledPackage {
  readonly kind: "installed";
  readonly ecosystem: string;
  /** Real name of the package, which may differ from the imported name. */
  readonly name: string;
  readonly version: string;
  /** Absolute path of the package, possibly in a zip archive. */
  readonly folder: string;
  /** Paths in the folder that belong to the package; undefined if all files do. */
  readonly only?: readonly string[];
  /** Path of the import within the package, for example `fp/map`; empty for the main module. */
  readonly subpath: string;
  /** Sentences that explain why this version applies. */
  readonly why: readonly string[];
  /** Sentence that names the lock file's version, if the lock file lists another version for this importer. */
  readonly drift?: string;
  readonly others: readonly OtherVersion[];
  /** The separate package that contains the types, if there is one. */
  readonly types?: { readonly name: string; readonly version: string; readonly folder: string };
  /** Whether the files of this version never change; false for parts of the project. */
  readonly isFixed: boolean;
}

export interface AbsentPackage extends Pick<InstalledPackage, "ecosystem" | "name" | "why" | "others"> {
  readonly kind: "absent";
  /** Version in the lock file, which would be installed; otherwise the requested range. */
  readonly wanted?: string;
  /** Path of the import within the package. */
  readonly subpath?: string;
}

export type PackageAnswer = InstalledPackage | AbsentPackage;

/** A declaration in a package, with its location. */
export interface PackageItem {
  /** Path of the file, relative to the package's folder. */
  readonly file: string;
  /** Line of the declaration, counted from 1. */
  readonly line: number;
  /** The declaration's documentation and source text. */
  readonly text: string;
  /** Package that contains the item, if it isn't the requested one. */
  readonly of?: InstalledPackage;
}

/** Reader of one package ecosystem, for example npm, Python or Go. */
export interface PackageReader {
  readonly ecosystem: string;
  /** Names of files that mark a folder as part of the ecosystem. */
  readonly markers: readonly string[];
  /** Whether a file with this name can import packages of the ecosystem. */
  imports(file: string): boolean;
  /** Resolves an import to a package. Rejects with `package-unavailable` if `name` can't be an import. */
  resolve(question: PackageQuestion): Promise<PackageAnswer>;
  /** Returns the file that the import resolves to, as a path in the package or its types package. */
  entry(found: InstalledPackage): Promise<string | undefined>;
  /** Classifies a file by its path in the package. */
  kindOf(path: string): SourceKind;
  /** Returns the names that the imported module exports, sorted. */
  names(found: InstalledPackage): Promise<readonly string[]>;
  /** Finds the declarations of a symbol, such as `Router` or `Router.use`; empty if there are none. */
  items(found: InstalledPackage, symbol: string): Promise<readonly PackageItem[]>;
  /**
   * Returns a version's folder in the shared store of the ecosystem's package client; undefined if the store doesn't contain the version.
   */
  storedAt?(name: string, version: string): Promise<string | undefined>;
  /** Returns the command that package_fetch runs, for display. `version` is a version or a range without shell syntax. */
  fetchCommand(name: string, version: string | undefined): string;
}

export const sourceKinds = ["types", "source", "docs", "examples", "tests", "built", "other"] as const;
export type SourceKind = (typeof sourceKinds)[number];

/**
 * Creates an error about a package that can't be found or read. `message` must name the package, and `hint` must say how to fix the
 * problem.
 */
export function packageFault(message: string, hint: string): SymposiumError {
  return new SymposiumError("package-unavailable", message, hint);
}
