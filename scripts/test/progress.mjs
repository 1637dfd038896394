// The last line of a terminal while tests run: parts done, running and left, and an estimate of the end.

const intervalMs = 1_000;

export class Progress {
  #left;
  #running = new Map();
  #done = 0;
  #timer;

  /** `parts` have `name` and `seconds`; `lanes` run at once. Without a terminal nothing is shown. */
  constructor(parts, lanes, { stream = process.stdout, now = Date.now } = {}) {
    this.#left = new Map(parts.map((part) => [part.name, part.seconds]));
    Object.assign(this, { lanes, stream, now });
    if (!stream.isTTY) return;
    this.#timer = setInterval(() => this.#draw(), intervalMs);
    this.#timer.unref();
  }

  started({ name, seconds }) {
    this.#left.delete(name);
    this.#running.set(name, { seconds, since: this.now() });
  }

  ended({ name }) {
    this.#running.delete(name);
    this.#done++;
  }

  /** Prints text above the line. */
  print(text) {
    if (this.#timer) this.stream.write("\r\x1b[K");
    this.stream.write(`${text}\n`);
    if (this.#timer) this.#draw();
  }

  line() {
    const open = [...this.#running.values()].map(({ seconds, since }) =>
      Math.max(0, seconds - (this.now() - since) / 1000),
    );
    const work = [...open, ...this.#left.values()].reduce((sum, seconds) => sum + seconds, 0);
    const estimate = Math.max(work / this.lanes, ...open, 0);
    return `${this.#done} parts done, ${this.#running.size} running, ${this.#left.size} left, about ${Math.ceil(estimate / 60)} min`;
  }

  #draw() {
    this.stream.write(`\r\x1b[K${this.line()}`);
  }

  end() {
    clearInterval(this.#timer);
    if (this.#timer) this.stream.write("\r\x1b[K");
  }
}
