import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { ToolContent } from "../../../protocol/index.js";
import { icon } from "../../controls/icon.js";
import { visibleLabel, visibleText } from "../cards/visible-text.js";
import { LightElement } from "../light-element.js";
import { send } from "../send.js";
import { type DiffLine, diffLines } from "./diff-lines.js";

export type DiffContent = Extract<ToolContent, { type: "diff" }>;

const foldedLines = 24;
const marks: Readonly<Record<DiffLine["kind"], string>> = { context: " ", added: "+", removed: "-", gap: "" };
const words: Readonly<Record<DiffLine["kind"], string>> = {
  context: "",
  added: "added: ",
  removed: "removed: ",
  gap: "",
};

/** One file's change: `<symposium-diff .content .tabId .toolCallId>`. Long ones are folded. */
export class SymposiumDiff extends LightElement {
  static override properties: PropertyDeclarations = {
    content: { attribute: false },
    tabId: { attribute: false },
    toolCallId: { attribute: false },
    isUnfolded: { state: true },
  };
  declare content: DiffContent;
  declare tabId: string;
  declare toolCallId: string;
  declare private isUnfolded: boolean | undefined;

  protected override render(): TemplateResult {
    const { path, patch, added, removed, isNewFile, isCut } = this.content;
    const lines = diffLines(patch);
    const isFolded = this.isUnfolded !== true && lines.length > foldedLines;
    const shown = isFolded ? lines.slice(0, foldedLines) : lines;
    const name = path.split(/[\\/]/u).at(-1) ?? path;
    return html`
      <div class="diff">
        <div class="diff-head">
          <button type="button" class="diff-path" title=${visibleLabel(path)} @click=${this.#openFile}>
            ${visibleText(name)}
          </button>
          ${isNewFile ? html`<span class="badge">new</span>` : nothing}
          <span class="diff-counts">
            <span class="diff-added" aria-label="${added} lines added">+${added}</span>
            <span class="diff-removed" aria-label="${removed} lines removed">−${removed}</span>
          </span>
          <button
            type="button"
            class="control-icon"
            title="Open diff"
            aria-label="Open diff of ${name}"
            @click=${this.#openDiff}
          >
            ${icon("diff")}
          </button>
        </div>
        ${
          shown.length === 0 || patch === ""
            ? nothing
            : html`<div class="diff-lines" dir="ltr" tabindex="0" role="group" aria-label="Changes in ${name}">
                ${shown.map(diffLine)}
              </div>`
        }
        ${
          isFolded
            ? html`<button type="button" class="control-button link" @click=${this.#unfold}>
                Show ${lines.length - foldedLines} more lines
              </button>`
            : nothing
        }
        ${
          isCut && !isFolded
            ? html`<button type="button" class="control-button link" @click=${this.#openDiff}>
                There is more: open the whole diff
              </button>`
            : nothing
        }
      </div>
    `;
  }

  readonly #unfold = (): void => {
    this.isUnfolded = true;
  };

  readonly #openFile = (): void => send(this, { type: "open-location", path: this.content.path });

  readonly #openDiff = (): void =>
    send(this, { type: "open-diff", tabId: this.tabId, toolCallId: this.toolCallId, path: this.content.path });
}

function diffLine({ kind, text, before, after }: DiffLine): TemplateResult {
  const word = words[kind];
  return html`<div class="diff-line is-${kind}">
    <span class="diff-number" aria-hidden="true">${after ?? before ?? ""}</span
    ><span class="diff-mark" aria-hidden="true">${marks[kind]}</span
    ><span class="diff-text"
      >${word === "" ? nothing : html`<span class="control-hidden">${word}</span>`}${
        kind === "gap" && text === "" ? "⋯" : visibleText(text)
      }</span
    >
  </div>`;
}

customElements.define("symposium-diff", SymposiumDiff);
