import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import {
  type ItemOf,
  type Location,
  stopSubagentId,
  type Terminal,
  type ToolContent,
} from "../../../protocol/index.js";
import { icon, iconButton } from "../../controls/element.js";
import { Clock, durationText } from "../items/clock.js";
import { contentBlock } from "../items/content-block.js";
import { ItemElement } from "../items/item-element.js";
import { send } from "../send-message.js";
import "./diff.js";
import "./tool-terminal.js";
import { isOpenByDefault, isRunning, toolIcon, toolKindName, toolState } from "./tool-look.js";

type ToolItem = ItemOf<"tool">;

export interface ToolSource {
  terminal(terminalId: string): Terminal | undefined;
  children(toolCallId: string): readonly ToolItem[];
}

const shownChildren = 50;

class SymposiumTool extends ItemElement<"tool"> {
  static override properties: PropertyDeclarations = {
    ...ItemElement.properties,
    source: { attribute: false },
    version: { attribute: false },
  };
  declare source: ToolSource;
  /** Increased when the call's terminals or children change, to trigger a redraw. */
  declare version: number;
  readonly #clock = new Clock(this, () => isRunning(this.item));

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#clock.hostConnected();
  }

  protected override render(): TemplateResult {
    const { title, toolKind, status } = this.item;
    const isOpen = this.isOpen("body", isOpenByDefault(this.item));
    const state = toolState(status, this.item.exit);
    const isExit = state !== toolState(status);
    const children = this.source.children(this.item.id);
    const canOpen = children.length > 0 || hasBody(this.item);
    const id = this.partId("body");
    const label = `${toolKindName(toolKind)}: ${title}`;
    return html`
      <div class="tool" data-status=${isExit ? "failed" : status} role="group" aria-label="${label}, ${state.label}">
        <div class="tool-head">
          <button
            type="button"
            class="tool-title"
            aria-expanded=${canOpen ? (isOpen ? "true" : "false") : nothing}
            aria-controls=${canOpen && isOpen ? id : nothing}
            ?disabled=${!canOpen}
            @click=${() => this.setOpen("body", !isOpen)}
          >
            ${icon(toolIcon(toolKind))}<span class="tool-name" dir="auto">${title}</span>
            ${canOpen ? icon("chevron-right") : nothing}
          </button>
          ${this.#duration()} ${this.item.canStop === true ? this.#stopButton() : nothing}
          <span class="tool-state" title=${state.label}
            >${icon(state.icon, status === "in_progress")}<span class=${isExit ? "tool-exit" : "control-hidden"}
              >${state.label}</span
            ></span
          >
        </div>
        ${this.#locations()}
        ${isOpen && canOpen ? html`<div class="tool-body" id=${id}>${this.#body(children)}</div>` : nothing}
      </div>
    `;
  }

  #duration(): TemplateResult | typeof nothing {
    const { startedAt, endedAt, status } = this.item;
    if (status === "pending") return nothing;
    const ms = (endedAt ?? Math.max(Date.now(), startedAt)) - startedAt;
    return ms < 1_000 && endedAt !== undefined ? nothing : html`<span class="tool-time">${durationText(ms)}</span>`;
  }

  #locations(): TemplateResult | typeof nothing {
    const diffs = new Set(this.item.content.flatMap((part) => (part.type === "diff" ? [part.path] : [])));
    const shown = this.item.locations.filter(({ path, label }) => !diffs.has(path) && !this.item.title.includes(label));
    if (shown.length === 0) return nothing;
    return html`<ul class="tool-locations" aria-label=${l10n.t("Files")}>
      ${shown.slice(0, 10).map((location) => html`<li>${this.#location(location)}</li>`)}
      ${shown.length > 10 ? html`<li class="quiet">${l10n.t("and {0} more", shown.length - 10)}</li>` : nothing}
    </ul>`;
  }

  #location({ path, line, label }: Location): TemplateResult {
    const open = (): void =>
      send(this, line === undefined ? { type: "open-location", path } : { type: "open-location", path, line });
    return html`<button type="button" class="file-link" title=${path} @click=${open}>
      ${label}${line === undefined ? nothing : `:${line}`}
    </button>`;
  }

  #body(children: readonly ToolItem[]): TemplateResult {
    const { content, input, output } = this.item;
    const hasOutput = content.length > 0;
    return html`
      ${children.length === 0 ? nothing : this.#children(children)} ${content.map((part) => this.#content(part))}
      ${input === undefined ? nothing : this.#text("input", l10n.t("Input"), input, !hasOutput && output === undefined)}
      ${output === undefined ? nothing : this.#text("output", l10n.t("Output"), output, !hasOutput)}
    `;
  }

  #children(children: readonly ToolItem[]): TemplateResult {
    const shown = children.slice(-shownChildren);
    return html`<div class="tool-children" role="group" aria-label=${l10n.t("Sub-agent steps")}>
      ${
        children.length > shown.length
          ? html`<p class="quiet">${l10n.t("{0} earlier steps", children.length - shown.length)}</p>`
          : nothing
      }
      ${shown.map(
        (item) =>
          html`<symposium-tool
            .item=${item}
            .tabId=${this.tabId}
            .context=${this.context}
            .source=${this.source}
            .version=${this.version}
          ></symposium-tool>`,
      )}
    </div>`;
  }

  #content(part: ToolContent): TemplateResult {
    switch (part.type) {
      case "content":
        return html`<div class="tool-content">${contentBlock(part.block, this.context, this)}</div>`;
      case "diff":
        return html`<symposium-diff
          .content=${part}
          .tabId=${this.tabId}
          .toolCallId=${this.item.id}
        ></symposium-diff>`;
      case "terminal":
        return html`<symposium-tool-terminal
          .terminal=${this.source.terminal(part.terminalId)}
          .terminalId=${part.terminalId}
          .tabId=${this.tabId}
          .item=${this.item}
        ></symposium-tool-terminal>`;
      case "unknown":
        return html`<pre class="plain-text" tabindex="0" aria-label=${l10n.t("Content")}>${part.json}</pre>`;
    }
  }

  #text(what: "input" | "output", label: string, text: string, byDefault: boolean): TemplateResult {
    const isOpen = this.isOpen(what, byDefault);
    const id = this.partId(what);
    return html`<div class="tool-part">
      <div class="tool-part-head">
        <button
          type="button"
          class="fold-head quiet"
          aria-expanded=${isOpen ? "true" : "false"}
          aria-controls=${isOpen ? id : nothing}
          @click=${() => this.setOpen(what, !isOpen)}
        >
          ${icon("chevron-right")}<span class="fold-title">${label}</span>
        </button>
        ${iconButton("copy", copies[what], () => send(this, { type: "copy", text }))}
        ${iconButton("link-external", opens[what], () =>
          send(this, { type: "open-full", tabId: this.tabId, itemId: this.item.id, what }),
        )}
      </div>
      ${isOpen ? html`<pre id=${id} class="plain-text" tabindex="0" aria-label=${label}>${text}</pre>` : nothing}
    </div>`;
  }

  #stopButton(): TemplateResult {
    const { id: itemId } = this.item;
    return iconButton("debug-stop", l10n.t("Stop this sub-agent"), () =>
      send(this, { type: "action", tabId: this.tabId, itemId, actionId: stopSubagentId }),
    );
  }
}

const copies = { input: l10n.t("Copy input"), output: l10n.t("Copy output") };
const opens = { input: l10n.t("Open whole input"), output: l10n.t("Open whole output") };

function hasBody({ content, input, output }: ToolItem): boolean {
  return content.length > 0 || input !== undefined || output !== undefined;
}

customElements.define("symposium-tool", SymposiumTool);
