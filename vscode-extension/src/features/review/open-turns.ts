import { readFile, rm } from "node:fs/promises";
import { atomicWrite } from "@symposium-dev/core/node";
import * as z from "zod/mini";

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
export class OpenTurns {
  readonly #turns = new Map<string, Omit<OpenTurn, "others"> & { readonly others: ReadonlySet<string> }>();
  #writing = Promise.resolve();
  #beat: NodeJS.Timeout | undefined;

  constructor(private readonly file: string) {}

  /** What a killed window left; taken only once. What another window of the same folder runs is that one's. */
  async left(): Promise<LeftTurns | undefined> {
    try {
      const { data } = storedSchema.safeParse(JSON.parse(await readFile(this.file, "utf8")));
      const isSilent = data !== undefined && Date.now() - data.aliveAtMs > maxSilenceMs;
      if (data && data.pid !== process.pid && !isSilent && isAlive(data.pid)) return undefined;
      await rm(this.file, { force: true });
      return data;
    } catch {
      return undefined;
    }
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
    return this.#writing;
  }

  dispose(): void {
    clearInterval(this.#beat);
  }

  /** What cannot be written is not there after a crash; the turn goes on. */
  #write(): void {
    this.#writing = this.#writing
      .then(async () => {
        const turns = [...this.#turns.values()].map((turn) => ({ ...turn, others: [...turn.others] }));
        if (turns.length === 0) await rm(this.file, { force: true });
        else
          await atomicWrite(this.file, JSON.stringify({ version: 1, pid: process.pid, aliveAtMs: Date.now(), turns }));
      })
      .catch(() => undefined);
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
