import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ChangedFile } from "../../protocol/index.js";
import { keyed } from "lit/directives/keyed.js";
import { icon, LightElement, iconButton, textButton } from "../controls/element.js";
import { KeptFocus } from "../controls/kept-focus.js";
import { send } from "./send-message.js";

type ReviewAction = "open" | "keep" | "undo";

class SymposiumChangedFiles extends LightElement {
  static override properties: PropertyDeclarations = {
    tabId: { attribute: false },
    files: { attribute: false },
    isOpen: { state: true },
  };
  declare tabId: string;
  declare files: readonly ChangedFile[];
  declare private isOpen: boolean | undefined;

  constructor() {
    super();
    new KeptFocus(this, "li");
  }

  protected override render(): unknown {
    const { files } = this;
    if (files.length === 0) return nothing;
    const isOpen = this.isOpen === true;
    const added = files.reduce((sum, file) => sum + file.added, 0);
    const removed = files.reduce((sum, file) => sum + file.removed, 0);
    // Key the element by tab, so that a click during a tab switch can't affect the new tab.
    return keyed(
      this.tabId,
      html`<section class="changed-files" aria-label=${l10n.t("Changed files")}>
        <div class="changed-head">
          <button
            type="button"
            class="fold-head"
            aria-expanded=${isOpen ? "true" : "false"}
            aria-controls=${isOpen ? "changed-list" : nothing}
            @click=${() => (this.isOpen = !isOpen)}
          >
            ${icon("chevron-right")}
            <span class="fold-title"
              >${files.length === 1 ? l10n.t("1 file changed") : l10n.t("{0} files changed", files.length)}</span
            >
            ${counts(added, removed)}
          </button>
          ${textButton(l10n.t("Keep"), () => this.#review("keep"), { look: "secondary", title: l10n.t("Keep all changes") })}
          ${textButton(l10n.t("Undo"), () => this.#review("undo"), { look: "secondary", title: l10n.t("Undo all changes") })}
          ${iconButton("diff-multiple", l10n.t("Review all changes"), () => this.#review("open"))}
        </div>
        ${
          isOpen
            ? html`<ul class="changed-list" id="changed-list">
                ${repeat(
                  files,
                  ({ uri }) => uri,
                  (file) => this.#file(file),
                )}
              </ul>`
            : nothing
        }
      </section>`,
    );
  }

  #file({ uri, label, added, removed, state, note }: ChangedFile): TemplateResult {
    return html`<li>
      <button
        type="button"
        class="changed-file is-${state}"
        title=${l10n.t("Review {0}", label)}
        @click=${() => this.#review("open", uri)}
      >
        <span class="changed-label">${label}</span
        >${state === "modified" ? nothing : html`<span class="badge">${state === "created" ? l10n.t("new") : l10n.t("deleted")}</span>`}
        ${note === undefined ? nothing : html`<span class="badge">${note}</span>`}
      </button>
      ${counts(added, removed)} ${iconButton("check", l10n.t("Keep {0}", label), () => this.#review("keep", uri))}
      ${iconButton("discard", l10n.t("Undo {0}", label), () => this.#review("undo", uri))}
    </li>`;
  }

  #review(action: ReviewAction, uri?: string): void {
    send(this, { type: "review", tabId: this.tabId, action, ...(uri === undefined ? {} : { uri }) });
  }
}

function counts(added: number, removed: number): TemplateResult {
  return html`<span class="diff-counts" role="img" aria-label=${l10n.t("{0} added, {1} removed", added, removed)}
    ><span class="diff-added">+${added}</span> <span class="diff-removed">−${removed}</span></span
  >`;
}

customElements.define("symposium-changed-files", SymposiumChangedFiles);
