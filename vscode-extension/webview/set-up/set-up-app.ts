import * as l10n from "@vscode/l10n";
import { html, nothing } from "lit";
import type { FromSetUp, SetUpFinding, SetUpState } from "../../protocol/set-up.js";
import { ask, icon, LightElement, textButton } from "../controls/element.js";
import { keyedRows } from "../controls/keyed-rows.js";
import { KeptFocus } from "../controls/kept-focus.js";

interface Look {
  readonly icon: string;
  readonly word: string;
}

const looks: Readonly<Record<SetUpFinding["status"], Look>> = {
  fail: { icon: "error", word: l10n.t("Failed") },
  warn: { icon: "warning", word: l10n.t("Warning") },
  ok: { icon: "pass", word: l10n.t("Passed") },
};

const optionalLook: Look = { icon: "info", word: l10n.t("Not found") };

export class SetUpApp extends LightElement {
  static override properties = { state: { attribute: false } };
  declare state: SetUpState | undefined;

  constructor() {
    super();
    new KeptFocus(this, ".finding");
  }

  override render(): unknown {
    const { state } = this;
    if (state === undefined) return html`<main class="set-up" aria-busy="true"></main>`;
    const { faults, warnings, optional, right, isChecking } = state;
    return html`<main class="set-up" aria-busy=${isChecking}>
      <header>
        <h1>${l10n.t("Your setup")}</h1>
        <p class="set-up-summary" role="status">${summary(state)}</p>
        <div class="button-row">
          ${textButton(l10n.t("Check Again"), () => !isChecking && this.#send({ type: "check-again" }), {
            icon: "refresh",
            isBlocked: isChecking,
          })}
          ${textButton(l10n.t("Show Log"), () => this.#send({ type: "show-log" }), { look: "secondary", icon: "output" })}
          ${textButton(l10n.t("Copy as Text"), () => this.#send({ type: "copy" }), { look: "secondary", icon: "copy" })}
        </div>
      </header>
      ${this.#section("wrong", l10n.t("Failed"), faults)} ${this.#section("look-at", l10n.t("Warnings"), warnings)}
      ${this.#section("right", l10n.t("Passed"), right)}
      ${this.#section(
        "optional",
        l10n.t("Optional, not found"),
        optional,
        l10n.t("Only some agents and extensions need these programs."),
      )}
    </main>`;
  }

  #section(id: string, title: string, findings: readonly SetUpFinding[], note?: string): unknown {
    if (findings.length === 0) return nothing;
    return html`<section aria-labelledby=${id}>
      <h2 id=${id}>${title}</h2>
      ${note === undefined ? nothing : html`<p class="control-note">${note}</p>`}
      <ul>
        ${keyedRows(
          findings,
          ({ about, text }) => `${about} ${text}`,
          (finding) => this.#finding(finding, note === undefined ? looks[finding.status] : optionalLook),
        )}
      </ul>
    </section>`;
  }

  #finding({ about, status, text, remedy, actions }: SetUpFinding, look: Look): unknown {
    return html`<li class="finding ${look.icon}">
      <span class="finding-icon">${icon(look.icon)}<span class="control-hidden">${look.word}:</span></span>
      <div class="finding-body">
        <div><strong>${about}</strong> <span class="finding-text">${text}</span></div>
        ${remedy === undefined ? nothing : html`<div class="control-note">${remedy}</div>`}
        ${
          actions.length === 0
            ? nothing
            : html`<div class="button-row">
                ${keyedRows(
                  actions,
                  ({ id }) => id,
                  ({ id, label }, at) =>
                    textButton(label, () => this.#send({ type: "act", id }), {
                      look: status === "fail" && at === 0 ? "" : "secondary",
                      label: `${label}: ${about.replace(/:$/, "")}`,
                    }),
                )}
              </div>`
        }
      </div>
    </li>`;
  }

  #send(detail: FromSetUp): void {
    ask(this, detail);
  }
}

function summary({ agentName, isChecking, faults, warnings }: SetUpState): unknown {
  const what = agentName === undefined ? "" : ` ${l10n.t("and {0}", agentName)}`;
  if (isChecking) return html`${icon("loading", true)} ${l10n.t("Checking this window, the command{0}…", what)}`;
  if (faults.length > 0) {
    return html`${icon("error")}
    ${faults.length === 1 ? l10n.t("1 problem found.") : l10n.t("{0} problems found.", faults.length)}`;
  }
  if (warnings.length === 0) return html`${icon("pass")} ${l10n.t("No problems found.")}`;
  const some =
    warnings.length === 1
      ? l10n.t("No problems found, 1 warning.")
      : l10n.t("No problems found, {0} warnings.", warnings.length);
  return html`${icon("pass")} ${some}`;
}

customElements.define("symposium-set-up", SetUpApp);
