import { comparePositions, type TextEdit } from "@symposium-dev/core";
import { TextDocument } from "vscode-languageserver-textdocument";

/** `text` with all `edits` made; undefined where they overlap or point behind its end. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string | undefined {
  const document = TextDocument.create("text:", "plaintext", 0, text);
  const sorted = [...edits].sort((a, b) => comparePositions(a.range.start, b.range.start));
  const doOverlap = sorted.some((edit, index) => {
    const next = sorted[index + 1];
    return (
      comparePositions(edit.range.end, edit.range.start) < 0 ||
      (next && comparePositions(next.range.start, edit.range.end) < 0)
    );
  });
  // Behind the last line means its end, as servers that replace a whole text say it.
  const isOutside = sorted.some(({ range }) => range.start.line > document.lineCount);
  return doOverlap || isOutside ? undefined : TextDocument.applyEdits(document, sorted);
}
