interface WaitingOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const eraseLine = "\r\u001b[K";

/** Displays the current wait and its duration in a terminal, once the wait has lasted a second. Disposing erases the line. */
export class WaitingLine implements Disposable {
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #seconds = 0;

  constructor(
    private readonly text: string,
    private readonly output: WaitingOutput = process.stderr,
  ) {
    if (output.isTTY !== true) return;
    this.#timer = setInterval(() => this.#draw(), 1_000);
    this.#timer.unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#seconds > 0) this.output.write(eraseLine);
  }

  #draw(): void {
    this.#seconds++;
    // Terminals without a size report 0 columns.
    const { columns = 0 } = this.output;
    const line = `${this.text} (${this.#seconds} s)`.slice(0, columns > 0 ? columns - 1 : 79);
    this.output.write(`${eraseLine}${line}`);
  }
}

export async function waitingFor<T>(text: string, work: Promise<T>, output?: WaitingOutput): Promise<T> {
  using _line = new WaitingLine(text, output);
  return await work;
}
