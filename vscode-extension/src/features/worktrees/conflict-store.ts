import * as z from "zod/mini";
import { StateFile } from "../review/files/state-file.js";
import { readOrSetAside } from "../review/files/read-or-set-aside.js";
import type { OpenConflict } from "./conflict-place.js";

export interface MarkedConflict extends OpenConflict {
  readonly id: number;
  readonly tabId: string;
  /** Absolute path of the file in the worktree. */
  readonly theirFile: string;
  readonly name: string;
}

type StoredConflict = Omit<MarkedConflict, "id">;

const textSchema = z.nullable(z.string());
const storedSchema = z.object({
  version: z.literal(1),
  conflicts: z.array(
    z.object({
      path: z.string(),
      start: z.number(),
      ours: textSchema,
      theirs: textSchema,
      isWhole: z.boolean(),
      found: z.string(),
      tabId: z.string(),
      theirFile: z.string(),
      name: z.string(),
    }),
  ),
});

export class ConflictStore extends StateFile<readonly MarkedConflict[]> {
  constructor(file: string, onProblem: (error: unknown) => void) {
    super(file, onProblem, (conflicts) => {
      const stored = conflicts.map(({ id: _id, ...conflict }): StoredConflict => conflict);
      return stored.length === 0 ? undefined : JSON.stringify({ version: 1, conflicts: stored });
    });
  }

  /**
   * Returns the stored conflicts; empty if there is no file. Moves an unreadable file aside. Rejects if the file can't be read right now;
   * callers must then not save.
   */
  async load(): Promise<readonly StoredConflict[]> {
    const parse = (json: string): readonly StoredConflict[] | undefined =>
      storedSchema.safeParse(JSON.parse(json)).data?.conflicts;
    return (await readOrSetAside(this.file, parse, this.onProblem)) ?? [];
  }
}
