import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { ItemOf, Terminal } from "../../../protocol/index.js";
import { LightElement, iconButton } from "../../controls/element.js";
import { send } from "../send-message.js";
import "./terminal-output.js";
import { exitText, isRunning } from "./tool-look.js";

class SymposiumToolTerminal extends LightElement {
  static override properties: PropertyDeclarations = {
    terminal: { attribute: false },
    terminalId: { attribute: false },
    tabId: { attribute: false },
    item: { attribute: false },
  };
  declare terminal: Terminal | undefined;
  declare terminalId: string;
  declare tabId: string;
  declare item: ItemOf<"tool">;

  protected override render(): TemplateResult {
    const { terminal } = this;
    const hasOutput = terminal !== undefined && terminal.text !== "";
    const isLive = terminal !== undefined && terminal.exit === undefined && isRunning(this.item);
    return html`
      <div class="command">
        ${
          !hasOutput
            ? html`<p class="quiet command-empty">${isLive ? l10n.t("No output yet") : l10n.t("No output")}</p>`
            : html`<symposium-output
                .terminal=${terminal}
                aria-label=${l10n.t("Output of {0}", this.item.title)}
              ></symposium-output>`
        }
        ${isLive || hasOutput || terminal?.exit !== undefined ? this.#foot(terminal, isLive) : nothing}
      </div>
    `;
  }

  #foot(terminal: Terminal | undefined, isLive: boolean): TemplateResult {
    const text = terminal?.text ?? "";
    return html`<div class="command-foot">
      <span class="quiet">${endText(terminal, isLive)}</span>
      ${isLive ? iconButton("debug-stop", l10n.t("Kill"), () => send(this, { type: "kill-terminal", ...this.#ids })) : nothing}
      ${
        text === ""
          ? nothing
          : html`${iconButton("copy", l10n.t("Copy output"), () => send(this, { type: "copy", text: plain(text) }))}
            ${iconButton("link-external", l10n.t("Open full log"), () =>
              send(this, { type: "open-full", tabId: this.tabId, itemId: this.item.id, what: this.terminalId }),
            )}`
      }
    </div>`;
  }

  get #ids(): { tabId: string; terminalId: string } {
    return { tabId: this.tabId, terminalId: this.terminalId };
  }
}

function endText(terminal: Terminal | undefined, isLive: boolean): string {
  if (isLive) return l10n.t("running");
  return terminal?.exit === undefined ? "" : exitText(terminal.exit) || "ended";
}

function plain(text: string): string {
  return text.replace(/\u001b\[[\d;:?<=>]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/gu, "");
}

customElements.define("symposium-tool-terminal", SymposiumToolTerminal);
