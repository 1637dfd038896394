import { html, type TemplateResult } from "lit";
import { icon } from "../../controls/icon.js";
import { foldable } from "./foldable.js";
import { ItemElement } from "./item-element.js";

const marks: Readonly<Record<string, { icon: string; label: string }>> = {
  completed: { icon: "pass-filled", label: "Done" },
  in_progress: { icon: "loading", label: "In progress" },
  pending: { icon: "circle-large-outline", label: "To do" },
};

/** The agent's plan as a checklist. */
export class SymposiumPlan extends ItemElement<"plan"> {
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
        >Plan<span class="quiet">
          · ${done} of ${entries.length} done${!isOpen && current ? ` · ${current}` : ""}</span
        ></span
      >`,
      body: () =>
        html`<ol class="plan-entries">
          ${entries.map(({ content, status, priority }) => {
            const mark = marks[status] ?? { icon: "circle-large-outline", label: status };
            return html`<li data-status=${status}>
              ${icon(mark.icon, status === "in_progress")}<span class="control-hidden">${mark.label}: </span
              ><span dir="auto">${content}</span>${priority === "high" ? html`<span class="badge">high</span>` : ""}
            </li>`;
          })}
        </ol>`,
    });
  }
}

customElements.define("symposium-plan", SymposiumPlan);
