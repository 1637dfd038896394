export interface CallHabits {
  /** Whether the agent announces calls in session updates, before or around the call. */
  announces?: boolean;
  /** Whether the agent waits for one call's result before the next call. */
  isSerial?: boolean;
}

/** Milliseconds to wait for parallel calls of an agent that doesn't announce its calls. */
const unannouncedMs = 50;
/** Milliseconds to wait for more calls while it is unknown whether the agent announces calls. */
const unknownMs = 100;
/** Milliseconds to wait after all announced calls have arrived. */
const announcedMs = 20;
/** Maximum milliseconds between an announcement and its call, in either order. */
const outstandingMs = 1_000;

/**
 * Detects the end of a round of calls. Most agents announce calls in session updates first; some make the next call only after a result.
 */
export class ToolRoundEnd {
  /** Tool names of announced calls that haven't arrived, by id. */
  readonly #outstanding = new Map<string, string>();
  /** All ids announced in this turn, since updates repeat them. */
  readonly #announced = new Set<string>();
  /** Names of tools that were called before their announcement arrived; announcements use another channel. */
  readonly #early: string[] = [];
  #isAnswerPending = false;

  constructor(private readonly habits: CallHabits = {}) {}

  /** Records an announced call of a client's tool; returns whether it is new. */
  announce(toolCallId: string, name: string): boolean {
    if (this.#announced.has(toolCallId)) return false;
    this.#announced.add(toolCallId);
    this.habits.announces = true;
    const early = this.#early.indexOf(name);
    if (early === -1) this.#outstanding.set(toolCallId, name);
    else this.#early.splice(early, 1);
    return true;
  }

  /** Returns the tool name of an announced call that hasn't arrived or finished; undefined for other calls. */
  expected(toolCallId: string): string | undefined {
    return this.#outstanding.get(toolCallId);
  }

  /** Records the end of a call; returns whether the call was announced but hadn't arrived. */
  finish(toolCallId: string): boolean {
    return this.#outstanding.delete(toolCallId);
  }

  call(name: string): void {
    if (this.#isAnswerPending) this.habits.isSerial = false;
    for (const [toolCallId, announced] of this.#outstanding) {
      if (announced !== name) continue;
      this.#outstanding.delete(toolCallId);
      return;
    }
    this.#early.push(name);
  }

  /** Milliseconds to wait for another call after the latest one. */
  get quietMs(): number {
    const { announces, isSerial } = this.habits;
    if (announces === undefined) return unknownMs;
    if (!announces) return unannouncedMs;
    const isMoreToCome = (this.#outstanding.size > 0 && isSerial !== true) || this.#early.length > 0;
    return isMoreToCome ? outstandingMs : announcedMs;
  }

  close(): void {
    this.#isAnswerPending = true;
    if (this.#outstanding.size > 0) this.habits.isSerial = true;
    // Announcements that are still missing won't come; stop waiting for them.
    if (this.#early.length > 0) this.habits.announces = this.#announced.size > 0;
    this.#early.length = 0;
  }

  answered(): void {
    this.#isAnswerPending = false;
  }

  reset(): void {
    this.#outstanding.clear();
    this.#announced.clear();
    this.#early.length = 0;
    this.#isAnswerPending = false;
  }
}
