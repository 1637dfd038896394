import type { Attachment } from "../../../protocol/index.js";

const icons: Readonly<Record<Attachment["type"], string>> = {
  file: "file",
  folder: "folder",
  symbol: "symbol-method",
  selection: "list-selection",
  problems: "warning",
  terminal: "terminal",
  "git-diff": "git-compare",
  image: "file-media",
  text: "note",
};

/** The codicon of an attachment. */
export function attachmentIcon({ type }: Attachment): string {
  return icons[type];
}

/** The label of an attachment, with its lines where it has some. */
export function attachmentLabel(attachment: Attachment): string {
  if (attachment.type !== "symbol" && attachment.type !== "selection") return attachment.label;
  const { label, startLine, endLine } = attachment;
  if (/:\d+(?:-\d+)?$/u.test(label)) return label;
  return startLine === endLine ? `${label}:${startLine}` : `${label}:${startLine}-${endLine}`;
}
