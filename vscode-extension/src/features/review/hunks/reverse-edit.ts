/** Replacement reported by an agent: the whole file or only the lines around the change. */
export interface ReportedEdit {
  readonly oldText: string | null;
  readonly newText: string;
}

/**
 * Reconstructs the text before the reported edits. Each new text must occur exactly once; otherwise returns undefined instead of a guessed
 * baseline.
 */
export function reverseEdits(after: string, edits: readonly ReportedEdit[]): string | null | undefined {
  let text = after;
  for (const { oldText, newText } of [...edits].reverse()) {
    if (text === newText) {
      if (oldText === null) return null;
      text = oldText;
      continue;
    }
    if (oldText === null || newText === "") return undefined;
    const at = text.indexOf(newText);
    if (at === -1 || text.indexOf(newText, at + 1) !== -1) return undefined;
    text = text.slice(0, at) + oldText + text.slice(at + newText.length);
  }
  return text;
}
