/** The text without halves of characters, which no UTF-8 can say; clients cut texts in the middle of one. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}
