interface LoggedUpdate {
  /** Parameters as raw JSON. */
  readonly params: string;
  /** Attachment of the client that sent the message and doesn't get the update. */
  readonly except: object | undefined;
  readonly beginsTurn: boolean;
  /** The turn whose prompt it is part of, as the client named it. */
  readonly turn: string | undefined;
}

/** Maximum characters that a session stores for clients that attach later. */
const maxCharacters = 64 * 1024 * 1024;

/**
 * Updates of a session in order. Positions count from the session's start and never change. Above its limit, the log drops the oldest
 * turns.
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

  /** Returns the place behind the prompt of a turn; undefined if the log doesn't contain the prompt. */
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
