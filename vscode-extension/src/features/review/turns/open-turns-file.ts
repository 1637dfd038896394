import * as z from "zod/mini";
import { StateFile } from "../files/state-file.js";
import { readOrSetAside } from "../files/read-or-set-aside.js";

const turnSchema = z.object({
  tabId: z.string(),
  messageId: z.string(),
  startedAtMs: z.number(),
  begun: z.array(z.object({ root: z.string(), id: z.string() })),
  others: z._default(z.array(z.string()), []),
});
const storedSchema = z.object({
  version: z.literal(1),
  aliveAtMs: z.number(),
  turns: z.array(turnSchema),
});

/** Turn whose end isn't recorded yet. `others` are files that others changed meanwhile. */
type OpenTurn = z.infer<typeof turnSchema>;

export interface LeftTurns {
  /** Last time the turns' window updated the file, in milliseconds since the epoch. */
  readonly aliveAtMs: number;
  readonly turns: readonly OpenTurn[];
}

const beatMs = 3_000;
/** Records running turns on disk, so that the changes of a turn can be found after its window was killed. */
export class OpenTurnsFile {
  readonly #turns = new Map<string, Omit<OpenTurn, "others"> & { readonly others: ReadonlySet<string> }>();
  /** File with the record. Write errors are ignored: the record is then missing after a crash, but the turn continues. */
  readonly #latest: StateFile<readonly OpenTurn[]>;
  #beat: NodeJS.Timeout | undefined;
  #isPassedOn = false;

  constructor(private readonly file: string) {
    this.#latest = new StateFile(
      file,
      () => undefined,
      (turns) => {
        const stored = { version: 1, aliveAtMs: Date.now(), turns };
        return turns.length === 0 ? undefined : JSON.stringify(stored);
      },
    );
  }

  /** Returns the turns that a dead window left, until {@link taken} is called. Rejects if the file can't be read right now. */
  async left(): Promise<LeftTurns | undefined> {
    return readOrSetAside(this.file, (json) => storedSchema.safeParse(JSON.parse(json)).data);
  }

  taken(): void {
    this.#write();
  }

  /** Stops writing and leaves the stored record for the next window. */
  passOn(): void {
    this.#isPassedOn = true;
  }

  /** Records the start of a turn. The set `others` can grow during the turn. */
  begin(turn: Omit<OpenTurn, "others">, others: ReadonlySet<string>): void {
    this.#turns.set(turn.tabId, { ...turn, others });
    this.#beat ??= setInterval(() => this.#write(), beatMs).unref();
    this.#write();
  }

  end(tabId: string): void {
    if (!this.#turns.delete(tabId)) return;
    if (this.#turns.size === 0) {
      clearInterval(this.#beat);
      this.#beat = undefined;
    }
    this.#write();
  }

  /** Writes the final state for the next window when this one closes. */
  leave(): void {
    clearInterval(this.#beat);
    if (this.#turns.size > 0) this.#write();
  }

  flush(): Promise<void> {
    return this.#latest.flush();
  }

  dispose(): void {
    clearInterval(this.#beat);
  }

  #write(): void {
    if (this.#isPassedOn) return;
    this.#latest.save(() => [...this.#turns.values()].map((turn) => ({ ...turn, others: [...turn.others] })));
  }
}
