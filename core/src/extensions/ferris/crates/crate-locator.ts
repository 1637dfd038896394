import { trustRemedy } from "../../../settings/trust/folder-trust.js";
import type { FerrisServices, SourceFolder } from "../services.js";
import type { CargoMetadata, CargoPackage, DeclaredDependency } from "./cargo-metadata.js";
import { crateFault, resolveCrate, type Workspace, WorkspaceCrates } from "./workspace-crates.js";
import {
  chooseLocked,
  type CrateOrigin,
  declaredDependencies,
  isRegistry,
  type LockedChoice,
  lockedPackages,
  originOf,
  originOfCrate,
} from "./choose-locked-version.js";
import { parseRequirement, type VersionRequirement } from "./crate-version.js";

/** Searchable parts of a crate. `tests` includes integration tests and benchmarks. */
export const searchAreas = ["src", "examples", "tests", "all"] as const;
export type SearchArea = (typeof searchAreas)[number];

/** A crate with local sources. */
export interface LocatedCrate {
  readonly name: string;
  readonly version: string;
  /** The reason for this version, as the rest of a sentence. */
  readonly why: string;
  readonly folder: SourceFolder;
  /** Root file of the library, else of a program, relative to the folder. */
  readonly rootFile: string | undefined;
  /** Crates that re-exports may lead to, at the locked versions if this crate is locked. */
  readonly dependencies: readonly CrateDependency[];
  /** Whether the sources never change; false for packages in local folders. */
  readonly isFixed: boolean;
}

type CrateDependency = Pick<DeclaredDependency, "name" | "rename" | "requirement">;

interface CrateQuestion {
  readonly crateName: string;
  /** Version requirement in cargo's syntax, or `latest`. */
  readonly version?: string | undefined;
  /** The session's folder, whose workspace determines the version. */
  readonly cwd: string;
}

interface Wish {
  readonly requirement?: VersionRequirement;
  /** Whether to ignore locked versions. */
  readonly isLatest: boolean;
}

interface ReadQuestion {
  readonly crateName: string;
  readonly wish: Wish;
  readonly cwd: string;
}

const nameForm = /^[A-Za-z][\w-]{0,63}$/;

/** Finds and remembers the sources of a crate at the version that a session uses. */
export class CrateLocator {
  readonly #workspaces: WorkspaceCrates;
  readonly #resolved = new Map<string, CargoPackage>();

  constructor(private readonly services: FerrisServices) {
    this.#workspaces = new WorkspaceCrates(services);
  }

  /** Throws an error for users if the crate, the version or cargo is missing. */
  async locate(question: CrateQuestion, signal: AbortSignal): Promise<LocatedCrate> {
    const { crateName, cwd } = question;
    if (!nameForm.test(crateName)) {
      throw crateFault(
        `${JSON.stringify(crateName)} isn't a valid crate name.`,
        "Crate names contain only letters, digits, - and _.",
      );
    }
    return this.#locate({ crateName, cwd, wish: wishOf(question.version) }, signal, true);
  }

