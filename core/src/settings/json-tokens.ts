/** The scanner's token kinds that are used here; jsonc-parser declares them as an enum that is erased. */
export const tokens = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  space: 15,
  end: 17,
} as const;
