import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { ToolContent } from "../../../protocol/index.js";
import { LightElement, textButton, iconButton } from "../../controls/element.js";
import { visibleLabel, visibleText } from "../cards/visible-text.js";
import { send } from "../send-message.js";
import { colouredLines, type DiffLine, diffLines } from "./diff-lines.js";

type DiffContent = Extract<ToolContent, { type: "diff" }>;

const foldedLines = 24;
const marks: Readonly<Record<DiffLine["kind"], string>> = { context: " ", added: "+", removed: "-", gap: "" };
const words: Readonly<Record<DiffLine["kind"], string>> = {
  context: "",
  added: l10n.t("added: "),
  removed: l10n.t("removed: "),
  gap: "",
};

class SymposiumDiff extends LightElement {
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
    const { path, patch, added, removed, isNewFile, isCut, startsAt } = this.content;
    const lines = diffLines(patch, startsAt);
    const coloured = colouredLines(lines, languageOf(path));
    const digits = Math.max(...lines.map(({ before = 0, after = 0 }) => String(Math.max(before, after)).length));
    const isFolded = this.isUnfolded !== true && lines.length > foldedLines;
    const shown = isFolded ? lines.slice(0, foldedLines) : lines;
    const name = path.split(/[\\/]/u).at(-1) ?? path;
    return html`
      <div class="diff">
        <div class="diff-head">
          <button type="button" class="diff-path" title=${visibleLabel(path)} @click=${this.#openFile}>
            ${visibleText(name)}
          </button>
          ${isNewFile ? html`<span class="badge">${l10n.t("new")}</span>` : nothing}
          <span class="diff-counts">
            <span class="diff-added" aria-label=${l10n.t("{0} lines added", added)}>+${added}</span>
            <span class="diff-removed" aria-label=${l10n.t("{0} lines removed", removed)}>−${removed}</span>
          </span>
          ${iconButton("diff", l10n.t("Open diff of {0}", name), this.#openDiff, { title: l10n.t("Open diff") })}
        </div>
        ${
          shown.length === 0 || patch === ""
            ? nothing
            : html`<div
                class="diff-lines"
                dir="ltr"
                tabindex="0"
                role="group"
                aria-label=${l10n.t("Changes in {0}", name)}
              >
                ${shown.map((line) => diffLine(line, coloured.get(line), startsAt === undefined ? 0 : digits))}
              </div>`
        }
        ${
          isFolded
            ? textButton(l10n.t("Show {0} more lines", lines.length - foldedLines), this.#unfold, { look: "link" })
            : nothing
        }
        ${
          isCut && !isFolded
            ? textButton(l10n.t("There is more: open the whole diff"), this.#openDiff, { look: "link" })
            : nothing
        }
      </div>
    `;
  }

  readonly #unfold = (): void => {
    this.isUnfolded = true;
  };

  readonly #openFile = (): void => {
    const { path, patch, startsAt } = this.content;
    const first = diffLines(patch, startsAt).find(({ kind }) => kind === "added" || kind === "removed");
    const line = first?.after ?? first?.before;
    send(this, { type: "open-location", path, ...(line !== undefined && { line }) });
  };

  readonly #openDiff = (): void =>
    send(this, { type: "open-diff", tabId: this.tabId, toolCallId: this.toolCallId, path: this.content.path });
}

/** Renders a line of a diff. `digits` is the number of digits of the largest line number; 0 if the numbers are unknown. */
function diffLine({ kind, text, before, after }: DiffLine, code: string | undefined, digits: number): TemplateResult {
  const word = words[kind];
  const number = digits === 0 ? "" : String(after ?? before ?? "").padStart(digits);
  // Showing hidden characters takes precedence over highlighting.
  const shown =
    code === undefined || visibleLabel(text) !== text
      ? visibleText(text)
      : html`<span class="diff-code" .innerHTML=${code}></span>`;
  return html`<div class="diff-line is-${kind}">
    ${digits === 0 ? nothing : html`<span class="diff-number" aria-hidden="true">${number}</span>`}<span
      class="diff-mark"
      aria-hidden="true"
      >${marks[kind]}</span
    ><span class="diff-text"
      >${word === "" ? nothing : html`<span class="control-hidden">${word}</span>`}${
        kind === "gap" && text === "" ? "⋯" : shown
      }</span
    >
  </div>`;
}

function languageOf(path: string): string {
  const name = path.split(/[\\/]/u).at(-1) ?? "";
  return name.includes(".") ? (name.split(".").at(-1) ?? "") : name;
}

customElements.define("symposium-diff", SymposiumDiff);
