import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { processTree } from "../../../base/node/process-tree.js";
import { stopDivertedGit } from "./stop-diverted-git.js";
import { type Appeared, type WatchedPath, watchPaths } from "./missing-paths.js";

/** Request to the process that watches sandboxes. `id` identifies the sandbox. */
export type WatchRequest = { readonly id: number } & (
  | { readonly kind: "watch"; readonly pid: number; readonly paths: readonly (readonly [string, WatchedPath])[] }
  /** Announces the first process of the sandbox; `pid` is its process id. */
  | { readonly kind: "first"; readonly pid: number }
  | { readonly kind: "exited" }
);

export type WatchReport = { readonly id: number } & (
  | { readonly kind: "watching" }
  /** An entry has appeared at `path`. If `endReason` is set, the sandbox was ended because of the entry. */
  | { readonly kind: "appeared"; readonly path: string; readonly endReason?: string }
  /** All processes of the sandbox have ended and all their changes are reported. */
  | { readonly kind: "gone" }
);

/** Maximum milliseconds for a sandbox's processes to end after the first one, and milliseconds between checks. */
const endMs = 3_000;
const pollMs = 10;

/**
 * Watches the parent process's sandboxes and ends those in which git is redirected; if the parent exits, ends all sandboxes and then
 * itself. Runs in a process of its own, so that the parent's load can't delay it.
 */
export async function serveWatches(): Promise<void> {
  const sandboxes = new Map<number, WatchedSandbox>();
  const lookAtAll = (): void => {
    for (const sandbox of sandboxes.values()) sandbox.look();
  };
  process.on("message", (request: WatchRequest) => {
    const { id } = request;
    if (request.kind === "watch") {
      sandboxes.set(id, new WatchedSandbox(request, lookAtAll));
      report({ id, kind: "watching" });
    } else if (request.kind === "first") sandboxes.get(id)?.setFirst(request.pid);
    else {
      void sandboxes
        .get(id)
        ?.gone()
        .then(() => {
          sandboxes.delete(id);
          report({ id, kind: "gone" });
        });
    }
  });
  await once(process, "disconnect");
  await Promise.all([...sandboxes.values()].map((sandbox) => sandbox.end()));
}

class WatchedSandbox {
  readonly #pid: number;
  readonly #watch: ReturnType<typeof watchPaths>;
  #first: number | undefined;

  constructor({ id, pid, paths }: WatchRequest & { readonly kind: "watch" }, flooded: () => void) {
    this.#pid = pid;
    const appeared: Appeared = (path, found) => {
      const stopped = stopDivertedGit(path, pid, found);
      if (stopped === "harmless") return stopped;
      report({ id, kind: "appeared", path, ...stopped });
      return stopped && "again";
    };
    this.#watch = watchPaths(new Map(paths), appeared, flooded);
  }

  look(): void {
    this.#watch.look();
  }

  setFirst(pid: number): void {
    this.#first = pid;
  }

  /** Scans when the sandbox's process has exited, and again once the whole sandbox has ended. */
  async gone(): Promise<void> {
    this.#watch.look();
    const deadline = performance.now() + endMs;
    const left = this.#first;
    while (left !== undefined && isRunning(left) && performance.now() < deadline) await delay(pollMs);
    this.#watch.look();
    this.#watch[Symbol.dispose]();
  }

  async end(): Promise<void> {
    processTree(this.#pid, { isConfined: true }).kill();
    await this.gone();
  }
}

/** Sends a report to the parent process. Drops the report if the parent has exited. */
function report(message: WatchReport): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/**
 * Returns whether a process is running. A process that has exited may still be listed, as a zombie, until its parent collects its exit
 * status.
 */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
