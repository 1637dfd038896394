import { html, nothing, type TemplateResult } from "lit";
import { icon } from "../../controls/icon.js";
import { hasFailed } from "../tool/tool-exit.js";
import { isRunning } from "../tool/tool-look.js";
import type { TurnSummary } from "./rows.js";

/** What a turn's tool calls were, in one line that shows and hides them. */
export function turnSummary(summary: TurnSummary, toggle: () => void): TemplateResult {
  const { tools, isUnfolded, isOpen } = summary;
  const current = isOpen ? tools.findLast(isRunning) : undefined;
  return html`<button
    type="button"
    class="fold-head turn-summary quiet"
    aria-expanded=${isUnfolded ? "true" : "false"}
    @click=${toggle}
  >
    ${current ? icon("loading", true) : icon("chevron-right")}
    <span class="fold-title">${summaryText(summary)}${current ? html` · ${current.title}` : nothing}</span>
  </button>`;
}

/** E.g. `12 steps, 3 files edited, 1 failed`. */
export function summaryText({ tools }: Pick<TurnSummary, "tools">): string {
  const edited = new Set(
    tools.flatMap(({ content }) => content.flatMap((part) => (part.type === "diff" ? [part.path] : []))),
  ).size;
  const failed = tools.filter(({ status, exit }) => status === "failed" || hasFailed(exit)).length;
  const parts = [
    tools.length === 0 ? "Thoughts" : plural(tools.length, "step"),
    edited === 0 ? "" : `${plural(edited, "file")} edited`,
    failed === 0 ? "" : `${failed} failed`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
