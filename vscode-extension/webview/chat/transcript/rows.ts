import type { Item, ItemOf } from "../../../protocol/index.js";

type ToolItem = ItemOf<"tool">;

/** What stands for the noise of one turn in the focus view. */
export interface TurnSummary {
  readonly kind: "summary";
  readonly id: string;
  readonly tools: readonly ToolItem[];
  readonly isUnfolded: boolean;
  /** The turn has not ended: its last tool call is what happens now. */
  readonly isOpen: boolean;
}

/** One line of the list: an item, or the summary of a turn's tool calls. Its `id` is its key. */
export type Row = Item | TurnSummary;

export interface Rows {
  readonly rows: readonly Row[];
  /** Tool calls of sub-agents, by the call that started them; they are shown inside it. */
  readonly children: ReadonlyMap<string, readonly ToolItem[]>;
}

/**
 * The rows of a transcript. In the focus view, tool calls and thoughts stand behind one summary a turn, which
 * `isUnfolded` can open again.
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

/** The number of the turn's first row: the user's prompt that row `at` belongs to, or undefined before the first one. */
export function promptRow(rows: readonly Row[], at: number): number | undefined {
  for (let index = Math.min(at, rows.length - 1); index >= 0; index--) if (rows[index]?.kind === "user") return index;
  return undefined;
}

/** True for the first part of an answer in its turn, which gets the heading. */
export function isFirstAnswer(rows: readonly Row[], at: number): boolean {
  for (let index = at - 1; index >= 0; index--) {
    const kind = rows[index]?.kind;
    if (kind === "text") return false;
    if (kind === "user") return true;
  }
  return true;
}

/** The answer of the turn that ends with row `at`, as Markdown. */
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
