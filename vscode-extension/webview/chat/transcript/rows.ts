import * as l10n from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import type { Item, ItemOf } from "../../../protocol/index.js";
import { icon } from "../../controls/element.js";
import { hasFailed, isRunning } from "../tool/tool-look.js";

type ToolItem = ItemOf<"tool">;

interface TurnSummary {
  readonly kind: "summary";
  readonly id: string;
  readonly tools: readonly ToolItem[];
  readonly isUnfolded: boolean;
  /** True while the turn runs; its last tool call is then the current activity. */
  readonly isOpen: boolean;
}

export type Row = Item | TurnSummary;

export interface Rows {
  readonly rows: readonly Row[];
  /** Sub-agents' tool calls, by the tool call that started the sub-agent. The view shows them inside this call. */
  readonly children: ReadonlyMap<string, readonly ToolItem[]>;
}

/**
 * Returns the rows of a transcript. In the focus view, one summary per turn replaces tool calls and thoughts, unless `isUnfolded` returns
 * true.
 */
export function toRows(
  items: readonly Item[],
  byId: ReadonlyMap<string, number>,
  focus?: { readonly isUnfolded: (summaryId: string) => boolean },
): Rows {
  const children = new Map<string, ToolItem[]>();
  const shown = items.filter((item) => {
    if (item.kind !== "tool" || item.parentId === undefined || !byId.has(item.parentId)) return true;
    const siblings = children.get(item.parentId);
    if (siblings) siblings.push(item);
    else children.set(item.parentId, [item]);
    return false;
  });
  return { rows: focus ? withSummaries(shown, focus.isUnfolded) : shown, children };
}

/** Returns the index of the user prompt that row `at` belongs to; undefined before the first prompt. */
export function promptRow(rows: readonly Row[], at: number): number | undefined {
  for (let index = Math.min(at, rows.length - 1); index >= 0; index--) if (rows[index]?.kind === "user") return index;
  return undefined;
}

export function isFirstAnswer(rows: readonly Row[], at: number): boolean {
  for (let index = at - 1; index >= 0; index--) {
    const kind = rows[index]?.kind;
    if (kind === "text") return false;
    if (kind === "user") return true;
  }
  return true;
}

/** Returns the name of the agent that answered at row `at`, since another agent may have continued the conversation later. */
export function agentAt(rows: readonly Row[], at: number, current: string): string {
  for (const row of rows.slice(at)) if (row.kind === "notice" && row.agentBefore !== undefined) return row.agentBefore;
  return current;
}

export function answerBefore(rows: readonly Row[], at: number): string {
  const parts: string[] = [];
  for (let index = at - 1; index >= 0; index--) {
    const row = rows[index];
    if (row?.kind === "user" || row?.kind === "turn-end") break;
    if (row?.kind === "text") parts.unshift(row.text);
  }
  return parts.join("\n\n");
}

function withSummaries(items: readonly Item[], isUnfolded: (summaryId: string) => boolean): Row[] {
  const rows: Row[] = [];
  let turn: Item[] = [];
  const close = (isOpen: boolean): void => {
    addTurn(rows, turn, isUnfolded, isOpen);
    turn = [];
  };
  for (const item of items) {
    if (item.kind === "user") close(false);
    turn.push(item);
    if (item.kind === "turn-end") close(false);
  }
  close(true);
  return rows;
}

function addTurn(rows: Row[], turn: readonly Item[], isUnfolded: (id: string) => boolean, isOpen: boolean): void {
  const noise = turn.filter(isNoise);
  const first = noise[0];
  if (first === undefined) {
    rows.push(...turn);
    return;
  }
  const id = `summary-${first.id}`;
  const summary: TurnSummary = {
    kind: "summary",
    id,
    tools: noise.filter((item) => item.kind === "tool"),
    isUnfolded: isUnfolded(id),
    isOpen,
  };
  for (const item of turn) {
    if (item === first) rows.push(summary);
    if (summary.isUnfolded || !isNoise(item)) rows.push(item);
  }
}

function isNoise(item: Item): boolean {
  return item.kind === "tool" || item.kind === "thought" || item.kind === "unknown";
}

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

/** Returns the summary of a turn, for example `12 steps, 3 files edited, 1 failed`. */
export function summaryText({ tools }: Pick<TurnSummary, "tools">): string {
  const edited = new Set(
    tools.flatMap(({ content }) => content.flatMap((part) => (part.type === "diff" ? [part.path] : []))),
  ).size;
  const failed = tools.filter(({ status, exit }) => status === "failed" || hasFailed(exit)).length;
  const parts = [
    tools.length === 0 ? l10n.t("Thoughts") : tools.length === 1 ? l10n.t("1 step") : l10n.t("{0} steps", tools.length),
    edited === 0 ? "" : edited === 1 ? l10n.t("1 file edited") : l10n.t("{0} files edited", edited),
    failed === 0 ? "" : l10n.t("{0} failed", failed),
  ];
  return parts.filter((part) => part !== "").join(", ");
}

export function estimateHeight(row: Row): number {
  switch (row.kind) {
    case "user":
      return 48 + Math.min(12, row.text.length / 50) * 18;
    case "text":
      return 24 + (row.text.length / 55) * 20;
    case "tool":
      return 30 + (row.content.some(({ type }) => type === "diff" || type === "terminal") ? 200 : 0);
    case "plan":
      return 32 + row.entries.length * 22;
    case "notice":
      return 72;
    case "permission":
    case "elicitation":
    case "authentication":
      return 160;
    case "content":
      return 120;
    default:
      return 28;
  }
}
