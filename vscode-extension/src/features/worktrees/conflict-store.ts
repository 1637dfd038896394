import * as z from "zod/mini";
import { LatestFile } from "../review/files/latest-file.js";
import { readLeft } from "../review/files/left-file.js";
import type { OpenConflict } from "./conflict-place.js";
import type { TreeState } from "./solved-conflicts.js";

/** A conflict that waits for an answer, with where it comes from. */
export interface MarkedConflict extends OpenConflict {
  readonly id: number;
  /** The tab whose changes they are. */
  readonly tabId: string;
  /** The file in the worktree, absolute, and the worktree's name. */
  readonly theirFile: string;
  readonly name: string;
  /** What was checked out in the main tree when it was found, where that is known. */
  readonly foundAt?: TreeState | undefined;
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
      foundAt: z.optional(z.object({ top: z.string(), branch: z.string(), commit: z.string() })),
    }),
  ),
});

/** Keeps the conflicts that merges left, in one file, which is there only while there are some. */
export class ConflictStore {
  readonly #latest: LatestFile;

  constructor(
    private readonly file: string,
    private readonly onProblem: (error: unknown) => void,
  ) {
    this.#latest = new LatestFile(file, onProblem);
  }

  /** What was to be written last could not be. */
  get isBehind(): boolean {
    return this.#latest.isBehind;
  }

  /**
   * None where there is no file. One that cannot be understood is kept aside. Rejects where it cannot be read at the moment:
   * nothing is to be saved then.
   */
  async load(): Promise<readonly StoredConflict[]> {
    const parse = (json: string): readonly StoredConflict[] | undefined =>
      storedSchema.safeParse(JSON.parse(json)).data?.conflicts;
    return (await readLeft(this.file, parse, this.onProblem)) ?? [];
  }

  save(conflicts: readonly MarkedConflict[]): void {
    const stored = conflicts.map(({ id: _id, ...conflict }): StoredConflict => conflict);
    this.#latest.save(() => (stored.length === 0 ? undefined : JSON.stringify({ version: 1, conflicts: stored })));
  }

  /** Resolves when everything is written. */
  flush(): Promise<void> {
    return this.#latest.flush();
  }
}
