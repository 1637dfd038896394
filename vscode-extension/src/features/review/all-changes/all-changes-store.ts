import { readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { StateFile } from "../files/state-file.js";

const text = z.nullable(z.string());

const storedSchema = z.object({
  version: z.literal(1),
  sinceMs: z.number(),
  lookedAtMs: z.number(),
  looked: z.array(z.object({ root: z.string(), id: z.string() })),
  own: z.array(z.object({ path: z.string(), text, atMs: z.number() })),
});

export type AllChangesState = Omit<z.infer<typeof storedSchema>, "version">;

export class AllChangesStore {
  readonly #latest: StateFile;

  /** `onProblem` receives write errors. The mode continues even if its state can't be stored. */
  constructor(
    private readonly file: string,
    onProblem: (error: unknown) => void,
  ) {
    this.#latest = new StateFile(file, onProblem);
  }

  /** True if the last write failed. */
  get isBehind(): boolean {
    return this.#latest.isBehind;
  }

  /** Returns the stored state; undefined if the mode was off or the file is unreadable. */
  async load(): Promise<AllChangesState | undefined> {
    try {
      return storedSchema.safeParse(JSON.parse(await readFile(this.file, "utf8"))).data;
    } catch {
      return undefined;
    }
  }

  /** Schedules a write of the state that `state` returns. An undefined state means that the mode is off. */
  save(state: () => AllChangesState | undefined): void {
    this.#latest.save(() => {
      const now = state();
      return now && JSON.stringify({ version: 1, ...now });
    });
  }

  flush(): Promise<void> {
    return this.#latest.flush();
  }
}
