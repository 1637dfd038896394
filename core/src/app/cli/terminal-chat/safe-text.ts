/**
 * Characters that could control a terminal or reorder or hide text: controls, bidi controls, line separators, lone surrogates and invisible
 * characters. Joiners and variation selectors stay, since scripts and emoji need them.
 */
const unsafe =
  /\r\n|\p{Cc}|\p{Bidi_Control}|\p{Zl}|\p{Zp}|\p{Cs}|[\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Neutralizes untrusted text for a terminal: preserves newlines and tabs, and makes other control characters visible. */
export function safeText(text: string): string {
  return text.replace(unsafe, visible);
}

/** Neutralizes untrusted text to a single line: newlines and tabs become spaces, so that a title can't imitate other output. */
export function safeLine(text: string): string {
  return safeText(text)
    .replace(/[\n\t]+/g, " ")
    .trim();
}

/** {@link safeText} for streamed text, whose pieces may split a character or a line break. */
export class SafeTextStream {
  #held = "";

  push(piece: string): string {
    const text = this.#held + piece;
    this.#held = /[\r\ud800-\udbff]$/.exec(text)?.[0] ?? "";
    return safeText(text.slice(0, text.length - this.#held.length));
  }

  end(): string {
    const held = this.#held;
    this.#held = "";
    return safeText(held);
  }
}

function visible(found: string): string {
  if (found === "\n" || found === "\r\n") return "\n";
  if (found === "\t") return "\t";
  const code = found.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
