import * as l10n from "@vscode/l10n";
import type { AttributeReview } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";
import type { ReviewedFile } from "../review-book.js";

const executable = 0o111;

/** Describes changes that line counts don't show: attributes and line ends. */
export function wordsOfChange({ attributes, review }: ReviewedFile): string[] {
  return [...(attributes ? wordsOfAttributes(attributes) : []), ...wordsOfLineEnds(review.baseline, review.current)];
}

export function wordsOfAttributes({ baseline, current }: AttributeReview): string[] {
  const words: string[] = [];
  const [could, can] = [(baseline.mode & executable) !== 0, (current.mode & executable) !== 0];
  if (can && !could) words.push(l10n.t("made executable"));
  else if (could && !can) words.push(l10n.t("no longer executable"));
  else if (baseline.mode !== current.mode)
    words.push(l10n.t("permissions {0}, before {1}", current.mode.toString(8), baseline.mode.toString(8)));
  if (current.hasMark && !baseline.hasMark) words.push(l10n.t("byte order mark added"));
  if (baseline.hasMark && !current.hasMark) words.push(l10n.t("byte order mark removed"));
  return words;
}

function wordsOfLineEnds(before: FileText, now: FileText): string[] {
  if (before === null || now === null || before.length === now.length) return [];
  // Compare the lengths first, because this check runs for every listed file on each change.
  const [longer, shorter] = before.length > now.length ? [before, now] : [now, before];
  if (!longer.includes("\r\n") || !/(?<!\r)\n/.test(shorter)) return [];
  if (before.replaceAll("\r\n", "\n") !== now.replaceAll("\r\n", "\n")) return [];
  return [now.length > before.length ? l10n.t("line endings changed to CRLF") : l10n.t("line endings changed to LF")];
}
