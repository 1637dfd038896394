import * as l10n from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import type { AgentEntry, FromSettingsView } from "../../protocol/settings.js";
import { ask as askPage, icon, textButton } from "../controls/element.js";

interface RowState {
  readonly problem?: string | undefined;
  readonly progress?: AgentEntry["progress"];
}

export function rowState({ problem, progress }: RowState, cancel?: () => void): TemplateResult {
  return html`${problem === undefined ? nothing : html`<div class="control-error row-problem">${problem}</div>`}
  ${
    progress === undefined
      ? nothing
      : html`<div class="row-progress">
          ${icon("loading", true)}<span role="status">${progress.label}</span>
          ${cancel === undefined ? nothing : textButton(l10n.t("Cancel"), cancel, { look: "link" })}
          ${
            progress.percent === undefined
              ? nothing
              : html`<progress max="100" value=${progress.percent} aria-label=${progress.label}></progress>`
          }
        </div>`
  }`;
}

interface Updatable {
  readonly name: string;
  readonly newerVersion?: string | undefined;
}

export function updateButton({ name, newerVersion }: Updatable, run: () => void): TemplateResult | typeof nothing {
  if (newerVersion === undefined) return nothing;
  return textButton(l10n.t("Update to {0}", newerVersion), run, {
    look: "secondary",
    label: l10n.t("Update to {0}: {1}", newerVersion, name),
  });
}

export function withCode(text: string): unknown[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** Asks the page to send a message of the settings page. */
export const ask: (element: EventTarget, message: FromSettingsView) => void = askPage;
