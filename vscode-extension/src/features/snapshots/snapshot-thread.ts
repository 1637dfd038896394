import { isDoneWithin } from "@symposium-dev/core";
import { Worker } from "node:worker_threads";
import type { SnapshotAnswer, snapshotWork, SnapshotRequest, SnapshotWorkerData } from "./snapshot-worker.js";

type Work = typeof snapshotWork;
type Args<K extends keyof Work> = Work[K] extends (first: never, ...args: infer A) => unknown ? A : never;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Maximum time in milliseconds to wait for pending work when the thread is closed. */
const maxCloseMs = 2_000;

export class SnapshotThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #end: Error | undefined;

  /** `script` is the thread's compiled file. `ended` is called once when the thread ends, for any reason. */
  constructor(
    script: string,
    data: SnapshotWorkerData,
    private readonly ended: () => void,
  ) {
    this.#worker = new Worker(script, { workerData: data });
    this.#worker.unref();
    this.#worker.on("message", (answer: SnapshotAnswer) => this.#answered(answer));
    this.#worker.on("error", (error) => this.#ended(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on("messageerror", () => void this.#worker.terminate());
    this.#worker.on("exit", () => this.#ended(new Error("The snapshot thread exited.")));
  }

  /** Runs `work` in the thread. Rejects with the error that `work` throws, or if the thread ends. */
  call<K extends keyof Work>(work: K, ...args: Args<K>): Promise<ReturnType<Work[K]>> {
    return new Promise((resolve, reject) => {
      if (this.#end) {
        reject(this.#end);
        return;
      }
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve: (result) => resolve(result as ReturnType<Work[K]>), reject });
      const request: SnapshotRequest = { id, work, args };
      this.#worker.ref();
      this.#worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    await isDoneWithin(this.call("close"), maxCloseMs);
    await this.#worker.terminate();
  }

  #answered(answer: SnapshotAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ("error" in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.result);
  }

  #ended(error: Error): void {
    if (!this.#end) this.ended();
    this.#end ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
