import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { TabState, ToExtension } from "../../protocol/index.js";
import { keyed } from "lit/directives/keyed.js";
import { icon, LightElement, iconButton, textButton } from "../controls/element.js";
import { send } from "./send-message.js";

type WorktreeAction = Extract<ToExtension, { type: "worktree" }>["action"];

class SymposiumWorktreeBar extends LightElement {
  static override properties: PropertyDeclarations = {
    tabId: { attribute: false },
    worktree: { attribute: false },
    isBusy: { attribute: false },
  };
  declare tabId: string;
  declare worktree: TabState["worktree"];
  /** True while the agent works. A merge would then miss the agent's next changes. */
  declare isBusy: boolean;

  protected override render(): unknown {
    if (!this.worktree) return nothing;
    const { name, branch, path } = this.worktree;
    // Key the element by tab, so that a click during a tab switch can't affect the new tab.
    return keyed(
      this.tabId,
      html`<section class="worktree-bar" aria-label=${l10n.t("Worktree of this chat")}>
        <span class="worktree-name" title=${l10n.t("{0} in {1}", branch, path)}>${icon("git-branch")} ${name}</span>
        ${textButton(l10n.t("Merge…"), () => this.#act("merge"), {
          look: "secondary",
          title: l10n.t("Merge its changes into the main folder for review"),
          isDisabled: this.isBusy,
        })}
        ${this.#button("empty-window", l10n.t("Open the worktree in a new window"), "open")}
        ${this.#button("trash", l10n.t("Remove the worktree"), "remove")}
      </section>`,
    );
  }

  #button(image: string, label: string, action: WorktreeAction): TemplateResult {
    return iconButton(image, label, () => this.#act(action));
  }

  #act(action: WorktreeAction): void {
    send(this, { type: "worktree", tabId: this.tabId, action });
  }
}

customElements.define("symposium-worktree-bar", SymposiumWorktreeBar);
