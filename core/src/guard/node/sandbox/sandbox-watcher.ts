import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { SelfCommand } from "../../../base/node/mcp-bridge/loopback-bridge.js";
import { processTree } from "../../../base/node/process-tree.js";
import { startProgram } from "../../../base/node/start-program.js";
import type { SandboxWatch, WatchedPaths } from "./missing-paths.js";
import type { WatchReport, WatchRequest } from "./path-watcher-process.js";

/** Maximum milliseconds to wait for the last report on a sandbox, more than its processes need to end. */
const reportMs = 5_000;

interface WatchEvents {
  /** Reports that a new entry at `path` can run code later. */
  appeared(path: string): void;
  /** Reports that the sandbox was ended, either because of a new entry at `path` or because the watching process exited. */
  ended(endReason: string, path?: string): void;
}

interface Followed {
  readonly child: ChildProcess;
  readonly events: WatchEvents;
  /** Functions that resolve the promises for the start of watching and for the last report. */
  readonly watching: () => void;
  readonly gone: () => void;
}

/**
 * Manages the process that watches the sandboxes of this process. The watching process is started once; if it exits, the sandboxes are
 * ended.
 */
export class SandboxWatcher implements AsyncDisposable {
  readonly #followed = new Map<number, Followed>();
  #process: ChildProcess | undefined;
  #lastId = 0;

  /** Starts no process. `self` is the command that starts Symposium. */
  constructor(private readonly self: SelfCommand) {}

  /** Starts the watching process unless it is running. Should be called early, since Node starts slowly. */
  start(): void {
    if (this.#process) return;
    const { command, args, env } = this.self;
    const started = startProgram(
      { command, args: [...args, "sandbox-watch"], env, cwd: "/" },
      { env: {}, confined: "own program", stdio: ["ignore", "ignore", "ignore", "ipc"] },
    );
    if ("startError" in started) return;
    const { child } = started;
    this.#process = child;
    child.on("message", (report: WatchReport) => this.#receive(report));
    for (const event of ["error", "exit"]) child.on(event, () => this.#lose(child));
    child.unref();
    child.channel?.unref();
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Watches paths of the sandbox that starts next. `settled` resolves once all changes made in the sandbox have been reported. */
  follow(missing: WatchedPaths, events: WatchEvents): SandboxWatch & { settled(): Promise<unknown> } {
    const id = ++this.#lastId;
    let gone = Promise.resolve();
    return {
      begin: (child) =>
        new Promise((watching) => {
          const { pid } = child;
          if (pid === undefined) return;
          gone = new Promise((resolve) => this.#followed.set(id, { child, events, watching, gone: resolve }));
          child.once("exit", () => this.#send({ id, kind: "exited" }));
          this.start();
          this.#send({ id, kind: "watch", pid, paths: [...missing] });
        }),
      first: (pid) => this.#send({ id, kind: "first", pid }),
      settled: () => Promise.race([gone, delay(reportMs, undefined, { ref: false })]),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#process;
    if (child?.connected !== true) return;
    child.disconnect();
    await once(child, "exit");
  }

  #send(request: WatchRequest): void {
    const child = this.#process;
    if (child?.connected === true) child.send(request, () => undefined);
    else this.#lose(child);
  }

  #receive(report: WatchReport): void {
    const followed = this.#followed.get(report.id);
    if (!followed) return;
    const { events, watching, gone } = followed;
    if (report.kind === "watching") watching();
    else if (report.kind === "gone") {
      this.#followed.delete(report.id);
      gone();
    } else if (report.endReason === undefined) events.appeared(report.path);
    else events.ended(report.endReason, report.path);
  }

  #lose(child: ChildProcess | undefined): void {
    if (this.#process !== child) return;
    this.#process = undefined;
    const code = child?.signalCode ?? child?.exitCode ?? "it did not start";
    for (const { child: sandbox, events, gone } of this.#followed.values()) {
      if (sandbox.pid !== undefined && sandbox.exitCode === null && sandbox.signalCode === null) {
        processTree(sandbox.pid, { isConfined: true }).kill();
        events.ended(`The process that watches sandbox files has exited (${code}). Restart the agent.`);
      }
      gone();
    }
    this.#followed.clear();
  }
}
