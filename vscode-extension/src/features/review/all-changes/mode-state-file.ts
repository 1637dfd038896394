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

/** Stores the state of the mode; an undefined state means that the mode is off. */
export class AllChangesStore extends StateFile<AllChangesState | undefined> {
  constructor(file: string, onProblem: (error: unknown) => void) {
    super(file, onProblem, (state) => state && JSON.stringify({ version: 1, ...state }));
  }

  /** Returns the stored state; undefined if the mode was off or the file is unreadable. */
  async load(): Promise<AllChangesState | undefined> {
    try {
      return storedSchema.safeParse(JSON.parse(await readFile(this.file, "utf8"))).data;
    } catch {
      return undefined;
    }
  }
}
