import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { processTree } from "../../../base/node/process-tree.js";
import { stopDivertedGit } from "./stop-diverted-git.js";
import { type Appeared, type WatchedPath, watchPaths } from "./missing-paths.js";

/** Sent to the process that watches. `id` names a sandbox. */
export type WatchRequest = { readonly id: number } & (
  | { readonly kind: "watch"; readonly pid: number; readonly paths: readonly (readonly [string, WatchedPath])[] }
  /** `pid` is the first process of the sandbox. */
  | { readonly kind: "first"; readonly pid: number }
  /** The process that was to be watched is gone. */
  | { readonly kind: "exited" }
);

/** Sent by the process that watches. */
export type WatchReport = { readonly id: number } & (
  | { readonly kind: "watching" }
  /** With `endReason`, the sandbox was ended because of the path. */
  | { readonly kind: "appeared"; readonly path: string; readonly endReason?: string }
  /** All processes of the sandbox are gone, and what they left is reported. */
  | { readonly kind: "gone" }
);

/** How long the processes of a sandbox may take to be gone after its own one, and how often that is looked at. */
const endMs = 3_000;
const pollMs = 10;

/**
 * Watches the sandboxes of the process that started this one, and ends those in which git is led elsewhere. It is a process of its own,
 * so that nothing which keeps its owner busy delays it. When the owner is gone, it ends all sandboxes, and then itself.
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

  /** Looks at what the process left, and again once all others of its sandbox are gone. */
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

/** What is said to an owner that is gone is lost. */
function report(message: WatchReport): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** Whether a process has not ended yet. One that has may still be listed, as a zombie, until its parent asks for it. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
