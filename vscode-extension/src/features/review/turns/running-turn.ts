import type { SnapshotTurn } from "./snapshot-turn.js";
import type { TurnWork } from "./times-of-writing.js";

/** Running turn with its folder snapshots and the files whose changes have a known author. */
export interface RunningTurn {
  readonly folders: Promise<SnapshotTurn | undefined>;
  readonly known: Set<string>;
  readonly others: Set<string>;
  readonly work: TurnWork;
}

export function noteOthers({ known, others }: RunningTurn, path: string): void {
  known.add(path);
  others.add(path);
}
