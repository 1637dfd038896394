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

/** Code or data exactly as the agent gave it, left to right, scrolling by itself. */
export function codeBlock(text: string, label: string): TemplateResult {
  return html`<pre class="card-code" dir="ltr" tabindex="0" role="region" aria-label=${label}>
${visibleText(text)}</pre>`;
}

/** Files that a tool call is about; each opens. */
export function locationLinks(
  locations: readonly Location[],
  { send }: ContentOptions,
): TemplateResult | typeof nothing {
  if (locations.length === 0) return nothing;
  return html`<ul class="card-locations" aria-label="Files">
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

/** What a tool call would do, part by part: changes as a diff, text as it is, the rest as data. */
export function contentParts(content: readonly ToolContent[], options: ContentOptions): TemplateResult[] {
  return content.map((part) => {
    switch (part.type) {
      case "diff":
        return html`<div class="card-path control-note"><bdi>${visibleText(part.path)}</bdi></div>
          <symposium-diff .content=${part} .tabId=${options.tabId} .toolCallId=${options.toolCallId}></symposium-diff>`;
      case "terminal":
        return html``;
      case "unknown":
        return codeBlock(part.json, "Data");
      case "content": {
        const { text } = part.block;
        return codeBlock(typeof text === "string" ? text : JSON.stringify(part.block, undefined, 2), "Content");
      }
    }
  });
}

/** So long a click or key may be meant for what stood in the place before. */
const settlesAfterMs = 500;

/** A card that has just come, or taken another one's place, takes no answer yet. */
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
 * Keeps a keyboard user where they are when a question is answered, and its buttons go: the focus moves to what stands
 * in their place, unless it has gone elsewhere meanwhile.
 */
export class AnsweredFocus {
  #wasInside = false;

  constructor(private readonly card: HTMLElement) {}

  /** To be called before the answer is sent, while the focus is still on the button. */
  note(): void {
    this.#wasInside = this.card.contains(document.activeElement);
  }

  /** To be called when the card shows the answer. */
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
