export interface VisibleText {
  readonly text: string;
  /** Warnings in whole sentences; empty if the text contains nothing hidden or misleading. */
  readonly warnings: readonly string[];
}

/**
 * Control characters, format characters (such as bidirectional marks and tags), unusual spaces and invisible letters. Preserves the form of
 * emoji.
 */
const invisible =
  /(?<!\p{Extended_Pictographic}(?=\ufe0f))(?![\n\t ])[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;
/** Spaces that push the rest of a line out of view. Indentation doesn't count. */
const gap = /(?<=\S)[ \t]{20,}(?=\S)/g;
const word = /[\p{L}\p{N}_.-]+/gu;

/**
 * Makes hidden characters visible: `‹U+202E›` for a hidden character, `‹40 blanks›` for a gap in a line. `what` names the text in the
 * warnings, such as "The command".
 */
export function visibleText(text: string, what: string): VisibleText {
  const codes = new Set<string>();
  const shown = text
    .replace(invisible, (character) => {
      const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
      codes.add(code);
      return `‹${code}›`;
    })
    .replace(gap, (blanks) => `‹${blanks.length} blanks›`);
  const warnings: string[] = [];
  if (codes.size > 0) warnings.push(`${what} contains hidden characters, shown as codes: ${[...codes].join(", ")}.`);
  if (gap.test(text)) warnings.push(`${what} contains a long gap; read it to the end.`);
  gap.lastIndex = 0;
  const mixed = text.match(word)?.find(hasMixedScripts);
  if (mixed !== undefined) warnings.push(`${what} mixes letters of several alphabets in "${mixed}".`);
  return { text: shown, warnings };
}

/** Whether a word mixes Latin with similar-looking letters, to imitate another name. */
function hasMixedScripts(text: string): boolean {
  return /\p{Script=Latin}/u.test(text) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}]/u.test(text);
}
