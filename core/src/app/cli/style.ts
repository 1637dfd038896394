import { styleText } from "node:util";

/** Environment variables that decide on colours. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Colours for one stream, or none. */
export class Style {
  constructor(readonly isColoured: boolean) {}

  /**
   * Colours on a terminal that takes them and whose user has not set NO_COLOR (https://no-color.org). FORCE_COLOR goes before
   * both: 0 or false switches colours off, any other value on.
   */
  static of(stream: { readonly isTTY?: boolean }, env: Environment): Style {
    const { FORCE_COLOR: forced = "", NO_COLOR: refused = "", TERM: terminal } = env;
    if (forced !== "") return new Style(forced !== "0" && forced !== "false");
    return new Style(stream.isTTY === true && refused === "" && terminal !== "dumb");
  }

  bold(text: string): string {
    return this.#paint("bold", text);
  }
  italic(text: string): string {
    return this.#paint("italic", text);
  }
  underline(text: string): string {
    return this.#paint("underline", text);
  }
  dim(text: string): string {
    return this.#paint("dim", text);
  }
  red(text: string): string {
    return this.#paint("red", text);
  }
  green(text: string): string {
    return this.#paint("green", text);
  }
  yellow(text: string): string {
    return this.#paint("yellow", text);
  }
  cyan(text: string): string {
    return this.#paint("cyan", text);
  }

  #paint(format: Parameters<typeof styleText>[0], text: string): string {
    // Whether the stream takes colours is decided once, and for streams other than stdout.
    return this.isColoured && text !== "" ? styleText(format, text, { validateStream: false }) : text;
  }
}
