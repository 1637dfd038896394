import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { icon } from "../../controls/element.js";
import "../markdown/markdown-element.js";
import { Clock, durationText } from "./clock.js";
import { contentBlock } from "./content-block.js";
import { foldable, ItemElement } from "./item-element.js";

class SymposiumAnswer extends ItemElement<"text"> {
  static override properties: PropertyDeclarations = {
    ...ItemElement.properties,
    heading: { attribute: false },
    isGrowing: { attribute: false },
  };
  declare heading: string | undefined;
  declare isGrowing: boolean;

  protected override render(): TemplateResult {
    return html`
      ${this.heading === undefined ? nothing : html`<h2 class="control-hidden">${this.heading}</h2>`}
      <symposium-markdown
        class=${this.isGrowing ? "markdown is-growing" : "markdown"}
        .slices=${this.context.slices}
        .text=${this.item.text}
      ></symposium-markdown>
    `;
  }
}

customElements.define("symposium-answer", SymposiumAnswer);

/** Minimum duration of a thought, in milliseconds, for which the duration is shown. */
const notableMs = 1_000;

class SymposiumThought extends ItemElement<"thought"> {
  readonly #clock = new Clock(this, () => this.item.endedAt === undefined);

  protected override render(): TemplateResult {
    const { text, startedAt, endedAt } = this.item;
    const isOpen = this.isOpen("body", false);
    const isRunning = endedAt === undefined;
    const ms = (endedAt ?? Math.max(Date.now(), startedAt)) - startedAt;
    const time = durationText(ms);
    return foldable({
      isOpen,
      toggle: () => this.setOpen("body", !isOpen),
      id: this.partId("body"),
      className: isRunning ? "quiet is-running" : "quiet",
      head: html`<span class="fold-title ${isRunning ? "shimmer" : ""}"
        >${isRunning ? l10n.t("Thinking… {0}", time) : ms < notableMs ? l10n.t("Thought") : l10n.t("Thought for {0}", time)}</span
      >`,
      body: () =>
        html`<symposium-markdown class="thought" .slices=${this.context.slices} .text=${text}></symposium-markdown>`,
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#clock.hostConnected();
  }
}

customElements.define("symposium-thought", SymposiumThought);

const marks: Readonly<Record<string, { icon: string; label: string }>> = {
  completed: { icon: "pass-filled", label: l10n.t("Done") },
  in_progress: { icon: "loading", label: l10n.t("In progress") },
  pending: { icon: "circle-large-outline", label: l10n.t("To do") },
};

class SymposiumPlan extends ItemElement<"plan"> {
  protected override render(): TemplateResult {
    const { entries } = this.item;
    const done = entries.filter(({ status }) => status === "completed").length;
    const isOpen = this.isOpen("body", true);
    const current = entries.find(({ status }) => status === "in_progress")?.content;
    return foldable({
      isOpen,
      toggle: () => this.setOpen("body", !isOpen),
      id: this.partId("body"),
      head: html`<span class="fold-title"
        >${l10n.t("Plan")}<span class="quiet">
          ${l10n.t("· {0} of {1} done", done, entries.length)}${!isOpen && current ? ` · ${current}` : ""}</span
        ></span
      >`,
      body: () =>
        html`<ol class="plan-entries">
          ${entries.map(({ content, status, priority }) => {
            const mark = marks[status] ?? { icon: "circle-large-outline", label: status };
            return html`<li data-status=${status}>
              ${icon(mark.icon, status === "in_progress")}<span class="control-hidden">${mark.label}: </span
              ><span dir="auto">${content}</span
              >${priority === "high" ? html`<span class="badge">${l10n.t("high")}</span>` : ""}
            </li>`;
          })}
        </ol>`,
    });
  }
}

customElements.define("symposium-plan", SymposiumPlan);

class SymposiumContent extends ItemElement<"content"> {
  protected override render(): TemplateResult {
    return html`<div class="content-block">${contentBlock(this.item.block, this.context, this)}</div>`;
  }
}

customElements.define("symposium-content", SymposiumContent);

class SymposiumUnknown extends ItemElement<"unknown"> {
  protected override render(): TemplateResult {
    const isOpen = this.isOpen("body", false);
    return foldable({
      isOpen,
      toggle: () => this.setOpen("body", !isOpen),
      id: this.partId("body"),
      className: "quiet",
      head: html`<span class="fold-title">${this.item.label}</span>`,
      body: () => html`<pre class="plain-text" tabindex="0" aria-label=${this.item.label}>${this.item.json}</pre>`,
    });
  }
}

customElements.define("symposium-unknown", SymposiumUnknown);
