import { html, type TemplateResult } from "lit";

/**
 * Characters that affect text invisibly, such as bidirectional controls, zero-width characters and special spaces. Tab, line feed and
 * variation selectors after emoji are harmless.
 */
const hidden =
  /(?![\t\n ])(?!(?<=\p{Extended_Pictographic})\uFE0F)(?:\p{Cc}|\p{Cf}|\p{Z}|\p{Default_Ignorable_Code_Point})/gu;

/** Returns agent text for decisions, with every hidden character replaced by its code point. */
export function visibleText(text: string): (string | TemplateResult)[] {
  const parts: (string | TemplateResult)[] = [];
  let from = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push(html`<span class="card-hidden-character">${nameOf(match[0])}</span>`);
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

export function visibleLabel(text: string): string {
  return text.replace(hidden, nameOf);
}

function nameOf(character: string): string {
  return `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`;
}
