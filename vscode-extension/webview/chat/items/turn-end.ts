import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { icon, textButton, iconButton } from "../../controls/element.js";
import { send } from "../send-message.js";
import { durationText } from "./clock.js";
import { ItemElement } from "./item-element.js";

const reasons: Readonly<Record<string, { icon: string; text: string } | undefined>> = {
  end_turn: undefined,
  cancelled: { icon: "debug-stop", text: l10n.t("Stopped") },
  interrupted: { icon: "debug-disconnect", text: l10n.t("Interrupted") },
  max_tokens: { icon: "warning", text: l10n.t("Stopped at the token limit; ask it to continue") },
  max_turn_requests: { icon: "warning", text: l10n.t("Stopped at the request limit; ask it to continue") },
  refusal: { icon: "circle-slash", text: l10n.t("The agent declined to answer") },
};

/** End of a turn: the reason, its duration and tokens, and a button that copies the answer. */
class SymposiumTurnEnd extends ItemElement<"turn-end"> {
  static override properties: PropertyDeclarations = {
    ...ItemElement.properties,
    // The function is called only when the user presses a button, so a new function needs no redraw.
    answer: { attribute: false, hasChanged: () => false },
  };
  declare answer: (() => string) | undefined;

  protected override render(): TemplateResult {
    const { stopReason, durationMs, inputTokens, outputTokens } = this.item;
    const reason = Object.hasOwn(reasons, stopReason)
      ? reasons[stopReason]
      : { icon: "info", text: l10n.t("Stopped: {0}", stopReason) };
    const facts = [
      durationMs === undefined ? "" : durationText(durationMs),
      tokensText(inputTokens, outputTokens),
    ].filter((fact) => fact !== "");
    return html`
      <div class="turn-end">
        ${reason === undefined ? nothing : html`<span class="turn-reason">${icon(reason.icon)}${reason.text}</span>`}
        ${facts.length === 0 ? nothing : html`<span class="turn-facts">${facts.join(" · ")}</span>`}
        <span class="turn-actions">
          ${iconButton("copy", l10n.t("Copy answer"), this.#copy)}
          ${iconButton("repo-forked", l10n.t("Fork into a new tab"), this.#fork, { title: l10n.t("Fork conversation from here") })}
        </span>
      </div>
      ${this.item.tellsOfKeeping === true ? this.#kept() : nothing}
    `;
  }

  #kept(): TemplateResult {
    return html`
      <p class="turn-note">
        ${l10n.t("Symposium stores your conversations on this machine, only for you.")}
        ${textButton(l10n.t("Conversations"), () => send(this, { type: "show-history" }), { look: "link" })}
        ${textButton(l10n.t("Setting"), this.#openSetting, { look: "link" })}
      </p>
    `;
  }

  readonly #openSetting = (): void =>
    send(this, { type: "action", tabId: this.tabId, itemId: this.item.id, actionId: "conversation-settings" });

  readonly #fork = (): void =>
    send(this, { type: "fork", tabId: this.tabId, itemId: this.item.id, newTabId: crypto.randomUUID() });
  readonly #copy = (): void => send(this, { type: "copy", text: this.answer?.() ?? "" });
}

function tokensText(input: number | undefined, output: number | undefined): string {
  const [read, written] = [input?.toLocaleString("en"), output?.toLocaleString("en")];
  if (read === undefined) return written === undefined ? "" : l10n.t("{0} out tokens", written);
  return written === undefined ? l10n.t("{0} in tokens", read) : l10n.t("{0} in, {1} out tokens", read, written);
}

customElements.define("symposium-turn-end", SymposiumTurnEnd);
