/**
 * Replaces a part of what is written, so that the field's own Undo can take it back, and puts the caret behind it.
 * The field tells it by an `input` event as if it had been typed.
 */
export function writeInto(field: HTMLTextAreaElement, from: number, to: number, text: string): void {
  field.focus();
  field.setSelectionRange(from, to);
  if (from === to && text === "") return;
  // No other way of writing keeps the field's history: https://github.com/w3c/editing/issues/360
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const isWritten = document.execCommand(text === "" ? "delete" : "insertText", false, text);
  if (isWritten) return;
  field.setRangeText(text, from, to, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/** Whether the caret stands, with nothing selected, on the first (`up`) or last (`down`) line of the text. */
export function isAtEdge(field: HTMLTextAreaElement, direction: "up" | "down"): boolean {
  const { selectionStart, selectionEnd, value } = field;
  if (selectionStart !== selectionEnd) return false;
  return !(direction === "up" ? value.slice(0, selectionStart) : value.slice(selectionEnd)).includes("\n");
}

/** Grows the field with its text where style sheets cannot. */
export function fitHeight(field: HTMLTextAreaElement): void {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
