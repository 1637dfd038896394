/** What the colours depend on. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Colours for one stream, or none. */
export class Style {
  constructor(private readonly isColoured: boolean) {}

  /** Colours only on a terminal that takes them and whose user has not set NO_COLOR (https://no-color.org). */
  static of(stream: { readonly isTTY?: boolean }, env: Environment): Style {
    const isRefused = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
    return new Style(stream.isTTY === true && !isRefused);
  }

  bold(text: string): string {
    return this.#paint(text, 1, 22);
  }
  dim(text: string): string {
    return this.#paint(text, 2, 22);
  }
  red(text: string): string {
    return this.#paint(text, 31, 39);
  }
  green(text: string): string {
    return this.#paint(text, 32, 39);
  }
  cyan(text: string): string {
    return this.#paint(text, 36, 39);
  }

  #paint(text: string, on: number, off: number): string {
    return this.isColoured && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  }
}
