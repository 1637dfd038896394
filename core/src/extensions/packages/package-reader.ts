import { SymposiumError } from "../../base/symposium-error.js";

/** What is asked about a package. */
export interface PackageQuestion {
  /** An import as it stands in a file, or the name of a package. */
  readonly name: string;
  /** Absolute path of the file or folder that imports it. */
  readonly from: string;
  /** The session's folder, absolute: what is in it may be read. */
  readonly workspace?: string;
}

/** A version of a package that is in the project besides the one that was asked about. */
export interface OtherVersion {
  readonly version: string;
  /** Who asks for it, as `name@version` or as the folder of a project. */
  readonly wantedBy: readonly string[];
}

/** A package as one importer gets it. */
export interface InstalledPackage {
  readonly kind: "installed";
  readonly ecosystem: string;
  /** Its own name, which may differ from the one that is imported. */
  readonly name: string;
  readonly version: string;
  /** Absolute path; may lie in a zip archive. */
  readonly folder: string;
  /** What of the folder belongs to it, as paths in it; everything when absent. */
  readonly only?: readonly string[];
  /** What the import names inside of the package, such as `fp/map`; empty for its main module. */
  readonly subpath: string;
  /** Why this version, sentence by sentence. */
  readonly why: readonly string[];
  /** What the lock file gives the same importer, where it names another version. */
  readonly drift?: string;
  readonly others: readonly OtherVersion[];
  /** The package with its types, where these are another one's. */
  readonly types?: { readonly name: string; readonly version: string; readonly folder: string };
  /** Its files never change under this version: it is no part of the project itself. */
  readonly isFixed: boolean;
}

/** A package that is not there. */
export interface AbsentPackage extends Pick<InstalledPackage, "ecosystem" | "name" | "why" | "others"> {
  readonly kind: "absent";
  /** The version that would be installed, where a lock file says so, else the range that is asked for. */
  readonly wanted?: string;
  /** What the import names inside of the package. */
  readonly subpath?: string;
}

export type PackageAnswer = InstalledPackage | AbsentPackage;

/** How an item is shown, and where it stands. */
export interface PackageItem {
  /** Path of the file in the package's folder. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Its documentation and its declaration. */
  readonly text: string;
  /** The package that has it, where that is another one. */
  readonly of?: InstalledPackage;
}

/** One world of packages: npm's, Python's, Go's. */
export interface PackageReader {
  readonly ecosystem: string;
  /** Files by whose names a folder belongs to it. */
  readonly markers: readonly string[];
  /** Whether files of this name import its packages. */
  imports(file: string): boolean;
  /** Rejects with a `package-unavailable` error when `name` can be no import of a package. */
  resolve(question: PackageQuestion): Promise<PackageAnswer>;
  /** The file that says what the import gives, as a path in the package, or in that of its types. */
  entry(found: InstalledPackage): Promise<string | undefined>;
  /** The kind of a file, by its path in the package. */
  kindOf(path: string): SourceKind;
  /** What the import gives, by name, sorted. */
  names(found: InstalledPackage): Promise<readonly string[]>;
  /** Where a symbol, such as `Router` or `Router.use`, is declared; empty when nowhere. */
  items(found: InstalledPackage, symbol: string): Promise<readonly PackageItem[]>;
  /** The folder of a version that lies where the ecosystem's own client keeps what projects share; undefined when none does. */
  storedAt?(name: string, version: string): Promise<string | undefined>;
  /** What package_fetch runs, for people; `version` is one, or a range without anything that a shell reads. */
  fetchCommand(name: string, version: string | undefined): string;
}

export const sourceKinds = ["types", "source", "docs", "examples", "tests", "built", "other"] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** A package that cannot be found or read: `message` names it, `hint` says what to try. */
export function packageFault(message: string, hint: string): SymposiumError {
  return new SymposiumError("package-unavailable", message, hint);
}
