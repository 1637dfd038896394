import type { WatchedToolCall } from "./agent-changes.js";

/** ACP ToolKinds that change no file. */
const kindsThatOnlyLook: ReadonlySet<string> = new Set(["read", "search", "think", "fetch", "switch_mode"]);

/** Clocks of file systems are a little behind. */
const slackMs = 50;

/** When, within one turn, the agent may have written files: while tool calls ran that do more than look. */
export class TurnWork {
  /** By the id of the call, when it began. */
  readonly #running = new Map<string, number>();
  readonly #ended = new Map<string, { readonly fromMs: number; readonly toMs: number }>();

  constructor(private readonly startedAtMs: number) {}

  note({ id, kind, status }: Pick<WatchedToolCall, "id" | "kind" | "status">, nowMs: number): void {
    if (kindsThatOnlyLook.has(kind) || this.#ended.has(id)) return;
    const isOver = status === "completed" || status === "failed";
    // A call that is first heard of when it is over may have begun at any time.
    const fromMs = this.#running.get(id) ?? (isOver ? this.startedAtMs : nowMs);
    if (!isOver) this.#running.set(id, fromMs);
    else {
      this.#running.delete(id);
      this.#ended.set(id, { fromMs, toMs: nowMs });
    }
  }

  /** Whether there was any. */
  get hasBegun(): boolean {
    return this.#running.size + this.#ended.size > 0;
  }

  get isGoingOn(): boolean {
    return this.#running.size > 0;
  }

  /** Whether what was written at this time may be the agent's. */
  mayHaveWrittenAt(timeMs: number | undefined): boolean {
    if (timeMs === undefined) return false;
    const isAfter = (fromMs: number): boolean => timeMs >= fromMs - slackMs;
    return (
      [...this.#running.values()].some(isAfter) ||
      [...this.#ended.values()].some(({ fromMs, toMs }) => isAfter(fromMs) && timeMs <= toMs + slackMs)
    );
  }

  /** Whether what was written at this time, during the turn, was not the agent's. */
  cannotHaveWrittenAt(timeMs: number | undefined): boolean {
    return timeMs !== undefined && timeMs >= this.startedAtMs && !this.mayHaveWrittenAt(timeMs);
  }
}
