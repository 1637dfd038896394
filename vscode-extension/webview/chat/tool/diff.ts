import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { ToolContent } from "../../../protocol/index.js";
import { icon, LightElement } from "../../controls/element.js";
import { visibleLabel, visibleText } from "../cards/visible-text.js";
import { send } from "../send.js";

type DiffContent = Extract<ToolContent, { type: "diff" }>;

const foldedLines = 24;
const marks: Readonly<Record<DiffLine["kind"], string>> = { context: " ", added: "+", removed: "-", gap: "" };
const words: Readonly<Record<DiffLine["kind"], string>> = {
  context: "",
  added: "added: ",
  removed: "removed: ",
  gap: "",
};

/** One file's change: `<symposium-diff .content .tabId .toolCallId>`. Long ones are folded. */
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

/** A line of a unified diff. `before` and `after` are 1-based line numbers where the line is there. */
interface DiffLine {
  readonly kind: "context" | "added" | "removed" | "gap";
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

const hunkHead = /^@@ -(?<before>\d+)(?:,\d+)? \+(?<after>\d+)(?:,\d+)? @@ ?(?<section>.*)$/u;

/** The lines of a unified diff without file headers. A gap stands where lines are left out, with the name of the section if there is one. */
export function diffLines(patch: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 1;
  let after = 1;
  for (const line of patch.replace(/\n$/u, "").split("\n")) {
    const groups = hunkHead.exec(line)?.groups;
    if (groups) {
      before = Number(groups["before"]);
      after = Number(groups["after"]);
      if (lines.length > 0 || before > 1) lines.push({ kind: "gap", text: groups["section"] ?? "" });
    } else if (line.startsWith("+")) lines.push({ kind: "added", text: line.slice(1), after: after++ });
    else if (line.startsWith("-")) lines.push({ kind: "removed", text: line.slice(1), before: before++ });
    else if (line.startsWith("\\")) lines.push({ kind: "gap", text: line.slice(2) });
    else lines.push({ kind: "context", text: line.slice(1), before: before++, after: after++ });
  }
  return lines;
}
