import type { WorkingMemory } from "./working-memory.js";

/** What is remembered, as it stands when a session begins. Lists are items for people, the newest first. */
export interface MemorySnapshot {
  /** How the user likes to work, as Markdown; empty when nothing is known. */
  readonly profile: string;
  readonly anchors: readonly string[];
  readonly evolution: readonly string[];
  /** Insights about the workspace of the session. */
  readonly insights: readonly string[];
  readonly workingMemory: WorkingMemory;
  /** Names of the workspace's checkpoints, the newest first. */
  readonly checkpoints: readonly string[];
}

/** A memory without anything in it. */
export const emptySnapshot: MemorySnapshot = {
  profile: "",
  anchors: [],
  evolution: [],
  insights: [],
  workingMemory: { entries: [], pinned: {}, archived: 0 },
  checkpoints: [],
};