  async #locate(question: ReadQuestion, signal: AbortSignal, mayForget: boolean): Promise<LocatedCrate> {
    const { crateName, wish, cwd } = question;
    const workspace = await this.#workspaceAt(question, signal);
    const metadata = workspace.kind === "locked" && !wish.isLatest ? workspace.metadata : undefined;
    const locked = metadata && chooseLocked(metadata, crateName, wish.requirement);
    if (!locked) return this.#resolve(question, workspace, signal);
    const isThere = (await this.services.fileStamp(locked.package.manifestPath)) !== undefined;
    if (isThere) return this.#toCrate(locked.package, locked.why, lockedDependencies(metadata, locked.package));
    if (!mayForget) return this.#fetchLocked(locked, metadata, question, signal);
    // The sources were deleted, so let cargo unpack or download them again.
    this.#workspaces.forget(cwd);
    return this.#locate(question, signal, false);
  }

  /** Downloads a locked crate whose sources are missing, for example in a folder without trust, in which cargo doesn't run. */
  async #fetchLocked(
    { package: { name, version, source }, why }: LockedChoice,
    metadata: CargoMetadata,
    { cwd }: ReadQuestion,
    signal: AbortSignal,
  ): Promise<LocatedCrate> {
    if (!isRegistry(source)) {
      throw crateFault(
        `"${name}" comes from ${source ?? "a local folder"}, but its sources weren't found in the expected place.`,
        trustRemedy(cwd),
      );
    }
    return this.#toCrate(await this.#resolveOnce(originOfCrate(metadata, name), `=${version}`, cwd, signal), why);
  }

  async #workspaceAt({ cwd, wish }: ReadQuestion, signal: AbortSignal): Promise<Workspace> {
    try {
      return await this.#workspaces.at(cwd, signal);
    } catch (fault) {
      if (signal.aborted || (!wish.requirement && !wish.isLatest)) throw fault;
      return this.#workspaces.manifestsAt(cwd, signal);
    }
  }

  async #resolve(question: ReadQuestion, workspace: Workspace, signal: AbortSignal): Promise<LocatedCrate> {
    const { crateName, wish, cwd } = question;
    const unlocked = workspace.kind === "unlocked" && !wish.isLatest ? workspace.metadata : undefined;
    const member = unlocked?.packages.find((one) => one.name === crateName);
    if (member && !wish.requirement) return this.#toCrate(member, "it is a package of this workspace");
    const declared = unlocked && declaredDependencies(unlocked, crateName)[0];
    if (declared && !wish.requirement && !isRegistry(declared.source)) {
      throw crateFault(
        `"${crateName}" comes from ${declared.source ?? "a local folder"}, but no Cargo.lock gives its version.`,
        "Run `cargo generate-lockfile` in the workspace.",
      );
    }
    const wanted = wish.requirement?.text ?? declared?.requirement ?? "*";
    const origin = originOfCrate(workspace.kind === "none" ? undefined : workspace.metadata, crateName);
    const found = await this.#resolveOnce(origin, wanted, cwd, signal);
    return this.#toCrate(found, reasonFor(question, declared?.requirement, workspace, origin));
  }

  async #resolveOnce(origin: CrateOrigin, wanted: string, cwd: string, signal: AbortSignal): Promise<CargoPackage> {
    const key = JSON.stringify([origin.name, origin.registryIndex, wanted, cwd]);
    const known = this.#resolved.get(key);
    if (known && (await this.services.fileStamp(known.manifestPath)) !== undefined) return known;
    const found = await resolveCrate(this.services, origin, wanted, cwd, signal);
    this.#resolved.set(key, found);
    return found;
  }

  async #toCrate(
    found: CargoPackage,
    why: string,
    dependencies: readonly CrateDependency[] = found.dependencies,
  ): Promise<LocatedCrate> {
    const folder = this.services.openFolder(this.services.folderOf(found.manifestPath));
    const rootFile = found.rootFile === undefined ? undefined : await folder.relativeTo(found.rootFile);
    const { name, version, source } = found;
    return { name, version, why, folder, rootFile, dependencies, isFixed: source !== undefined };
  }
}

function lockedDependencies({ edges, packages }: CargoMetadata, { id }: CargoPackage): CrateDependency[] {
  return (edges.get(id) ?? []).flatMap((edge) => {
    const target = packages.find((one) => one.id === edge.id);
    return target ? [{ name: target.name, rename: edge.name, requirement: `=${target.version}` }] : [];
  });
}

function wishOf(version: string | undefined): Wish {
  const text = version?.trim() ?? "";
  if (text === "") return { isLatest: false };
  if (text === "latest") return { isLatest: true };
  const requirement = parseRequirement(text);
  if (requirement) return { requirement, isLatest: false };
  throw crateFault(
    `${JSON.stringify(text)} isn't a version requirement.`,
    'Write it as in Cargo.toml, such as "1.2", "=1.2.3" or ">=1, <3", or "latest".',
  );
}

function reasonFor(
  { crateName, wish }: ReadQuestion,
  declared: string | undefined,
  workspace: Workspace,
  { registryIndex }: CrateOrigin,
): string {
  const asked = wish.requirement?.text ?? declared;
  const newest = asked === undefined ? "it is the latest release" : `it is the newest that satisfies "${asked}"`;
  const chosen = registryIndex === undefined ? newest : `${newest} in the registry ${registryIndex}`;
  if (workspace.kind === "none") return `${chosen}. ${workspace.reason}`;
  if (workspace.kind === "unlocked") {
    const origin = declared !== undefined && !wish.requirement ? ", as the workspace's Cargo.toml requires" : "";
    return `${chosen}${origin}. No version is locked: ${workspace.reason}`;
  }
  const versions = lockedPackages(workspace.metadata, crateName).map((one) => one.version + originOf(one));
  if (versions.length === 0) return `${chosen}. The Cargo.lock of this workspace does not list this crate`;
  return `${chosen}. The Cargo.lock of this workspace has ${versions.join(", ")}`;
}
