/** A program from the npm registry that tests run: never a dependency, always this exact version. */
export interface PinnedPackage {
  /** The npm name. */
  readonly package: string;
  readonly version: string;
  /** The command it puts into `node_modules/.bin`. */
  readonly command: string;
  /** The lowest major version of Node that runs it. */
  readonly nodeMajor: number;
  /** A script of the package, relative to `node_modules`, that has to run once after the install. */
  readonly setupScript?: string;
}

/** A package that is ready to run, or the reason why it is not. */
export type Installation =
  | { readonly kind: "installed"; readonly binFolder: string }
  | { readonly kind: "unavailable"; readonly reason: string };
