import { readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { LatestFile } from "../files/latest-file.js";

const text = z.nullable(z.string());

const storedSchema = z.object({
  version: z.literal(1),
  sinceMs: z.number(),
  lookedAtMs: z.number(),
  looked: z.array(z.object({ root: z.string(), id: z.string() })),
  own: z.array(z.object({ path: z.string(), text, atMs: z.number() })),
});

/** What a window with _Review all changes_ on leaves for the next one. */
export type AllChangesState = Omit<z.infer<typeof storedSchema>, "version">;

/** One file, which is there while the mode is on. */
export class AllChangesStore {
  readonly #latest: LatestFile;

  /** `onProblem` hears of a file that cannot be written; the mode goes on without it. */
  constructor(
    private readonly file: string,
    onProblem: (error: unknown) => void,
  ) {
    this.#latest = new LatestFile(file, onProblem);
  }

  /** What was to be written last could not be. */
  get isBehind(): boolean {
    return this.#latest.isBehind;
  }

  /** Undefined where the mode was off, or the file cannot be understood. */
  async load(): Promise<AllChangesState | undefined> {
    try {
      return storedSchema.safeParse(JSON.parse(await readFile(this.file, "utf8"))).data;
    } catch {
      return undefined;
    }
  }

  /** Stores what `state` says when it is written, which is soon; undefined for a mode that is off. */
  save(state: () => AllChangesState | undefined): void {
    this.#latest.save(() => {
      const now = state();
      return now && JSON.stringify({ version: 1, ...now });
    });
  }

  /** Resolves when everything is written. */
  flush(): Promise<void> {
    return this.#latest.flush();
  }
}
