/** How an agent makes its calls, as far as it was seen; shared by its sessions. */
export interface CallHabits {
  /** Whether it announces calls in session updates before it makes them, or about then. */
  announces?: boolean;
  /** Whether it makes one call only when it has the result of the one before. */
  isSerial?: boolean;
}

/** Agents that announce nothing need this long to call several tools in one breath. */
const unannouncedMs = 50;
/** While it is not known what the agent does. */
const unknownMs = 100;
/** Where all calls that were announced have come. */
const announcedMs = 20;
/** How long a call may take that was announced, or an announcement of one that was made. */
const outstandingMs = 1_000;

/**
 * Finds out when an agent has made all calls of one round. Agents announce tool calls in session updates, most of them
 * before they make them; some make the second one only when they have the result of the first.
 */
export class ToolRoundEnd {
  /** The announced calls that were not made yet, by their ids: the name of the tool. */
  readonly #outstanding = new Map<string, string>();
  /** Every id that was announced in this turn: updates repeat them. */
  readonly #announced = new Set<string>();
  /** The tools that were called before the announcement came, which takes another way. */
  readonly #early: string[] = [];
  #isAnswerPending = false;

  constructor(private readonly habits: CallHabits = {}) {}

  /** The agent announces a call of a client's tool; whether that is news. */
  announce(toolCallId: string, name: string): boolean {
    if (this.#announced.has(toolCallId)) return false;
    this.#announced.add(toolCallId);
    this.habits.announces = true;
    const early = this.#early.indexOf(name);
    if (early === -1) this.#outstanding.set(toolCallId, name);
    else this.#early.splice(early, 1);
    return true;
  }

  /** The tool of a call that the agent has announced, and neither made nor reported as over; ids may come again later. */
  expected(toolCallId: string): string | undefined {
    return this.#outstanding.get(toolCallId);
  }

  /** The agent reports that a call is over; whether it was waited for. */
  finish(toolCallId: string): boolean {
    return this.#outstanding.delete(toolCallId);
  }

  /** The agent makes a call. */
  call(name: string): void {
    if (this.#isAnswerPending) this.habits.isSerial = false;
    for (const [toolCallId, announced] of this.#outstanding) {
      if (announced !== name) continue;
      this.#outstanding.delete(toolCallId);
      return;
    }
    this.#early.push(name);
  }

  /** How many milliseconds the latest call is to be waited for another one. */
  get quietMs(): number {
    const { announces, isSerial } = this.habits;
    if (announces === undefined) return unknownMs;
    if (!announces) return unannouncedMs;
    const isMoreToCome = (this.#outstanding.size > 0 && isSerial !== true) || this.#early.length > 0;
    return isMoreToCome ? outstandingMs : announcedMs;
  }

  /** The client gets the calls. */
  close(): void {
    this.#isAnswerPending = true;
    if (this.#outstanding.size > 0) this.habits.isSerial = true;
    // What was not announced by now is not: nobody waits for it again.
    if (this.#early.length > 0) this.habits.announces = this.#announced.size > 0;
    this.#early.length = 0;
  }

  /** The agent has the results. */
  answered(): void {
    this.#isAnswerPending = false;
  }

  /** The turn is over. */
  reset(): void {
    this.#outstanding.clear();
    this.#announced.clear();
    this.#early.length = 0;
    this.#isAnswerPending = false;
  }
}
