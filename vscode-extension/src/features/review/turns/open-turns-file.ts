import * as z from "zod/mini";
import { LatestFile } from "../files/latest-file.js";
import { readLeft } from "../files/left-file.js";

const turnSchema = z.object({
  tabId: z.string(),
  messageId: z.string(),
  startedAtMs: z.number(),
  begun: z.array(z.object({ root: z.string(), id: z.string() })),
  others: z._default(z.array(z.string()), []),
});
const storedSchema = z.object({
  version: z.literal(1),
  pid: z.number(),
  aliveAtMs: z.number(),
  turns: z.array(turnSchema),
});

/** A turn whose end nobody has seen yet. `others` are files that somebody else changed meanwhile. */
type OpenTurn = z.infer<typeof turnSchema>;

export interface LeftTurns {
  /** The window that they ran in lived until about then. */
  readonly aliveAtMs: number;
  readonly turns: readonly OpenTurn[];
}

const beatMs = 3_000;
/** A window that said nothing for so long is gone, and its process id another program's. */
const maxSilenceMs = 60_000;

/** Notes on disk which turns run, so that a window that is killed during one leaves enough to find what it changed. */
export class OpenTurnsFile {
  readonly #turns = new Map<string, Omit<OpenTurn, "others"> & { readonly others: ReadonlySet<string> }>();
  /** What cannot be written is not there after a crash; the turn goes on. */
  readonly #latest: LatestFile;
  #beat: NodeJS.Timeout | undefined;
  #isPassedOn = false;

  constructor(private readonly file: string) {
    this.#latest = new LatestFile(file, () => undefined);
  }

  /**
   * What a window that is gone left, until it is {@link taken}. Who has the lock of the place says `isLocked`: nobody else
   * lives there, also where the process is still about to end. Otherwise what another window runs is that one's. Rejects
   * where the file cannot be read at the moment.
   */
  async left(isLocked = false): Promise<LeftTurns | undefined> {
    const left = await readLeft(this.file, (json) => storedSchema.safeParse(JSON.parse(json)).data);
    if (!left || isLocked || left.pid === process.pid) return left;
    const isSilent = Date.now() - left.aliveAtMs > maxSilenceMs;
    return isSilent || !isAlive(left.pid) ? left : undefined;
  }

  /** What was left is stored elsewhere by now: nobody has to find it again. */
  taken(): void {
    this.#write();
  }

  /** What was left stays for the next window: this one notes nothing. */
  passOn(): void {
    this.#isPassedOn = true;
  }

  /** `others` may grow while the turn runs. */
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

  /** The window closes: notes what is known now for the next one. */
  leave(): void {
    clearInterval(this.#beat);
    if (this.#turns.size > 0) this.#write();
  }

  /** Resolves when all is on disk. */
  flush(): Promise<void> {
    return this.#latest.flush();
  }

  dispose(): void {
    clearInterval(this.#beat);
  }

  #write(): void {
    if (this.#isPassedOn) return;
    this.#latest.save(() => {
      const turns = [...this.#turns.values()].map((turn) => ({ ...turn, others: [...turn.others] }));
      const stored = { version: 1, pid: process.pid, aliveAtMs: Date.now(), turns };
      return turns.length === 0 ? undefined : JSON.stringify(stored);
    });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
