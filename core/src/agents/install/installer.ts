import { mkdir, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "../../base/logger.js";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { FileLock } from "../../base/node/file-lock.js";
import { shippedSize } from "../registry/download-size.js";
import { installRequest, type InstallRequest, isSatisfied } from "../registry/package-request.js";
import type { InstallPlan } from "../registry/start-plan.js";
import { ArchiveSource } from "./archive-source.js";
import { defaultArchiveLimits } from "../../base/node/archives/archive-tree.js";
import { CargoSource } from "./cargo-source.js";
import { healthProbe, type Probe, type ProbedRole } from "./health-probe.js";
import { toInstallFailure } from "../../base/node/install-failure.js";
import { folderBytes } from "../../base/node/folders.js";
import { InstallFolder, isFileWithin } from "./install-folder.js";
import { isInstallId, isVersionName } from "../../base/node/archives/name-rules.js";
import type { Installed } from "./install-place.js";
import type { InstallContext, OnProgress } from "../../base/node/archives/install-progress.js";
import type { Built, DownloadLimits, InstallPreview, InstallSource, InstallTools } from "./install-source.js";
import {
  digestKey,
  type InstalledVersion,
  type InstallState,
  pruned,
  versionIn,
  withCurrent,
  withPin,
} from "./install-state.js";
import { toInstalled } from "./installed.js";
import { NpmSource } from "./npm-source.js";
import { PipSource } from "./pip-source.js";

/** Last completed step of an installation. Interrupting it at any point leaves the old or the new version working. */
export type InstallPoint = "locked" | "resolved" | "built" | "published" | "probed" | "activated";

export interface InstallerOptions extends Omit<InstallTools, "limits"> {
  readonly folder: string;
  readonly logger: Logger;
  /** Check of an installed program. The default starts and initializes the program. */
  readonly probe?: Probe;
  /** Limits for downloading and unpacking. Default: 1 GiB download; 4 GiB and 200,000 entries unpacked. */
  readonly limits?: Partial<DownloadLimits>;
  /** Called at each step of an installation; an exception aborts the installation. */
  readonly atPoint?: (point: InstallPoint) => void | Promise<void>;
}

interface InstallOptions {
  /** Signal that aborts the installation, which then rejects with the signal's reason and leaves no files behind. */
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  readonly role?: ProbedRole;
}

/**
 * Installs agents and extensions into `FOLDER/ID/VERSION`, with one installation per id at a time on the whole machine. A version becomes
 * current only after it answered the probe, so a failed or killed installation leaves the earlier version in use. Runs no shell, and
 * downloads packages with the user's npm, pip, uv and cargo.
 */
export class Installer {
  readonly #tools: InstallTools;
  readonly #probe: Probe;

  constructor(private readonly options: InstallerOptions) {
    const limits = { maxDownloadBytes: 1024 ** 3, ...defaultArchiveLimits, ...options.limits };
    this.#tools = { ...options, limits };
    this.#probe = options.probe ?? healthProbe(options.startProcess);
  }

  /**
   * Installs `plan`, or reuses the current version without network access if that version satisfies the plan. A pinned version takes
   * precedence.
   */
  install(plan: InstallPlan, options: InstallOptions = {}): Promise<Installed> {
    return this.#perform(plan, options, false);
  }

  /** Installs the newest version that fits `plan`, even if another fitting version is installed. A pinned version takes precedence. */
  update(plan: InstallPlan, options: InstallOptions = {}): Promise<Installed> {
    return this.#perform(plan, options, true);
  }

  /** Collects facts about installing `plan` without downloading packages. Stops after `previewMs`. */
  async preview(plan: InstallPlan, signal: AbortSignal = never): Promise<InstallPreview> {
    const context = {
      signal: AbortSignal.any([signal, AbortSignal.timeout(previewMs)]),
      onProgress: () => undefined,
    };
    try {
      const preview = await sourceOf(plan, this.#tools).preview?.(tmpdir(), context);
      return preview ?? { size: shippedSize(plan) };
    } catch (thrown) {
      signal.throwIfAborted();
      this.options.logger.info("could not determine what would be installed", {
        id: plan.id,
        reason: messageOf(thrown),
      });
      return { size: shippedSize(plan) };
    }
  }

  async installed(id: string): Promise<Installed | undefined> {
    const folder = this.#folderOf(id);
    const state = await folder.readState();
    const current = versionIn(state, state.current);
    if (current === undefined || !(await isUsable(folder, current))) return undefined;
    return toInstalled(id, folder, current, state, this.options.node);
  }

  /** Current versions of all ids, sorted by id. Skips and logs ids that can't be read. */
  async list(): Promise<readonly Installed[]> {
    const names = await readdir(this.options.folder).catch(() => []);
    const found = await Promise.all(
      names
        .filter(isInstallId)
        .sort()
        .map((id) => this.#installedOrLogged(id)),
    );
    return found.filter((installed) => installed !== undefined);
  }

  /** Makes an installed version current and protects it from updates until {@link unpin}. */
  pin(id: string, version: string): Promise<Installed> {
    return this.#change(id, (state) => {
      const wanted = versionIn(state, version);
      if (wanted) return withPin(withCurrent(state, wanted), version);
      const known = state.versions.map((installed) => installed.version).join(", ");
      throw notInstalled(`${id} ${version}`, `Installed: ${known === "" ? "none" : known}.`);
    });
  }

  unpin(id: string): Promise<Installed> {
    return this.#change(id, (state) => withPin(state, undefined));
  }

  /** Restores the previous version and pins it, since the next installation would undo the rollback otherwise. */
  rollback(id: string): Promise<Installed> {
    return this.#change(id, (state) => {
      const previous = versionIn(state, state.previous);
      if (previous) return withPin(withCurrent(state, previous), previous.version);
      throw notInstalled(`A previous version of ${id}`, "Install the version you want.");
    });
  }

  /** Removes every version of `id` and its state. Returns false if nothing was installed. */
  async remove(id: string, signal?: AbortSignal): Promise<boolean> {
    const folder = this.#folderOf(id);
    await using _lock = await this.#lock(id, { signal: signal ?? never, onProgress: () => undefined });
    const isThere = (await readdir(folder.path).catch(() => [])).length > 0;
    await folder.remove();
    return isThere;
  }

  async holds(id: string): Promise<boolean> {
    return isInstallId(id) && (await readdir(this.#folderOf(id).path).catch(() => [])).length > 0;
  }

  async diskUse(): Promise<ReadonlyMap<string, number>> {
    const names = await readdir(this.options.folder).catch(() => []);
    const use = new Map<string, number>();
    for (const id of names.filter(isInstallId).sort()) use.set(id, await folderBytes(this.#folderOf(id).path));
    return use;
  }

  async #perform(plan: InstallPlan, options: InstallOptions, isUpdate: boolean): Promise<Installed> {
    const { id } = plan;
    const folder = this.#folderOf(id);
    const context = { signal: options.signal ?? never, onProgress: options.onProgress ?? (() => undefined) };
    const request = installRequest(plan);
    try {
      context.signal.throwIfAborted();
      const present = await this.#present(folder, plan, request, isUpdate);
      if (present) return present;
      await using _lock = await this.#lock(id, context);
      await this.#reach("locked");
      // Another process may have installed the version while this one waited for the lock.
      const presentNow = await this.#present(folder, plan, request, isUpdate);
      if (presentNow) return presentNow;
      const state = await folder.readState();
      await folder.sweep(state);
      const installed = await this.#installInto(folder, state, {
        plan,
        request,
        context,
        role: options.role ?? "agent",
      });
      context.onProgress({ step: "done", text: `${id} ${installed.version} is installed` });
      return installed;
    } catch (thrown) {
      context.signal.throwIfAborted();
      throw toInstallFailure(thrown, `"${id}" cannot be installed`);
    }
  }

  async #installInto(folder: InstallFolder, state: InstallState, job: Job): Promise<Installed> {
    const { plan, request, context } = job;
    const { signal } = context;
    const source = sourceOf(plan, this.#tools);
    const release = await source.resolve(this.options.folder, context);
    await this.#reach("resolved");
    signal.throwIfAborted();
    const known = versionIn(state, release.version);
    const isKnown = known?.source === request.source && (await isUsable(folder, known));
    const installed = isKnown ? { ...known, ...start(plan) } : await this.#build(folder, state, source, release, job);
    try {
      const next = pruned(withCurrent(withDigest(state, plan, installed.digest), asked(installed, request)));
      await folder.writeState(next);
      await this.#reach("activated");
      await folder.sweep(next);
      return toInstalled(plan.id, folder, installed, next, this.options.node);
    } catch (thrown) {
      // A version that didn't become current is never used again.
      await folder.sweep(await folder.readState().catch(() => state));
      throw thrown;
    }
  }

  async #build(
    folder: InstallFolder,
    state: InstallState,
    source: InstallSource,
    release: { readonly version: string | undefined },
    { plan, request, context, role }: Job,
  ): Promise<InstalledVersion & Pick<Built, "digest">> {
    const { signal, onProgress } = context;
    let place = await folder.stage();
    try {
      const built = await source.build(place, release, state, context);
      checkVersion(plan.id, built.version);
      if (!(await isFileWithin(place, built.launch.file)))
        throw new Error(`its program "${built.launch.file}" is missing`);
      await this.#reach("built");
      signal.throwIfAborted();
      const name = await folder.publish(place, built.version);
      place = folder.at(name);
      await this.#reach("published");
      const { version, launch, digest } = built;
      const installed = { version, folder: name, source: request.source, launch, ...start(plan) };
      onProgress({ step: "probe", text: `Starting ${plan.id} ${version}` });
      const { command } = toInstalled(plan.id, folder, installed, state, this.options.node);
      await this.#probe(plan.id, command, role, signal);
      await this.#reach("probed");
      signal.throwIfAborted();
      return { ...installed, ...(digest !== undefined && { digest }) };
    } catch (thrown) {
      await folder.discard(place);
      throw thrown;
    }
  }

  async #present(
    folder: InstallFolder,
    plan: InstallPlan,
    request: InstallRequest,
    isUpdate: boolean,
  ): Promise<Installed | undefined> {
    const state = await folder.readState();
    const current = versionIn(state, state.current);
    if (current === undefined || !(await isUsable(folder, current))) return undefined;
    const fits = isSatisfied(request, current);
    const isPinned = state.pinned === current.version;
    if (!isPinned && (!fits || (isUpdate && request.exact === undefined))) return undefined;
    // The registry may have changed the start arguments or environment of the program that is already installed.
    const started = fits ? { ...current, ...start(plan) } : current;
    return toInstalled(plan.id, folder, started, state, this.options.node);
  }

  async #change(id: string, change: (state: InstallState) => InstallState): Promise<Installed> {
    const folder = this.#folderOf(id);
    await using _lock = await this.#lock(id, { signal: never, onProgress: () => undefined });
    const state = await folder.readState();
    if (state.current === undefined) throw notInstalled(id, `Run \`symposium-acp-agent registry install ${id}\`.`);
    const next = change(state);
    const current = versionIn(next, next.current);
    if (current === undefined || !(await isUsable(folder, current))) {
      throw notInstalled(`${id} ${next.current ?? ""}`, "Its files are missing. Install it again.");
    }
    await folder.writeState(next);
    return toInstalled(id, folder, current, next, this.options.node);
  }

  async #installedOrLogged(id: string): Promise<Installed | undefined> {
    try {
      return await this.installed(id);
    } catch (thrown) {
      this.options.logger.warn("an installation cannot be read", { id, reason: messageOf(thrown) });
      return undefined;
    }
  }

  async #lock(id: string, { signal, onProgress }: InstallContext): Promise<AsyncDisposable> {
    await mkdir(this.options.folder, { recursive: true });
    const onWait = (): void => onProgress({ step: "resolve", text: `Waiting for another installation of ${id}` });
    return FileLock.take(join(this.options.folder, `.${id}`), { signal, onWait, waitMs: Infinity });
  }

  async #reach(point: InstallPoint): Promise<void> {
    this.options.logger.debug("reached an installation step", { point });
    await this.options.atPoint?.(point);
  }

  #folderOf(id: string): InstallFolder {
    if (isInstallId(id)) return new InstallFolder(join(this.options.folder, id));
    throw new SymposiumError("install-failed", `"${id}" cannot be installed: its id isn't a valid folder name.`);
  }
}

