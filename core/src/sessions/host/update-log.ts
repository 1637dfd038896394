/** One `session/update` as it was sent. */
interface LoggedUpdate {
  /** The parameters, as raw JSON. */
  readonly params: string;
  /** The attachment whose client has said this itself, and does not get it. */
  readonly except: object | undefined;
  /** Whether a prompt turn begins with it. */
  readonly beginsTurn: boolean;
}

/** Maximum of characters that a session keeps for clients that attach later. */
const maxCharacters = 64 * 1024 * 1024;

/**
 * The updates of a session, in the order in which they were sent. Places are counted from the session's beginning and never
 * change. Above its limit the log forgets its oldest turns.
 */
export class UpdateLog {
  #updates: LoggedUpdate[] = [];
  #first = 0;
  #characters = 0;

  constructor(private readonly limit = maxCharacters) {}

  /** The place of the oldest update that is kept. */
  get first(): number {
    return this.#first;
  }

  /** The place of the next update. */
  get end(): number {
    return this.#first + this.#updates.length;
  }

  append(
    params: string,
    { except, beginsTurn = false }: { except?: object | undefined; beginsTurn?: boolean } = {},
  ): void {
    this.#updates.push({ params, except, beginsTurn });
    this.#characters += params.length;
    if (this.#characters > this.limit) this.#forget();
  }

  /** The update at `place`; undefined if it is forgotten, or not sent yet. */
  at(place: number): LoggedUpdate | undefined {
    return this.#updates[place - this.#first];
  }

  /** Removes the oldest updates until a quarter of the limit is free, and then the rest of the turn that they cut. */
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
