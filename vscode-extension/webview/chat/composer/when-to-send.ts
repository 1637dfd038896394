import { html, nothing, type TemplateResult } from "lit";
import type { PromptTime, ViewSettings } from "../../../protocol/index.js";

interface PromptTimes {
  /** What is sent goes into the running turn. */
  readonly steers: boolean;
  /** The key that sends, in words. */
  readonly sendKeys: string;
  readonly submit: (when: PromptTime) => void;
}

/** The keys that send a prompt, in words. */
export function sendKeys({ requireModifierToSend, isMac }: ViewSettings): string {
  if (!requireModifierToSend) return "Enter";
  return isMac ? "Cmd+Enter" : "Ctrl+Enter";
}

/** The choice of when something is said, while a turn runs. */
export function promptTimes({ steers, sendKeys, submit }: PromptTimes): TemplateResult {
  const time = (label: string, keys: string, when: PromptTime): TemplateResult =>
    html`<button type="button" class="control-button link" title=${keys} @click=${() => submit(when)}>
      ${label}
    </button>`;
  return html`<div class="composer-times" role="group" aria-label="When to send">
    ${steers ? time("Send now", sendKeys, "send") : nothing} ${time("Queue", steers ? "" : sendKeys, "later")}
    ${time("Stop and send", "Alt+Enter", "together")}
  </div>`;
}