interface Job {
  readonly plan: InstallPlan;
  readonly request: InstallRequest;
  readonly context: InstallContext;
  readonly role: ProbedRole;
}

/** Time limit of a preview in milliseconds; short, because a question to the user follows. */
const previewMs = 15_000;
const never = new AbortController().signal;

function sourceOf(plan: InstallPlan, tools: InstallTools): InstallSource {
  switch (plan.kind) {
    case "npm":
      return new NpmSource(plan, tools);
    case "pip":
      return new PipSource(plan, tools);
    case "cargo":
      return new CargoSource(plan, tools);
    case "archive":
      return new ArchiveSource(plan, tools);
  }
}

function start({ args, env }: InstallPlan): Pick<InstalledVersion, "args" | "env"> {
  return { args, env };
}

function asked(
  { version, folder, source, launch, args, env }: InstalledVersion,
  { wanted }: InstallRequest,
): InstalledVersion {
  return { version, folder, source, launch, args, env, ...(wanted !== undefined && { wanted }) };
}

function withDigest(state: InstallState, plan: InstallPlan, digest: string | undefined): InstallState {
  if (digest === undefined || plan.kind !== "archive") return state;
  return { ...state, digests: { ...state.digests, [digestKey(plan.version, plan.url)]: digest } };
}

function isUsable(folder: InstallFolder, { folder: name, launch }: InstalledVersion): Promise<boolean> {
  return isFileWithin(folder.at(name), launch.file);
}

function checkVersion(id: string, version: string): void {
  if (isVersionName(version)) return;
  throw new SymposiumError("install-failed", `"${id}" cannot be installed: "${version}" isn't a valid folder name.`);
}

function notInstalled(what: string, hint: string): SymposiumError {
  return new SymposiumError("not-installed", `${what} is not installed.`, hint);
}
