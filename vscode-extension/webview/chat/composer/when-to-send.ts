import * as l10n from "@vscode/l10n";
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
  return html`<div class="composer-times" role="group" aria-label=${l10n.t("When to send")}>
    ${steers ? time(l10n.t("Send now"), sendKeys, "send") : nothing}
    ${time(l10n.t("Queue"), steers ? "" : sendKeys, "later")} ${time(l10n.t("Stop and send"), "Alt+Enter", "together")}
  </div>`;
}
