import { messageOf } from "@symposium-dev/core";
import { parentPort, workerData } from "node:worker_threads";
import { FolderSnapshots, type SnapshotLimits, type TakeOptions } from "./folder-snapshots.js";

export interface SnapshotWorkerData {
  readonly root: string;
  readonly store: string;
  readonly limits: SnapshotLimits;
}

export const snapshotWork = {
  take: (snapshots: FolderSnapshots, options: TakeOptions) => snapshots.take(options),
  changes: (snapshots: FolderSnapshots, from: string, to?: string) => snapshots.changes(from, to),
  content: (snapshots: FolderSnapshots, hash: string) => snapshots.content(hash),
  lastKnown: (snapshots: FolderSnapshots, path: string) => snapshots.lastKnown(path),
  clean: (snapshots: FolderSnapshots) => snapshots.clean(),
  close: (snapshots: FolderSnapshots) => snapshots.close(),
} as const;

export interface SnapshotRequest {
  readonly id: number;
  readonly work: keyof typeof snapshotWork;
  readonly args: readonly unknown[];
}

export type SnapshotAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

if (parentPort) serve(parentPort, workerData as SnapshotWorkerData);

function serve(port: NonNullable<typeof parentPort>, { root, store, limits }: SnapshotWorkerData): void {
  let snapshots: FolderSnapshots | undefined;
  port.on("message", ({ id, work, args }: SnapshotRequest) => {
    let answer: SnapshotAnswer;
    try {
      snapshots ??= new FolderSnapshots(root, store, limits);
      const done: (snapshots: FolderSnapshots, ...args: never[]) => unknown = snapshotWork[work];
      answer = { id, result: done(snapshots, ...(args as never[])) };
    } catch (error) {
      answer = { id, error: messageOf(error) };
    }
    port.postMessage(answer);
    if (work === "close") port.close();
  });
}
