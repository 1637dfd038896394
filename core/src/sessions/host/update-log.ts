interface LoggedUpdate {
  /** Parameters of the update as raw JSON. */
  readonly params: string;
  /** Attachment that doesn't receive the update, because its client sent the message. */
  readonly except: object | undefined;
  readonly beginsTurn: boolean;
  /** Turn to whose prompt the update belongs, as named by the client. */
  readonly turn: string | undefined;
}

/** Maximum characters that a session stores for clients that attach later. */
const maxCharacters = 64 * 1024 * 1024;

/**
 * Updates of a session in order. Positions are relative to the session's start and never change. Above its limit, the log drops the
 * oldest turns.
 */
export class UpdateLog {
  #updates: LoggedUpdate[] = [];
  #first = 0;
  #characters = 0;

  constructor(private readonly limit = maxCharacters) {}

  /** Position of the oldest stored update. */
  get first(): number {
    return this.#first;
  }

  get end(): number {
    return this.#first + this.#updates.length;
  }

  append(params: string, { except, beginsTurn = false, turn }: Partial<Omit<LoggedUpdate, "params">> = {}): void {
    this.#updates.push({ params, except, beginsTurn, turn });
    this.#characters += params.length;
    if (this.#characters > this.limit) this.#forget();
  }

  /** Returns the update at `place`; undefined if dropped or not sent yet. */
  at(place: number): LoggedUpdate | undefined {
    return this.#updates[place - this.#first];
  }

  /** Returns the position after a turn's prompt; undefined if the log doesn't contain the prompt. */
  placeAfter(turn: string): number | undefined {
    const index = this.#updates.findLastIndex((update) => update.turn === turn);
    return index === -1 ? undefined : this.#first + index + 1;
  }

  /** Drops the oldest updates until a quarter of the limit is free, then the rest of the split turn. */
  #forget(): void {
    let count = 0;
    while (count < this.#updates.length && this.#characters > this.limit * 0.75) this.#remove(count++);
    const isCut = this.#updates.slice(count).some(({ beginsTurn }) => beginsTurn);
    while (isCut && this.#updates[count]?.beginsTurn === false) this.#remove(count++);
    this.#updates = this.#updates.slice(count);
    this.#first += count;
  }

  #remove(index: number): void {
    this.#characters -= this.#updates[index]?.params.length ?? 0;
  }
}
