import * as l10n from "@vscode/l10n";
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative, sep } from "node:path";
import { messageOf } from "@symposium-dev/core";
import { isInside } from "@symposium-dev/core/node";
import { defaultLimits, type SnapshotLimits, type TakenSnapshot } from "./folder-snapshots.js";
import { type GitFacts, gitFacts } from "./git-facts.js";
import { type HeldStore, holdStore, holdStoreWith, removeOldStores } from "./snapshot-stores.js";
import { SnapshotThread } from "./snapshot-thread.js";
import type { TreeChange, TreeEntry } from "./tree.js";

interface SnapshotsOptions {
  /** Absolute path of the extension's folder with the stores of all workspaces. */
  readonly stores: string;
  readonly script: string;
  /** Returns whether the user wants snapshots. Called before each snapshot. */
  readonly isWanted: () => boolean;
  readonly included: () => readonly string[];
  readonly onProblem: (text: string) => void;
  readonly limits?: SnapshotLimits;
  /** User's home folder; default: the system's. */
  readonly home?: string;
}

export interface FolderSnapshot {
  readonly root: string;
  readonly id: string;
}

interface OpenFolder {
  readonly held: HeldStore;
  readonly thread: SnapshotThread;
  readonly git: GitFacts;
}

export class Snapshots implements AsyncDisposable {
  readonly #folders = new Map<string, Promise<OpenFolder | undefined>>();
  readonly #told = new Set<string>();
  #isClosed = false;

  constructor(private readonly options: SnapshotsOptions) {}

  /**
   * Takes a snapshot. Returns undefined if snapshots are off, or after a reported error. Also skips folders that contain the user's home,
   * so that private files such as keys aren't copied.
   */
  async take(root: string): Promise<FolderSnapshot | undefined> {
    if (!this.options.isWanted()) return undefined;
    try {
      const folder = await this.#folder(root);
      if (!folder) return undefined;
      const taken = await folder.thread.call("take", { ...folder.git, included: this.options.included() });
      this.#tell(root, taken);
      if (taken.isFull) this.#clean(root, folder.thread);
      return { root, id: taken.id };
    } catch (error) {
      this.#tellOnce(l10n.t("Couldn't take a snapshot of {0}: {1}", root, messageOf(error)));
      return undefined;
    }
  }

  /** Returns the differences between a snapshot and the folder's latest one; undefined for an unknown snapshot. */
  async changesSince({ root, id }: FolderSnapshot): Promise<readonly TreeChange[] | undefined> {
    const folder = await this.#folder(root).catch(() => undefined);
    const changes = await folder?.thread
      .call("changes", id)
      .then((known) => known ?? this.#changesElsewhere(root, id, folder))
      .catch(() => undefined);
    if (folder && !changes)
      this.#tellOnce(
        l10n.t("Can't tell which files commands changed in {0} because the earlier snapshot is missing.", root),
      );
    return changes;
  }

  async content(hash: string): Promise<Uint8Array | undefined> {
    for (const opening of this.#folders.values()) {
      const folder = await opening.catch(() => undefined);
      const content = await folder?.thread.call("content", hash).catch(() => undefined);
      if (content) return content;
    }
    return undefined;
  }

  async lastKnown(path: string): Promise<TreeEntry | undefined> {
    for (const [root, opening] of this.#folders) {
      if (path === root || !isInside(path, root)) continue;
      const folder = await opening.catch(() => undefined);
      return folder?.thread.call("lastKnown", relative(root, path).split(sep).join("/")).catch(() => undefined);
    }
    return undefined;
  }

  /** Ends all threads; the stores stay on disk. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const folders = await Promise.allSettled(this.#folders.values());
    this.#folders.clear();
    const opened = folders.flatMap((folder) => (folder.status === "fulfilled" && folder.value) || []);
    await Promise.all(
      opened.map(async ({ thread, held }) => {
        await thread.close();
        await held.lock[Symbol.asyncDispose]();
      }),
    );
  }

  /** Searches for the snapshot in the stores of dead windows, and takes over the store that contains it. */
  async #changesElsewhere(root: string, id: string, { git }: OpenFolder): Promise<readonly TreeChange[] | undefined> {
    const { included, limits = defaultLimits, script, stores } = this.options;
    const held = this.#isClosed ? undefined : await holdStoreWith(stores, root, id);
    if (!held) return undefined;
    const thread = new SnapshotThread(script, { root, store: held.path, limits }, () => this.#ended(held.path, held));
    this.#folders.set(held.path, Promise.resolve({ held, thread, git }));
    await thread.call("take", { ...git, included: included() });
    return thread.call("changes", id);
  }

  #folder(root: string): Promise<OpenFolder | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    let opening = this.#folders.get(root);
    if (!opening) {
      opening = this.#open(root);
      this.#folders.set(root, opening);
      // Forget the failed attempt, so that the next turn tries again.
      opening.catch(() => this.#folders.delete(root));
    }
    return opening;
  }

  async #open(root: string): Promise<OpenFolder | undefined> {
    const { script, limits = defaultLimits, stores, home = homedir() } = this.options;
    if (isInside(await realpath(home).catch(() => home), await realpath(root))) return undefined;
    const [held, git] = await Promise.all([holdStore(stores, root), gitFacts(root)]);
    if (!held) return undefined;
    const thread = new SnapshotThread(script, { root, store: held.path, limits }, () => this.#ended(root, held));
    // Let the first request run before the cleanup.
    setImmediate(() => {
      this.#clean(root, thread);
      removeOldStores(stores).catch((error: unknown) =>
        this.#tellOnce(l10n.t("Couldn't remove old snapshots in {0}: {1}", stores, messageOf(error))),
      );
    });
    return { held, thread, git };
  }

  /** Releases the store of a thread that ended unexpectedly. The next turn starts a new thread. */
  #ended(root: string, { lock }: HeldStore): void {
    if (this.#isClosed) return;
    const ended = this.#folders.get(root);
    const forget = (): void => {
      if (this.#folders.get(root) === ended) this.#folders.delete(root);
    };
    lock[Symbol.asyncDispose]().then(forget, forget);
  }

  #clean(root: string, thread: SnapshotThread): void {
    thread
      .call("clean")
      .catch((error: unknown) =>
        this.#tellOnce(l10n.t("Couldn't remove old snapshots of {0}: {1}", root, messageOf(error))),
      );
  }

  #tell(root: string, { isCut, problem }: Pick<TakenSnapshot, "isCut" | "problem">): void {
    if (isCut)
      this.#tellOnce(
        l10n.t("{0} has too many files for snapshots. Changes by commands aren't detected in all of them.", root),
      );
    if (problem !== undefined)
      this.#tellOnce(
        l10n.t("Couldn't store files of {0} for restoring ({1}). Turns continue without them.", root, problem),
      );
  }

  #tellOnce(text: string): void {
    // When the window closes, its requests are aborted; don't report this as a problem.
    if (this.#isClosed || this.#told.has(text)) return;
    this.#told.add(text);
    this.options.onProblem(text);
  }
}

export function outermost(roots: readonly string[]): string[] {
  return roots.filter((root) => !roots.some((other) => other !== root && `${root}${sep}`.startsWith(join(other, sep))));
}
