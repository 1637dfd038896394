import * as l10n from "@vscode/l10n";
import { html, type LitElement, nothing, type TemplateResult } from "lit";
import type { Location, ToExtension, ToolContent } from "../../../protocol/index.js";
import { icon } from "../../controls/element.js";
import "../tool/diff.js";
import { visibleText } from "./visible-text.js";

interface ContentOptions {
  readonly tabId: string;
  readonly toolCallId: string;
  readonly send: (message: ToExtension) => void;
}

export function codeBlock(text: string, label: string): TemplateResult {
  return html`<pre class="card-code" dir="ltr" tabindex="0" role="region" aria-label=${label}>
${visibleText(text)}</pre>`;
}

export function locationLinks(
  locations: readonly Location[],
  { send }: ContentOptions,
): TemplateResult | typeof nothing {
  if (locations.length === 0) return nothing;
  return html`<ul class="card-locations" aria-label=${l10n.t("Files")}>
    ${locations.map(
      ({ path, line, label }) =>
        html`<li>
          <button
            type="button"
            class="control-button link"
            title=${path}
            @click=${() => send({ type: "open-location", path, ...(line === undefined ? {} : { line }) })}
          >
            ${icon("go-to-file")}<bdi>${visibleText(line === undefined ? label : `${label}:${line}`)}</bdi>
          </button>
        </li>`,
    )}
  </ul>`;
}

export function contentParts(content: readonly ToolContent[], options: ContentOptions): TemplateResult[] {
  return content.map((part) => {
    switch (part.type) {
      case "diff":
        return html`<div class="card-path control-note"><bdi>${visibleText(part.path)}</bdi></div>
          <symposium-diff .content=${part} .tabId=${options.tabId} .toolCallId=${options.toolCallId}></symposium-diff>`;
      case "terminal":
        return html``;
      case "unknown":
        return codeBlock(part.json, l10n.t("Data"));
      case "content": {
        const { text } = part.block;
        return codeBlock(typeof text === "string" ? text : JSON.stringify(part.block, undefined, 2), l10n.t("Content"));
      }
    }
  });
}

/** Time in which a click or key may have been meant for the previous content. */
const settlesAfterMs = 500;

/** Blocks answers on a card that just appeared or replaced another one. */
export class Settling {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly card: LitElement) {}

  get isOver(): boolean {
    return this.#timer === undefined;
  }

  begin(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.card.requestUpdate();
    }, settlesAfterMs);
  }
}

/**
 * Preserves keyboard focus when an answered question loses its buttons: moves the focus to the answer, unless the user has moved it
 * elsewhere.
 */
export class AnsweredFocus {
  #wasInside = false;

  constructor(private readonly card: HTMLElement) {}

  /** Call before the answer is sent, while the button still has the focus. */
  note(): void {
    this.#wasInside = this.card.contains(document.activeElement);
  }

  restore(): void {
    if (!this.#wasInside) return;
    this.#wasInside = false;
    if (!document.hasFocus()) return;
    const { activeElement } = document;
    if (activeElement !== null && activeElement !== document.body && !this.card.contains(activeElement)) return;
    const answer = this.card.querySelector<HTMLElement>(".answered");
    (answer?.querySelector("summary") ?? answer)?.focus();
  }
}
