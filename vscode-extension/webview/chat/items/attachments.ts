import * as l10n from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import type { Attachment } from "../../../protocol/index.js";
import { icon } from "../../controls/element.js";

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

export function attachmentIcon({ type }: Attachment): string {
  return icons[type];
}

export function attachmentLabel(attachment: Attachment): string {
  if (attachment.type !== "symbol" && attachment.type !== "selection") return attachment.label;
  const { label, startLine, endLine } = attachment;
  if (/:\d+(?:-\d+)?$/u.test(label)) return label;
  return startLine === endLine ? `${label}:${startLine}` : `${label}:${startLine}-${endLine}`;
}

interface ChipActions {
  readonly open: (attachment: Attachment) => void;
  readonly remove: (index: number) => void;
}

/** Attachment chips of a prompt. A click opens an attachment; its button or Delete removes it. */
export function attachmentChips(
  attachments: readonly Attachment[],
  actions: ChipActions,
): TemplateResult | typeof nothing {
  if (attachments.length === 0) return nothing;
  return html`<ul class="chips" aria-label=${l10n.t("Attachments")}>
    ${attachments.map((attachment, index) => chip(attachment, index, actions))}
  </ul>`;
}

function chip(attachment: Attachment, index: number, { open, remove }: ChipActions): TemplateResult {
  const label = attachmentLabel(attachment);
  return html`<li class="chip" @keydown=${(event: KeyboardEvent) => removeByKey(event, () => remove(index))}>
    <button type="button" class="chip-open" title=${titleOf(attachment)} @click=${() => open(attachment)}>
      ${
        attachment.type === "image"
          ? html`<img class="chip-image" alt="" src="data:${attachment.mimeType};base64,${attachment.data}" />`
          : icon(attachmentIcon(attachment))
      }
      <span class="chip-label">${label}</span>
    </button>
    <button
      type="button"
      class="chip-remove"
      aria-label=${l10n.t("Remove {0}", label)}
      title=${l10n.t("Remove")}
      @click=${() => remove(index)}
    >
      ${icon("close")}
    </button>
  </li>`;
}

function removeByKey(event: KeyboardEvent, remove: () => void): void {
  if (event.key !== "Delete" && event.key !== "Backspace") return;
  event.preventDefault();
  remove();
}

function titleOf(attachment: Attachment): string {
  if (!("uri" in attachment) || attachment.uri === undefined) return attachment.label;
  try {
    return decodeURIComponent(attachment.uri);
  } catch {
    return attachment.uri;
  }
}

export function isAttached(attachments: readonly Attachment[], one: Attachment): boolean {
  const text = JSON.stringify(one);
  return attachments.some((other) => other.type === one.type && JSON.stringify(other) === text);
}
