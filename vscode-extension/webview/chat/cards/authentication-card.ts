import { filledText } from "../../controls/filled-text.js";
import * as l10n from "@vscode/l10n";
import { html, nothing } from "lit";
import type { ItemOf } from "../../../protocol/index.js";
import { icon, LightElement, textButton } from "../../controls/element.js";
import { send } from "../send-message.js";
import { AnsweredFocus } from "./card-parts.js";
import { visibleText } from "./visible-text.js";

type AuthenticationItem = ItemOf<"authentication">;

class AuthenticationCard extends LightElement {
  static override properties = { tabId: {}, item: { attribute: false } };
  declare tabId: string;
  declare item: AuthenticationItem | undefined;
  readonly #focus = new AnsweredFocus(this);

  constructor() {
    super();
    this.tabId = "";
  }

  override render(): unknown {
    const { item } = this;
    if (item === undefined) return nothing;
    if (item.state === "done") {
      return html`<div class="card answered card-line" tabindex="-1">
        ${icon("pass")}<span>${filledText(l10n.t("Signed in to {0}."), visibleText(item.agentName))}</span>
      </div>`;
    }
    return html`<section class="card" aria-labelledby="sign-in-${item.id}">
      <h3 class="card-title" id="sign-in-${item.id}">
        ${icon("account")}<span>${filledText(l10n.t("Sign in to {0}"), visibleText(item.agentName))}</span>
      </h3>
      <p>${visibleText(item.reason)}</p>
      ${this.#ways(item)}
      <div role="status">${stateText(item)}</div>
      ${textButton(l10n.t("Continue with…"), () => send(this, { type: "continue-with", tabId: this.tabId }), {
        look: "link",
        title: l10n.t("Continue this conversation with another agent, in a new tab"),
      })}
    </section>`;
  }

  #ways(item: AuthenticationItem): unknown {
    if (item.methods.length === 0) {
      return html`<p>
        ${l10n.t("The agent offers no way to sign in from here. Sign in with its own command, then send your prompt.")}
      </p>`;
    }
    if (item.state === "over")
      return html`<p>
        ${l10n.t("This request has ended. If the agent still needs an answer, your next prompt asks again.")}
      </p>`;
    return html`<ul class="card-methods">
      ${item.methods.map((method) => this.#method(item, method))}
    </ul>`;
  }

  #method(
    item: AuthenticationItem,
    { id, name, description, isTerminal }: AuthenticationItem["methods"][number],
  ): unknown {
    return html`<li>
      ${textButton(visibleText(name), () => this.#signIn(item, id), {
        icon: isTerminal ? "terminal" : "sign-in",
        isDisabled: item.state === "running",
      })}
      ${
        description === undefined && !isTerminal
          ? nothing
          : html`<div class="control-note">
              ${visibleText(description ?? "")}${isTerminal ? l10n.t(" Opens a terminal.") : ""}
            </div>`
      }
    </li>`;
  }

  protected override updated(): void {
    if (this.item?.state === "done") this.#focus.restore();
  }

  #signIn({ id }: AuthenticationItem, methodId: string): void {
    this.#focus.note();
    send(this, { type: "authenticate", tabId: this.tabId, id, methodId });
  }
}

function stateText({ state }: AuthenticationItem): unknown {
  if (state === "running")
    return html`<div class="card-line">${icon("loading", true)}<span>${l10n.t("Signing in…")}</span></div>`;
  if (state === "failed")
    return html`<div class="control-error">${l10n.t("Sign-in failed. Try again, or choose another method.")}</div>`;
  return nothing;
}

customElements.define("symposium-authentication-card", AuthenticationCard);
