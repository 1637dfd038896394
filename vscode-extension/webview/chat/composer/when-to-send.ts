import { textButton } from "../../controls/element.js";
import { html, nothing, type TemplateResult } from "lit";
import type { PromptTime, ViewSettings } from "../../../protocol/index.js";

interface PromptTimes {
  readonly steers: boolean;
  readonly sendKeys: string;
  readonly submit: (when: PromptTime) => void;
}

export function sendKeys({ requireModifierToSend, isMac }: ViewSettings): string {
  if (!requireModifierToSend) return "Enter";
  return isMac ? "Cmd+Enter" : "Ctrl+Enter";
}

export function promptTimes({ steers, sendKeys, submit }: PromptTimes): TemplateResult {
  const time = (label: string, keys: string, when: PromptTime): TemplateResult =>
    textButton(label, () => submit(when), { look: "link", title: keys });
  return html`<div class="composer-times" role="group" aria-label="When to send">
    ${steers ? time("Send now", sendKeys, "send") : nothing} ${time("Queue", steers ? "" : sendKeys, "later")}
    ${time("Stop and send", "Alt+Enter", "together")}
  </div>`;
}
