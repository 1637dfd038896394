import type { WatchedToolCall } from "./agent-changes.js";

const kindsThatOnlyLook: ReadonlySet<string> = new Set(["read", "search", "think", "fetch", "switch_mode"]);

/** Tolerance for file system clocks that lag slightly. */
const slackMs = 50;

/** Times within a turn at which the agent may have written files, that is, while tool calls ran that can write. */
export class TurnWork {
  readonly #running = new Map<string, number>();
  readonly #ended = new Map<string, { readonly fromMs: number; readonly toMs: number }>();

  constructor(private readonly startedAtMs: number) {}

  note({ id, kind, status }: Pick<WatchedToolCall, "id" | "kind" | "status">, nowMs: number): void {
    if (kindsThatOnlyLook.has(kind) || this.#ended.has(id)) return;
    const isOver = status === "completed" || status === "failed";
    // A tool call that is first reported when it ends may have started at any time in the turn.
    const fromMs = this.#running.get(id) ?? (isOver ? this.startedAtMs : nowMs);
    if (!isOver) this.#running.set(id, fromMs);
    else {
      this.#running.delete(id);
      this.#ended.set(id, { fromMs, toMs: nowMs });
    }
  }

  get hasBegun(): boolean {
    return this.#running.size + this.#ended.size > 0;
  }

  get isGoingOn(): boolean {
    return this.#running.size > 0;
  }

  mayHaveWrittenAt(timeMs: number | undefined): boolean {
    if (timeMs === undefined) return false;
    const isAfter = (fromMs: number): boolean => timeMs >= fromMs - slackMs;
    return (
      [...this.#running.values()].some(isAfter) ||
      [...this.#ended.values()].some(({ fromMs, toMs }) => isAfter(fromMs) && timeMs <= toMs + slackMs)
    );
  }

  /** Returns whether a write at `timeMs` was during the turn and certainly by someone else. */
  cannotHaveWrittenAt(timeMs: number | undefined): boolean {
    return timeMs !== undefined && timeMs >= this.startedAtMs && !this.mayHaveWrittenAt(timeMs);
  }
}
