import { fileURLToPath } from "node:url";
import type { WatchPaths } from "../../../src/guard/node/sandbox/missing-paths.js";
import { SandboxWatcher } from "../../../src/guard/node/sandbox/sandbox-watcher.js";
import type { SelfCommand } from "../../../src/base/node/mcp-bridge/loopback-bridge.js";

/** Starts this product as its own programs do, for tests, whose script is another one. */
export const self: SelfCommand = {
  command: process.execPath,
  args: [fileURLToPath(new URL("../../../src/app/cli/main.js", import.meta.url))],
  env: {},
};

/** Watches sandboxes as a chain does, and keeps what is reported. */
export class Watched implements AsyncDisposable {
  readonly watcher = new SandboxWatcher(self);
  /** Paths that are new and run code later. */
  readonly appeared: string[] = [];
  /** Why sandboxes were ended, and by which paths. */
  readonly ended: { readonly reason: string; readonly path: string | undefined }[] = [];
  #settled: () => Promise<unknown> = () => Promise.resolve();

  readonly watch: WatchPaths = (missing) => {
    const made = this.watcher.follow(missing, {
      appeared: (path) => this.appeared.push(path),
      ended: (reason, path) => this.ended.push({ reason, path }),
    });
    this.#settled = () => made.settled();
    return made;
  };

  /** Resolves once all is reported of the sandbox that ended last. */
  settled(): Promise<unknown> {
    return this.#settled();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.watcher[Symbol.asyncDispose]();
  }
}
