import type { SnapshotTurn } from "./snapshot-turn.js";
import type { TurnWork } from "./turn-work.js";

/** A running turn: its folders when it began, and the files whose changes are accounted for. */
export interface RunningTurn {
  readonly folders: Promise<SnapshotTurn | undefined>;
  readonly known: Set<string>;
  /** Those of them that somebody else changed. */
  readonly others: Set<string>;
  readonly work: TurnWork;
}

/** Somebody else changes a file while the turn runs. */
export function noteOthers({ known, others }: RunningTurn, path: string): void {
  known.add(path);
  others.add(path);
}
