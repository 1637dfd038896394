/** Messages toward the agent that wait, in the order in which they came. */
export class HeldMessages {
  #waiting: HeldPlace[] = [];

  /** Whether a message of this session waits. */
  has(sessionId: string | undefined): boolean {
    return sessionId !== undefined && this.#waiting.some((place) => place.sessionId === sessionId);
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** A place at the end of the line, for a message of that session. */
  add(sessionId: string | undefined): HeldPlace {
    const place = new HeldPlace(sessionId, {
      leave: () => {
        const index = this.#waiting.indexOf(place);
        if (index !== -1) this.#waiting.splice(index, 1);
        this.#sendReady();
        return index !== -1;
      },
      ready: () => this.#sendReady(),
    });
    this.#waiting.push(place);
    return place;
  }

  #sendReady(): void {
    for (let first = this.#waiting[0]; first?.send; first = this.#waiting[0]) {
      this.#waiting.shift();
      first.send();
    }
  }
}

/** The place of one message in the line. */
class HeldPlace {
  send: (() => void) | undefined;

  constructor(
    readonly sessionId: string | undefined,
    private readonly line: { readonly leave: () => boolean; readonly ready: () => void },
  ) {}

  /** Has it sent as soon as all before it are gone. Does nothing once it has left the line. */
  ready(send: () => void): void {
    this.send = send;
    this.line.ready();
  }

  /** Whether it was still there. */
  leave(): boolean {
    return this.line.leave();
  }
}
