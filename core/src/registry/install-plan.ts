/** What to install so that an agent or extension can start. One folder for each id and version holds it. */
export type InstallPlan = NpmPlan | PipPlan | CargoPlan | ArchivePlan;

interface PlanBase {
  /** Of the registry entry: `^[a-z0-9][a-z0-9._-]*$`. A folder is named after it. */
  readonly id: string;
  readonly args: readonly string[];
  /** Names that could hijack a process have been removed. */
  readonly env: Readonly<Record<string, string>>;
}

/** A package of npm, started by its own entry file with Node. */
export interface NpmPlan extends PlanBase {
  readonly kind: "npm";
  /** With an exact version, a range or a tag behind `@`, or none. */
  readonly package: string;
  /** Which of its programs; the only one, or the one named like the package, when absent. */
  readonly program?: string;
}

/** A package of PyPI, in a virtual environment of its own. */
export interface PipPlan extends PlanBase {
  readonly kind: "pip";
  readonly package: string;
  readonly program?: string;
  /** `uv` where the entry asks for uvx and it is there; else pip. */
  readonly prefersUv: boolean;
}

/** A crate, by `cargo binstall` where it is there, else `cargo install`. */
export interface CargoPlan extends PlanBase {
  readonly kind: "cargo";
  readonly crate: string;
  readonly version?: string;
  readonly program?: string;
}

/** An archive, or a raw program, behind an https address. */
export interface ArchivePlan extends PlanBase {
  readonly kind: "archive";
  readonly version: string;
  readonly url: string;
  /** Path of the program below the extraction root, as the registry spells it. */
  readonly program: string;
  /** Lower-case hexadecimal; pinned on first use when absent. */
  readonly sha256?: string;
}
