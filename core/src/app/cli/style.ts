import { styleText } from "node:util";

export type Environment = Readonly<Record<string, string | undefined>>;

export class Style {
  constructor(readonly isColoured: boolean) {}

  /**
   * Returns colors for a terminal that supports them, unless NO_COLOR is set (https://no-color.org). FORCE_COLOR overrides both: 0 or false
   * disables colors, any other value enables them.
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
    // Color support is already decided, and `styleText` would check only stdout.
    return this.isColoured && text !== "" ? styleText(format, text, { validateStream: false }) : text;
  }
}
